"""Every fault of the menu at a running table: what the journal says afterwards, for each kind of device."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from leaks import card_secret
from scenario_run import be_hasty, differences, play

from protocols.errors import ShoewatchError
from simulators.faults.menu import parse_fault
from simulators.live.play import OF_READER, OF_SHOE
from simulators.scenario import Scenario, read_scenario
from simulators.table import SHOE_FAULTS

SCENARIOS = sorted(Path(__file__).with_name("scenarios").glob("*.toml"))
OVER_TCP = (
    "angel-dup",
    "angel-drop",
    "bee-tek-noise",
    "tdl-corrupt",
    "tdl-drop",
    "tdl-wedge",
    "reader-hang-after-seated",
)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_over_a_pty(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each message is as the contract says, and the log does not tell what lay face down."""
    be_hasty(monkeypatch)
    scenario = read_scenario(path)
    with caplog.at_level(logging.DEBUG):
        played = asyncio.run(play(scenario, tmp_path))
    assert differences(scenario, played) == []
    assert played.strange() == []
    holes = set().union(*played.holes().values())
    log = re.sub(r"\d+\.\d+ s\b", "", caplog.text)
    assert [card for card in holes if card_secret(card).words.search(log)] == []


def test_a_hole_card_in_a_record_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_hasty(monkeypatch)
    scenario = read_scenario(Path(__file__).with_name("scenarios") / "tdl-burst.toml")
    played = asyncio.run(play(scenario, tmp_path))
    [hole] = played.holes()[1]
    opened = next(at for at, data in enumerate(played.records) if data.get("event", {}).get("type") == "round.opened")
    assert not played.leaks()
    played.records[opened + 1]["detail"] = f"it was {hole}"
    assert len(played.leaks()) == 1


@pytest.mark.parametrize("name", OVER_TCP)
def test_over_tcp(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_hasty(monkeypatch)
    scenario = read_scenario(Path(__file__).with_name("scenarios") / f"{name}.toml")
    assert differences(scenario, asyncio.run(play(scenario, tmp_path, tcp=True))) == []


def struck(device: str) -> Iterator[str]:
    for path in SCENARIOS:
        scenario = read_scenario(path)
        yield from (parse_fault(text).name for text in _texts(scenario, device))


def _texts(scenario: Scenario, device: str) -> tuple[str, ...]:
    match device:
        case "reader":
            return scenario.reader
        case "angel-eye" | "bee-tek":
            return scenario.shoe if scenario.is_punto_banco and scenario.protocol == device else ()
        case _:
            return () if scenario.is_punto_banco else scenario.shoe


@pytest.mark.parametrize(
    ("device", "faults"),
    [*SHOE_FAULTS.items(), ("tdl", OF_SHOE), ("reader", OF_READER - OF_SHOE)],
    ids=[*SHOE_FAULTS, "tdl", "reader"],
)
def test_every_fault_that_a_device_can_have_has_its_scenario(device: str, faults: frozenset[str]) -> None:
    assert faults <= set(struck(device))


def test_every_scenario_says_what_it_is_about() -> None:
    scenarios = [read_scenario(path) for path in SCENARIOS]
    assert [scenario.where for scenario in scenarios if not (scenario.about and scenario.expect)] == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[play\n", "line 1"),
        ("[play]\n", "names no procedure"),
        ("play = 3\n", "play is no section"),
        ('play = ["procedure"]\n', "play is no section"),
        ('play = "procedure"\n', "play is no section"),
        ('shoe = 3\n[play]\nprocedure = "pb-nj"\n', "shoe is no section"),
        ('reader = "torn"\n[play]\nprocedure = "pb-nj"\n', "reader is no section"),
        ('expect = []\n[play]\nprocedure = "pb-nj"\n', "expect is no section"),
        ('[play]\nprocedure = "pb-nj"\nrounds = 0\n', "rounds = 0 must be from 1"),
        ('[play]\nprocedure = "pb-nj"\npace = nan\n', "pace = nan must be 0 to 3600"),
        ('[play]\nprocedure = "pb-nj"\npace = inf\n', "must be 0 to 3600"),
        ('[play]\nprocedure = "pb-nj"\npace = -1\n', "must be 0 to 3600"),
        ('[play]\nprocedure = "pb-nj"\nmisreads = 2\n', "must be 0 to 1"),
        ('[play]\nprocedure = "nd-card-reader"\nhurry = 0\n', "must be 1 to 1000"),
        ('[play]\nprocedure = "pb-nj"\nsed = 1\n', 'did you mean "seed"'),
        ('[play]\nprocedure = "pb-nj"\nseed = true\n', "of the wrong kind"),
        ('[play]\nprocedure = "nd-card-reader"\nby_hand = "some"\n', "by_hand is one of nothing, same"),
        ('[play]\nprocedure = "pb-nj"\n[shoes]\n', 'did you mean "shoe"'),
        ('[play]\nprocedure = "pb-nj"\n[shoe]\nfaults = "lid"\n', "and nothing else"),
        ('[play]\nprocedure = "pb-nj"\n[shoe]\nfaults = ["lid"]\n', 'there is no "lid" here'),
        ('[play]\nprocedure = "pb-nj"\nprotocol = "bee-tec"\n', "no shoe speaks"),
        (
            '[play]\nprocedure = "pb-nj"\nprotocol = "bee-tek"\n[shoe]\nfaults = ["reverse"]\n',
            'there is no "reverse" here',
        ),
        ('[play]\nprocedure = "pb-nj"\nhurry = 2\n', "unknown 'hurry'"),
        ('[play]\nprocedure = "nd-card-reader"\nprotocol = "bee-tek"\n', "unknown 'protocol'"),
        ('[play]\nprocedure = "nd-card-reader"\n', "is played at a whole table"),
    ],
)
def test_a_scenario_that_is_wrong_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(text)
    with pytest.raises(ShoewatchError) as refused:
        read_scenario(path).of_shoe()
    assert complaint in str(refused.value)
    assert str(path) in str(refused.value)
