"""A day's dealing: nothing that comes out of the daemon, wherever it does, tells what lies face down, what the reader
said, or the vault's key, before a record makes it public."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from leak_day import CARD, Fields, Left, lying_open, played, told_too_early

from controller.broker import EmbeddedBroker

OPTIONS = ("--pace", "0", "--hurry", "50", "--faults", "0.4", "--reader-faults", "0.4")
NO_CARDS = ("traffic", "panel", "log", "environ", "cmdline", "status", "limits")
"""What tells nothing of cards besides the records."""


def check_day(folder: Path, broker: EmbeddedBroker, *options: str) -> Left:
    left = played(folder, broker, *OPTIONS, *options)
    assert told_too_early(left) == []
    for name in NO_CARDS:
        assert CARD.findall(left.others[name]) == [], name
    assert set(CARD.findall(left.others["journal"])) <= lying_open(left)
    key = (folder / "journal.db-vault-key").read_text().strip()
    everywhere = {**left.others, "records": str(left.records)}
    for form in (key, bytes.fromhex(key).decode("latin-1"), repr(bytes.fromhex(key))[2:-1]):
        assert [name for name, text in everywhere.items() if form in text] == []
    [cores] = [line.split() for line in left.others["limits"].splitlines() if line.startswith("Max core file size")]
    assert cores[-3:-1] == ["0", "0"]
    return left


def planted(left: Left, text: str, at: int) -> Left:
    """The same with a text in the verdict of a record."""
    records = copy.deepcopy(list(left.records))
    records[at]["verdict"]["detail"] = text
    return Left(records, left.others, left.truth, left.states)


def check_finds(left: Left) -> None:
    """What is told too early is found: a card as it is laid, an answer as it is given."""
    down = {act["event"]: act["card"] for act in left.truth if act.get("face") == "down"}
    drawn = {
        data["event"]["seq"]: at
        for at, data in enumerate(left.records)
        if data.get("event", {}).get("type") == "card.drawn"
    }
    found = [bool(told_too_early(planted(left, f"it is {card}", drawn[seq]))) for seq, card in down.items()]
    assert sum(found) > 0.7 * len(found), "but for those of which another lies open"
    peeks = [at for at, data in enumerate(left.records) if data.get("event", {}).get("type") == "reader.peeked"]
    assert all(told_too_early(planted(left, "no_natural", at)) for at in peeks)
    assert peeks
    hidden = [state for state in left.states if any(None in hand["cards"] for hand in state["hands"])]
    assert len(hidden) > 10
    told = [told_too_early(Left(left.records, {}, left.truth, [_turned(state, left)])) for state in hidden]
    assert sum(map(bool, told)) > 0.4 * len(told), "but for those of which another lies open"


def _turned(state: Fields, left: Left) -> Fields:
    """The state with a card that lies face down told, as it was dealt."""
    shown = copy.deepcopy(state)
    number = state["round"]["number"]
    down = [act["card"] for act in left.truth if act.get("face") == "down" and act.get("round") == number]
    hand = next(hand for hand in shown["hands"] if None in hand["cards"])
    hand["cards"][hand["cards"].index(None)] = (down or ["Xx"])[0]
    return shown


def test_an_hour(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    left = check_day(tmp_path, mosquitto, "--seed", "4", "--rounds", "25", "--disclose")
    check_finds(left)


@pytest.mark.soak
@pytest.mark.parametrize("values", ["--disclose", "--withhold"])
def test_a_day(mosquitto: EmbeddedBroker, tmp_path: Path, values: str) -> None:
    check_day(tmp_path, mosquitto, "--seed", "5", "--rounds", "800", values)
