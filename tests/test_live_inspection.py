"""The people of a simulated table have its reader inspected where the house wants that."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scenario_run import Played, be_hasty, differences, play

from simulators.scenario import Scenario

GAME = {"procedure": "nd-card-reader", "seed": 6, "rounds": 2, "pace": 0, "hurry": 100}
SOUND = {"codes": [], "rounds": ["closed", "closed"], "cards": "all"}
EXPECT = {**SOUND, "records": {"table:reader.peeked": 2, "table:reader.restored": 1}}


def inspections(played: Played) -> list[str]:
    return [data["inspected"]["by"] for data in played.records if "inspected" in data]


def test_a_floorperson_inspects_it_before_the_first_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_hasty(monkeypatch)
    scenario = Scenario("here", "an inspection", GAME, expect=EXPECT)
    played = asyncio.run(play(scenario, tmp_path, reader='inspection = "required"'))
    assert differences(scenario, played) == []
    assert inspections(played) == ["F. Person"]
    assert [code for code in played.names() if code.startswith("table:reader.faulted:")] == [
        "table:reader.faulted:not-inspected"
    ]


def test_nobody_does_where_nobody_asks_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_hasty(monkeypatch)
    scenario = Scenario("here", "no inspection", GAME, expect={**SOUND, "records": {"table:reader.faulted": 0}})
    played = asyncio.run(play(scenario, tmp_path))
    assert differences(scenario, played) == []
    assert inspections(played) == []
