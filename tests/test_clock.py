"""The wall clock is a label: steps of it are told, and nothing else follows from them."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest
from daemon import check_chain
from mqtt_table import until
from own_table import own_table

from controller import clock
from controller.clock import Clock, watch_steps
from controller.journal_verify import verify_journal

DAY_S = 86_400
STEPPING = [sys.executable, str(Path(__file__).with_name("stepping_daemon.py")), str(DAY_S)]


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """By how much the wall clock is set, to be changed; it is looked at often."""
    ahead, true = [0.0], time.time_ns
    monkeypatch.setattr(clock, "_LOOK_S", 0.01)
    monkeypatch.setattr(time, "time_ns", lambda: true() + int(ahead[0] * 1_000_000_000))
    return ahead


@pytest.mark.parametrize(
    ("steps", "told"),
    [([DAY_S], [DAY_S]), ([-DAY_S], [-DAY_S]), ([DAY_S, 0], [DAY_S, -DAY_S]), ([0.5, 0.9], []), ([0.8, -0.8], [-1.6])],
)
def test_a_step_is_told_once_and_a_drift_is_none(wall: list[float], steps: list[float], told: list[float]) -> None:
    heard: list[float] = []

    async def hear(by_s: float) -> None:
        heard.append(by_s)

    async def main() -> None:
        watching = asyncio.create_task(watch_steps(hear))
        for step in steps:
            await asyncio.sleep(0.1)
            wall[0] = step
        await asyncio.sleep(0.1)
        watching.cancel()

    asyncio.run(main())
    assert heard == pytest.approx(told, abs=0.3)


def test_the_wall_clock_of_a_record_is_the_one_that_was_set(wall: list[float]) -> None:
    before = datetime.fromisoformat(Clock().wall())
    wall[0] = -DAY_S
    assert (datetime.fromisoformat(Clock().wall()) - before).total_seconds() == pytest.approx(-DAY_S, abs=60)


def test_a_daemon_whose_clock_is_set_by_a_day_deals_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(120), own_table(tmp_path, command=STEPPING) as table:
            for count, number in enumerate((signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR2), 1):
                await table.deal()
                table.daemon.signal(number)
                await table.peek(natural=False)
                await table.finish()
                await until(lambda count=count: table.journal.count(what="clock.stepped") == count)  # type: ignore[misc]
            assert await table.stop() == 0
            assert table.codes() == []
            assert table.events("reader.faulted") == []
            links = [data["to"] for data in table.journal.records() if data["kind"] == "link"]
            assert sorted(links) == sorted(["opening", "handshake", "ready"] * 2)
            rows = table.journal.rows()
            check_chain(rows)
            assert len({row.boot for row in rows}) == 1
            events = [row.mono_ns for row in rows if row.kind == "table"]
            assert events == sorted(events)
            steps = [data["data"]["by_s"] for data in table.journal.records() if data.get("what") == "clock.stepped"]
            assert steps == pytest.approx([DAY_S, -DAY_S, -DAY_S], abs=1)
            walls = [datetime.fromisoformat(json.loads(row.body)["time"]) for row in rows]
            assert (walls[0] - walls[-1]).total_seconds() == pytest.approx(DAY_S, abs=120)
            verified = verify_journal(tmp_path / "journal.db")
            assert (verified.problem, verified.last) == (None, rows[-1].seq)

    asyncio.run(scenario())
