"""The daemon with a simulated Bee-Tek shoe behind a pty: every card that it told, gaps where its line was away."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

from daemon import Journal, Process, check_chain, check_export, configure, daemon, running, shoe
from mqtt_table import until

NOWHERE = "mqtt://127.0.0.1:1"
CARDS = {"burn_first", "burn_counted", "dealt", "surplus"}


def told(folder: Path) -> list[dict[str, Any]]:
    """The cards that the shoe told while somebody had the line open."""
    acts = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    lost = {act["n"] for act in acts if act.get("lost")}
    return [act for act in acts if act.get("act") in CARDS and act["heard"] and act["n"] not in lost]


def is_over(folder: Path) -> bool:
    return '{"finished": true}' in (folder / "truth.jsonl").read_text()


async def replug(dealt: Process, journal: Journal) -> None:
    dealt.signal(signal.SIGUSR1)
    await until(lambda: journal.count(kind="link", to="absent") + journal.count(kind="link", to="lost") == 1)
    dealt.signal(signal.SIGUSR2)
    await until(lambda: journal.count(kind="link", to="ready") == 2)


def test_a_shoe_that_only_writes_lines(tmp_path: Path) -> None:
    config, journal = configure(tmp_path, f"serial:{tmp_path}/shoe", NOWHERE), Journal(tmp_path)
    config.write_text(config.read_text().replace("angel-eye", "bee-tek"))

    async def scenario() -> None:
        with (
            running(
                shoe(tmp_path, "--protocol", "bee-tek", "--misreads", "0.1", "--rounds", "12", "--pace", "0.05")
            ) as dealt,
            running(daemon(config)) as process,
        ):
            await until(lambda: len(drawn(journal)) >= 10)
            await replug(dealt, journal)
            await until(lambda: is_over(tmp_path), 60)
            await until(lambda: len(drawn(journal)) >= len(told(tmp_path)) - 1)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log
        assert "Traceback" not in process.log

    asyncio.run(scenario())
    check_chain(journal.rows())
    check_export(tmp_path)
    records = journal.records()
    assert len(told(tmp_path)) - len(drawn(journal)) in (0, 1), "one may have been on the line as it was pulled out"
    assert [data["event"]["reason"] for data in events(journal, "log.gap")] == ["daemon started", "link lost"]
    unread = sum("commit" not in data for data in drawn(journal))
    assert 0 < journal.count(kind="device", report="alarm") in (unread, unread - 1)
    assert [data["data"] for data in records if data.get("report") == "mode"] == [{"mode": "Game"}]
    assert all("to" not in data["event"] for data in drawn(journal))


def events(journal: Journal, name: str) -> list[dict[str, Any]]:
    return [data for data in journal.records() if data["kind"] == "table" and data["event"]["type"] == name]


def drawn(journal: Journal) -> list[dict[str, Any]]:
    return events(journal, "card.drawn")
