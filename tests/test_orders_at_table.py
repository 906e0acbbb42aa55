"""A supervisor's orders to devices at a running daemon: told, answered, recorded, or not allowed."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from daemon import Journal, configure, daemon, running, shoe
from mqtt_table import until
from own_table import own_table
from panel_client import connected

NOWHERE = "mqtt://127.0.0.1:1"
DEADLINE_S = 90.0


def angel_table(folder: Path, more: str) -> Path:
    """An Angel Eye table with a panel."""
    config = configure(folder, f"serial:{folder}/shoe", NOWHERE)
    config.write_text(config.read_text() + '\n[panel]\ndirectory = "panel"\n' + more)
    return config


def orders(journal: Journal) -> list[tuple[Any, ...]]:
    records = [data for data in journal.records() if data["kind"] == "order"]
    return [tuple(data.get(name) for name in ("device", "order", "args", "id", "answer", "by")) for data in records]


def test_an_angel_eye_shoe_is_locked_and_unlocked(tmp_path: Path) -> None:
    config, journal = angel_table(tmp_path, "[devices]\nallow_commands = true\n"), Journal(tmp_path)

    async def scenario() -> None:
        with running(shoe(tmp_path, "--rounds", "1", "--pace", "0")), running(daemon(config)) as process:
            await until(lambda: journal.count(report="stand-by") >= 1)
            async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                locked = await supervisor.ask("1", order="lock")
                assert locked["ok"], locked
                assert (await supervisor.ask("2", order="unlock"))["ok"]
                failed = await supervisor.ask("3", order="clear_error", error=4)
                assert failed == {"id": "3", "ok": False, "why": "clear_error: failed"}
                tested = await supervisor.ask("4", order="self_test")
                assert tested["why"] == "self_test: the device has nothing like it"
                assert await supervisor.ask("1", order="lock") == locked
            await until(lambda: journal.count(report="lock") == 2)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log
            with running(daemon(config)):
                async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                    assert await supervisor.ask("1", order="lock") == locked

    asyncio.run(scenario())
    assert orders(journal) == [
        ("shoe", "lock", {"locked": True}, "1", "ok", "supervisor"),
        ("shoe", "lock", {"locked": False}, "2", "ok", "supervisor"),
        ("shoe", "clear_error", {"error": 4}, "3", "failed", "supervisor"),
        ("shoe", "self_test", {"mask": 0xFFFF}, "4", "unsupported", "supervisor"),
    ]
    told = [data["data"]["locked"] for data in journal.records() if data.get("report") == "lock"]
    assert told == [True, False]
    assert journal.count(kind="table", type="log.gap") == 0


@pytest.mark.parametrize("more", ["", "[devices]\nallow_commands = false\n"])
def test_a_table_without_leave_tells_its_shoe_nothing(tmp_path: Path, more: str) -> None:
    config, journal = angel_table(tmp_path, more), Journal(tmp_path)

    async def scenario() -> None:
        with running(shoe(tmp_path, "--rounds", "1", "--pace", "0")), running(daemon(config)):
            await until(lambda: journal.count(report="stand-by") >= 1)
            async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                answer = await supervisor.ask("1", order="lock")
                assert "devices.allow_commands" in answer["why"]

    asyncio.run(scenario())
    assert [order[4] for order in orders(journal)] == ["not_allowed"]
    assert journal.count(report="lock") == 0


def test_a_device_that_has_a_key_tests_itself_and_attests(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(tmp_path) as table:
            async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                told = [await supervisor.ask(name, order=name, device="reader") for name in ("self_test", "attest")]
                told.append(await supervisor.ask("lock", order="lock", device="reader"))
                told.append(await supervisor.ask("shoe", order="lock"))
            assert [answer["ok"] for answer in told] == [True, True, False, False]
            assert [data["data"]["result"] for data in reported(table.journal, "reader", "self-test")] == [0]
            assert len(reported(table.journal, "reader", "attested")) == 2
            assert len(reported(table.journal, "shoe", "attested")) == 1
            answers = [order[4] for order in orders(table.journal)]
            assert answers == ["ok", "ok", "unknown_op", "not_allowed"]

    asyncio.run(scenario())


def reported(journal: Journal, device: str, report: str) -> list[dict[str, Any]]:
    return [data for data in journal.records() if data.get("device") == device and data.get("report") == report]


def test_a_reader_whose_settings_changed_unnoticed_is_refused_also_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(tmp_path) as table:
            journal = table.journal
            table.kill()
            table.reader.device.settings[3] = 70
            again = asyncio.create_task(table.start())
            await until(lambda: journal.count(kind="security", code="settings_changed", device="reader") == 1)
            await until(lambda: journal.count(kind="link", device="reader", to="refused") == 1)
            await until(lambda: faults(journal) == ["link-refused"])
            again.cancel()

    asyncio.run(scenario())


def faults(journal: Journal) -> list[str]:
    events = [data["event"] for data in journal.records() if data["kind"] == "table"]
    return [event["code"] for event in events if event["type"] == "reader.faulted"]
