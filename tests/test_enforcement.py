"""A shoe that the table locks after a violation, and a supervisor unlocks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from table_toml import write

from controller.config_reading import load_config
from controller.enforced_codes import USUAL_CODES
from controller.enforcement import Enforcement, LockStanding
from protocols.dealing.catalog import procedures
from protocols.dealing.remedies import DISPUTING
from protocols.errors import ConfigError
from protocols.orders import Lock, Order
from protocols.records import DeviceReported, Fact, LinkChanged, Ordered
from protocols.verdicts import Verdict

LOCK = {"locked": True}
READY = LinkChanged("shoe", "handshake", "ready")
S = 1_000_000_000
DEVICES = 'allow_commands = true\nenforce = "lock"\n'


def verdict(outcome: str = "violation", code: str | None = "hand_skipped") -> Verdict:
    return Verdict("verdict", 1, 1, None, outcome, code, None, None, (), None, None)  # type: ignore[arg-type]


class Table:
    """A lock, and the orders that it gave."""

    def __init__(self, standing: LockStanding | None = None) -> None:
        self.given: list[tuple[str, Order, str]] = []
        self.lock = Enforcement(USUAL_CODES, lambda *order: self.given.append(order), standing)
        self.now = 0

    def judged(self, told: Verdict, record: int = 7) -> Ordered | None:
        order = self.lock.judged(told, record)
        if order:
            self.lock.after(order, self.now)
            self.lock.on_disk(record + 1)
        return order

    def answered(self, answer: str, locked: bool = True, by: str | None = None) -> None:
        name = "u" if by else "lock-hand_skipped-7"
        self.lock.after(Ordered("shoe", "lock", {"locked": locked}, name, answer, by), self.now)

    @property
    def remarks(self) -> list[str]:
        return list(self.lock.remarks())


def test_a_violation_locks_once_until_a_supervisor_unlocks() -> None:
    table = Table()
    assert table.judged(verdict()) == Ordered("shoe", "lock", LOCK, "lock-hand_skipped-7", "given")
    assert table.given == [("shoe", Lock(locked=True), "lock-hand_skipped-7")]
    assert table.remarks == ["the shoe is to be locked: hand_skipped"]
    table.answered("ok")
    assert table.remarks == ["the shoe is locked: hand_skipped"]
    assert table.judged(verdict(code="draw_after_stand")) is None
    table.answered("failed", locked=False, by="supervisor")
    assert table.remarks == ["the shoe is locked: hand_skipped"]
    table.answered("ok", locked=False, by="supervisor")
    assert (table.remarks, len(table.given)) == ([], 1)
    table.lock.after(READY, 0)
    assert len(table.given) == 1
    assert table.judged(verdict(code="draw_after_stand"), 9) is not None


def test_the_shoe_is_told_once_the_order_is_on_disk_or_the_disk_takes_nothing() -> None:
    table = Table()
    for record, disk in ((7, True), (9, False)):
        before = len(table.given)
        order = table.lock.judged(verdict(), record)
        assert order is not None
        table.lock.after(order, 0)
        table.lock.on_disk(record)
        table.lock.pass_time(S - 1)
        assert len(table.given) == before
        table.lock.on_disk(record + 1) if disk else table.lock.pass_time(S)
        table.lock.on_disk(record + 2)
        assert len(table.given) == before + 1
        table.answered("ok", locked=False, by="supervisor")


@pytest.mark.parametrize(
    "told",
    [verdict("ok", None), verdict("warning"), verdict("unobservable"), verdict(code="pickup_order")],
)
def test_nothing_else_locks(told: Verdict) -> None:
    table = Table()
    assert table.judged(told) is None
    assert table.given == []


def test_what_came_to_nothing_is_tried_again_ever_more_rarely() -> None:
    table = Table()
    table.judged(verdict())
    waits = []
    for _ in range(7):
        table.answered("no_answer")
        assert table.lock.deadline is not None
        waits.append((table.lock.deadline - table.now) // S)
        table.lock.pass_time(table.lock.deadline - 1)
        before = len(table.given)
        table.now = table.lock.deadline
        table.lock.pass_time(table.now)
        assert len(table.given) == before + 1
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert table.remarks == ["the shoe is to be locked: hand_skipped (no_answer)"]


@pytest.mark.parametrize("answer", ["no_link", "unsupported", "denied"])
@pytest.mark.parametrize(
    "again",
    [READY, DeviceReported("shoe", "boot"), DeviceReported("shoe", "start")],
    ids=["link", "boot", "start"],
)
def test_what_is_of_no_use_now_waits_for_the_shoe_to_come_anew(answer: str, again: Fact) -> None:
    table = Table()
    table.judged(verdict())
    table.answered(answer)
    assert table.lock.deadline is None
    table.lock.after(LinkChanged("shoe", "stalled", "ready"), 0)
    assert len(table.given) == 1
    table.lock.after(again, 0)
    assert len(table.given) == 2


@pytest.mark.parametrize(
    ("answer", "is_over"),
    [
        ("ok", True),
        ("unsupported", True),
        ("unknown_op", True),
        *((answer, False) for answer in ("no_link", "no_answer", "not_allowed", "busy", "denied", "failed")),
    ],
)
def test_an_unlocking_ends_the_lock_where_the_shoe_is_open_then(answer: str, is_over: bool) -> None:
    table = Table()
    table.judged(verdict())
    table.answered("unsupported" if answer in ("unsupported", "unknown_op") else "ok")
    table.answered(answer, locked=False, by="supervisor")
    assert (table.remarks == []) == is_over
    table.lock.after(READY, 0)
    assert len(table.given) == (1 if is_over else 2)


@pytest.mark.parametrize("answer", ["ok", "no_link", "no_answer"])
@pytest.mark.parametrize(
    "meanwhile",
    [READY, DeviceReported("shoe", "boot"), DeviceReported("shoe", "lock", {"state": 0, "by": 2})],
    ids=["link", "boot", "key"],
)
def test_a_shoe_that_comes_anew_before_its_answer_is_heard_is_asked_again(answer: str, meanwhile: Fact) -> None:
    table = Table()
    table.judged(verdict())
    table.lock.after(meanwhile, 0)
    assert len(table.given) == 1
    table.answered(answer)
    assert len(table.given) == 2
    table.answered("ok")
    assert (len(table.given), table.remarks) == (2, ["the shoe is locked: hand_skipped"])


@pytest.mark.parametrize(("by", "orders_"), [(1, 2), (2, 2), (3, 1)], ids=["button", "key", "us"])
def test_nobody_else_unlocks_it_for_long(by: int, orders_: int) -> None:
    table = Table()
    table.judged(verdict())
    table.answered("ok")
    table.lock.after(DeviceReported("shoe", "lock", {"state": 0, "by": by}), 0)
    assert len(table.given) == orders_


def test_the_usual_codes_are_codes() -> None:
    assert DISPUTING < USUAL_CODES <= procedures().codes
    text = (Path(__file__).parent.parent / "docs/panel.md").read_text().partition("that cannot be in the shoe:")[2]
    assert text.split("It needs")[0].replace("`", "").split() == sorted(USUAL_CODES)


@pytest.mark.parametrize(
    ("devices", "found"),
    [
        ("", None),
        ('enforce = "off"\nenforce_codes = ["order"]', None),
        (DEVICES, USUAL_CODES),
        (f'{DEVICES}enforce_codes = ["order", "face"]', {"order", "face"}),
        (f"{DEVICES}enforce_codes = []", set()),
    ],
)
def test_which_codes_lock(tmp_path: Path, devices: str, found: frozenset[str] | None) -> None:
    assert load_config(write(tmp_path, devices=devices, panel='directory = "panel"')).enforced == found


@pytest.mark.parametrize(
    ("parts", "problems"),
    [
        ({"devices": 'enforce = "lock"'}, ['devices.enforce: "lock" tells the shoe something']),
        ({"devices": 'enforce = "look"'}, ["devices.enforce: 'look' is not possible here"]),
        (
            {"devices": f'{DEVICES}enforce_codes = ["ordr", "face"]'},
            ["devices.enforce_codes: unknown code 'ordr' (did you mean \"order\"?)"],
        ),
        (
            {"devices": 'enforce = "lock"', "shoe": 'port = "sim:try"\nprotocol = "bee-tek"'},
            ['devices.enforce: "lock" tells', "devices.enforce: a shoe that speaks bee-tek cannot be locked"],
        ),
        ({"devices": DEVICES, "panel": None}, ["devices.enforce: without a [panel] no supervisor"]),
    ],
)
def test_a_lock_that_cannot_be_is_a_mistake(tmp_path: Path, parts: Mapping[str, Any], problems: list[str]) -> None:
    given = {"panel": 'directory = "panel"', **parts}
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, **{name: text for name, text in given.items() if text is not None}))
    assert len(caught.value.problems) == len(problems)
    for problem, begins in zip(caught.value.problems, problems, strict=True):
        assert problem.startswith(begins)
