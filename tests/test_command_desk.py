"""What keeps a flood of commands from the table and from the journal: the pace, and one record for many."""

from __future__ import annotations

import asyncio
import time

import pytest
from mqtt_table import until

from controller import rejected
from controller.pace import Pace
from controller.rejected import Rejected
from protocols.records import SecurityNoted


def test_so_many_may_come_at_once_and_then_so_many_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    allowed = Pace(3, 2)
    assert [allowed.take() for _ in range(4)] == [True, True, True, False]
    assert allowed.wait_s == 0.5
    now[0] += 0.5
    assert [allowed.take() for _ in range(2)] == [True, False]
    allowed.give_back()
    assert [allowed.take() for _ in range(2)] == [True, False]
    now[0] += 1000
    allowed.give_back()
    assert [allowed.take() for _ in range(4)] == [True, True, True, False]


def test_what_came_to_nothing_is_told_at_once_and_then_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejected, "_EVERY_S", 0.3)
    notes: list[SecurityNoted] = []

    async def scenario() -> None:
        counted = Rejected(notes.append)
        counted.count("unknown_key")
        telling = asyncio.create_task(counted.tell())
        await until(lambda: len(notes) == 1)
        for code in ("bad_signature", "malformed", "bad_signature"):
            counted.count(code)
            await asyncio.sleep(0)
        telling.cancel()
        await asyncio.wait([telling])
        assert len(notes) == 1
        telling = asyncio.create_task(counted.tell())
        await until(lambda: len(notes) == 2)
        telling.cancel()

    asyncio.run(scenario())
    assert notes == [
        SecurityNoted("command_rejected", "floor", "commands that came to nothing: 1 (unknown_key 1)"),
        SecurityNoted("command_rejected", "floor", "commands that came to nothing: 3 (bad_signature 2, malformed 1)"),
    ]
