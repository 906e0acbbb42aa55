"""The fault menu in text: what can be said, what is refused and how, and when a fault strikes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from protocols.cards import Card
from protocols.errors import ShoewatchError
from simulators.angel_faults import KNOWN
from simulators.faults.menu import MENU, Fault, When, at, parse_fault
from simulators.faults.schedule import Progress, Schedule

COUNTED = [name for name, entry in MENU.items() if entry.right.startswith("a whole number")]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("drop", Fault("drop", 1.0)),
        ("drop:9@card=12", Fault("drop", 9.0, When("card", 12))),
        ("unplug:0.25@2.5s", Fault("unplug", 0.25, When("seconds", 2.5))),
        ("corrupt@p=0.01", Fault("corrupt", 1.0, When("share", 0.01))),
        ("lid@round=3", Fault("lid", None, When("round", 3))),
        ("misread", Fault("misread")),
        ("misread:4c", Fault("misread", Card.parse("4c"))),
        ("swap-device:SHOE-7", Fault("swap-device", "SHOE-7")),
        ("downgrade:caps", Fault("downgrade", "caps")),
    ],
)
def test_what_can_be_said(text: str, fault: Fault) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("unplugg", 'there is no "unplugg" here (did you mean "unplug"?)'),
        ("", "there is no"),
        ("dup:3", "it takes no value"),
        ("drop:0", "a whole number, 1 to"),
        ("drop:1.5", "a whole number, 1 to"),
        ("drop:9e9", "a whole number, 1 to 100000"),
        *((f"{name}:1{'0' * 23}", "a whole number, 1") for name in COUNTED),
        ("overflow:15", "a whole number, 16 to 100000"),
        ("swap-device:", "1 to 16 characters of ASCII without blanks"),
        ("swap-device:SHÖE-1", "1 to 16 characters"),
        ("swap-device:SHOE 1", "1 to 16 characters"),
        ("swap-device:SHOE-000000000042", "1 to 16 characters"),
        ("late:-1", "seconds, 0 to 3600"),
        ("stall:nan", "seconds, 0 to 3600"),
        ("misread:14c", "a card such as 4c"),
        ("wrong-baud:0", "a ratio, 0.01 to 100"),
        ("downgrade:keys", "version or caps"),
        ("drop@", "after @ comes"),
        ("drop@card=0", "after @ comes"),
        ("drop@card", "after @ comes"),
        ("drop@5", "after @ comes"),
        ("drop@p=2", "after @ comes"),
        ("drop@xs", "after @ comes"),
    ],
)
def test_what_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ShoewatchError) as refused:
        parse_fault(text)
    assert complaint in str(refused.value)
    assert f'fault "{text}"' in str(refused.value)


def test_a_device_is_offered_only_what_it_can_have() -> None:
    with pytest.raises(ShoewatchError, match='there is no "lid" here'):
        parse_fault("lid", KNOWN)
    assert parse_fault("reverse", KNOWN).name == "reverse"


def test_every_entry_can_be_said_by_its_name_alone() -> None:
    assert {parse_fault(name).name for name in MENU} == set(MENU)
    assert at("line", "between", "device", "shoe", "reader") == set(MENU)


def struck(text: str, occasions: int = 200) -> Iterator[int]:
    """The cards (two a round, one a second) at which the fault strikes."""
    now = [0.0]
    progress = Progress(clock=lambda: now[0])
    schedule = Schedule([parse_fault(text)], progress, 4)
    for card in range(1, occasions + 1):
        progress.cards, progress.round, now[0] = card, (card + 1) // 2, float(card)
        assert schedule.take({"awol"}) is None
        if schedule.take({"drop"}):
            yield card


def test_when_it_strikes() -> None:
    assert list(struck("drop")) == [1]
    assert list(struck("drop@card=12")) == [12]
    assert list(struck("drop@round=3")) == [5]
    assert list(struck("drop@7.5s")) == [8]
    assert list(struck("drop@p=0")) == []
    assert 5 <= len(list(struck("drop@p=0.1"))) <= 40
