"""The fan-out of committed records: to displays, health, whoever asked. Nobody can delay anybody else.

A subscriber that is too slow misses records and is counted; who must not miss any reads the journal."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from controller.journal_file import Row

_log: Final = logging.getLogger(__name__)


class Bus:
    """`missed` and `failed` count, by subscriber, records that found its queue full and records that it raised on."""

    def __init__(self) -> None:
        self.missed: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self._queues: dict[str, asyncio.Queue[Row]] = {}

    def publish(self, rows: Sequence[Row]) -> None:
        """Hand records on; never waits, never raises."""
        for name, queue in self._queues.items():
            for row in rows:
                self._put(name, queue, row)

    async def deliver(self, name: str, handle: Callable[[Row], Awaitable[None]], backlog: int = 64) -> None:
        """Call `handle` with each record from now on, one at a time, until cancelled."""
        if name in self._queues:
            raise ValueError(f"there is a subscriber {name!r} already")
        queue = self._queues[name] = asyncio.Queue[Row](backlog)
        try:
            while True:
                await self._handle(name, handle, await queue.get())
        finally:
            del self._queues[name]

    def _put(self, name: str, queue: asyncio.Queue[Row], row: Row) -> None:
        try:
            queue.put_nowait(row)
        except asyncio.QueueFull:
            self.missed[name] += 1
            if self.missed[name] == 1:
                _log.warning("subscriber %s is too slow: it misses record %d", name, row.seq)

    async def _handle(self, name: str, handle: Callable[[Row], Awaitable[None]], row: Row) -> None:
        try:
            await handle(row)
        except Exception:
            self.failed[name] += 1
            _log.exception("subscriber %s failed on record %d", name, row.seq)
