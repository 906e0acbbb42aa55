"""A daemon whose disk is slow: its devices wait, and nothing is lost."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest
from scenario_run import be_hasty, differences, play

from controller import journal_file
from simulators.scenario import read_scenario

SLOW_S = 0.05


@pytest.mark.parametrize("name", ["tdl-burst", "tdl-drop", "angel-dup"])
def test_a_disk_that_is_slow_costs_no_event(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be_hasty(monkeypatch)
    insert, waits = journal_file.insert, list[float]()

    def slowly(connection: Connection, **what: Any) -> None:
        waits.append(SLOW_S)
        time.sleep(SLOW_S)
        insert(connection, **what)

    monkeypatch.setattr(journal_file, "insert", slowly)
    scenario = read_scenario(Path(__file__).with_name("scenarios") / f"{name}.toml")
    assert differences(scenario, asyncio.run(play(scenario, tmp_path))) == []
    assert sum(waits) > 1.0
