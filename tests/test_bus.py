"""The bus: a slow or failing subscriber is named and counted, and hurts nobody."""

from __future__ import annotations

import asyncio
import logging

import pytest
from mqtt_table import rows, until

from controller.bus import Bus
from controller.journal_file import Row
from protocols.floor.messages import Source
from protocols.records import NO_HASH

ROWS = rows(Source("riverside", "bac-01", "00"), 1, 100, NO_HASH)


def test_every_subscriber_gets_every_record_in_order() -> None:
    async def scenario() -> None:
        bus, got = Bus(), {"display": list[int](), "health": list[int]()}

        async def display(row: Row) -> None:
            got["display"].append(row.seq)

        async def health(row: Row) -> None:
            await asyncio.sleep(0)
            got["health"].append(row.seq)

        tasks = [
            asyncio.create_task(bus.deliver("display", display, 100)),
            asyncio.create_task(bus.deliver("health", health, 100)),
        ]
        await asyncio.sleep(0)
        bus.publish(ROWS[:60])
        bus.publish(ROWS[60:])
        await until(lambda: all(len(seen) == 100 for seen in got.values()))
        assert got["display"] == got["health"] == [row.seq for row in ROWS]
        assert not bus.missed
        assert not bus.failed
        for task in tasks:
            task.cancel()

    asyncio.run(scenario())


def test_one_that_raises_or_never_ends_is_named_and_hurts_nobody(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        bus, got = Bus(), list[int]()

        async def broken(row: Row) -> None:
            raise LookupError(row.seq)

        async def stuck(row: Row) -> None:
            await asyncio.Event().wait()

        async def good(row: Row) -> None:
            got.append(row.seq)

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(bus.deliver(name, handle, 8))
                for name, handle in (("broken", broken), ("stuck", stuck), ("good", good))
            ]
            await asyncio.sleep(0)
            for row in ROWS:
                bus.publish([row])
                await asyncio.sleep(0)
            await until(lambda: len(got) == 100 and bus.failed["broken"] == 100)
            assert bus.missed == {"stuck": 100 - 8 - 1}
            for task in tasks:
                task.cancel()
        bus.publish(ROWS)
        assert bus.missed == {"stuck": 100 - 8 - 1}

    with caplog.at_level(logging.WARNING):
        asyncio.run(scenario())
    assert "subscriber stuck is too slow: it misses record 10" in caplog.text
    assert "subscriber broken failed on record 1" in caplog.text


def test_a_name_is_taken_once() -> None:
    async def scenario() -> None:
        bus = Bus()

        async def ignore(row: Row) -> None: ...

        task = asyncio.create_task(bus.deliver("display", ignore))
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="'display' already"):
            await bus.deliver("display", ignore)
        task.cancel()

    asyncio.run(scenario())
