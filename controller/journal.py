"""The table's journal: every record is on disk before anybody else is told of it.

Where the disk takes nothing, the records wait in memory, in their order, and are written once it does again: nobody
else hears of them before, but the table goes on."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from controller import journal_file
from controller.clock import Clock
from controller.journal_file import Row
from controller.journal_schema import JournalError, stored_source
from controller.journal_work import Worker
from protocols.floor.checkpoints import Checkpoint
from protocols.floor.messages import Source
from protocols.records import NO_HASH

HELD_ROWS: Final = 20_000
"""As many records wait for the disk, some hours of dealing; then the table waits too."""

_RECENT_ROWS: Final = 64
"""So many of the last rows are kept in memory too: who reads as they come need not wait for the journal's thread."""

PRUNED_AT_ONCE: Final = 500
"""Rows in one transaction, so that no record has to wait long."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What keeps the disk from taking records, and since when (RFC 3339); once it is over, `until` when, and how many
    records `waited` at last."""

    why: str
    since: str
    until: str | None = None
    waited: int = 0


def _told_nobody(trouble: Trouble) -> None:
    """A journal that nobody watches."""


class Journal:
    """An open journal; made by `Journal.open`, ended by `close`. `trouble`: None while the disk takes what is written;
    `on_trouble`: who is told, on the loop, when it begins and when it is over; `parked`: how many rows were refused."""

    def __init__(self, connection: sqlite3.Connection, source: Source, lock: int, path: Path) -> None:
        self.source = source
        self.path = path
        self.trouble: Trouble | None = None
        self.on_trouble: Callable[[Trouble], None] = _told_nobody
        self.parked = journal_file.count_parked(connection)
        self._clock = Clock()
        self._last = journal_file.last_row(connection)
        self._last_round = journal_file.last_round(connection)
        self._recent: tuple[Row, ...] = ()
        self._missing_through = journal_file.find_missing(connection)
        self._unwritten = 0
        self._last_append: asyncio.Future[None] | None = None
        self._worker = Worker(connection, path, self._blocked, partial(os.close, lock))

    @classmethod
    def open(cls, path: Path, site: str, table: str) -> Journal:
        """Create the journal of this table, or open it and check that it is sound; JournalError else."""
        lock = journal_file.lock(path)
        try:
            connection = journal_file.open_file(path, site, table)
        except JournalError:
            os.close(lock)
            raise
        return cls(connection, stored_source(connection, path), lock, path)

    @property
    def epoch(self) -> str:
        return self.source.epoch

    @property
    def last_seq(self) -> int:
        """The last record on disk, 0 where there is none."""
        return self._last.seq if self._last else 0

    @property
    def last_hash(self) -> str:
        """What the next message names as `prev`."""
        return self._last.hash.hex() if self._last else NO_HASH

    @property
    def last_round(self) -> int:
        """The highest round on disk, 0 where there is none."""
        return self._last_round

    @property
    def missing_through(self) -> int:
        """The last record number at or before which something is missing, as after a pruning; 0 where nothing is."""
        return self._missing_through

    def append(
        self, rows: Sequence[Row], snapshot: str | None = None, checkpoints: Sequence[Checkpoint] = ()
    ) -> asyncio.Future[None]:
        """Write rows in this order, all or none; done once they are on disk, JournalError where that failed.

        `snapshot`: where the table stands after one of them, kept in place of the one before.

        A full disk is waited for. After any other failure every later append fails too: the journal has no holes."""
        insert = partial(journal_file.insert, rows=rows, snapshot=snapshot, checkpoints=checkpoints)
        future = self._worker.submit(insert, writes=True, kept=True, done=partial(self._stored, rows))
        self._unwritten += len(rows)
        self._last_append = future
        future.add_done_callback(partial(self._written, len(rows)))
        return future

    async def room(self) -> None:
        """Wait while there is no room in memory for what the disk does not take."""
        while self._unwritten >= HELD_ROWS and self._last_append:
            await asyncio.wait([self._last_append])

    async def rows(self, after: int, limit: int) -> list[Row]:
        """At most `limit` rows with `seq` > `after`, in order, all of them on disk."""
        recent = self._recent
        if recent and recent[0].seq <= after + 1:
            begins = after + 1 - recent[0].seq
            return list(recent[begins : begins + limit])
        return await self._worker.submit(partial(journal_file.select_rows, after=after, limit=limit))

    async def cursor(self, name: str) -> int:
        """Where a reader stands: the last `seq` it is done with, 0 at first."""
        return await self._worker.submit(partial(journal_file.select_cursor, name=name))

    async def move_cursor(self, name: str, seq: int) -> None:
        """Move a reader's cursor forward, never backward; JournalError where the disk does not take it."""
        await self._worker.submit(partial(journal_file.advance_cursor, name=name, seq=seq), writes=True)

    async def park(self, seq: int, reason: str) -> None:
        """Note that a row was refused for good by the other side, and why."""
        await self._worker.submit(partial(journal_file.insert_parked, seq=seq, reason=reason), writes=True, kept=True)
        self.parked = await self._worker.submit(journal_file.count_parked)

    async def parked_numbers(self) -> frozenset[int]:
        """The rows that were refused."""
        return await self._worker.submit(journal_file.select_parked)

    async def remember(self, name: str, value: str) -> None:
        """Keep this under a name over restarts; JournalError where the disk does not take it."""
        await self._worker.submit(partial(journal_file.set_remembered, name=name, value=value), writes=True)

    async def unpark(self, numbers: Sequence[int]) -> None:
        """These rows were taken after all; JournalError where the disk does not take it."""
        await self._worker.submit(partial(journal_file.delete_parked, numbers=numbers), writes=True)
        self.parked = await self._worker.submit(journal_file.count_parked)

    async def prune(self, through: int, kept: Sequence[int]) -> int:
        """Remove the rows up to `through` but those `kept`, which a record has told of; how many they were."""
        total, removed = 0, PRUNED_AT_ONCE
        self._missing_through = max(self._missing_through, through)
        while removed == PRUNED_AT_ONCE:
            delete = partial(journal_file.delete_rows, through=through, kept=kept, limit=PRUNED_AT_ONCE)
            removed = await self._worker.submit(delete, writes=True)
            total += removed
        return total

    async def answer(self) -> None:
        """Once the journal's thread has come round to it."""
        await self._worker.submit(lambda _: None)

    async def close(self) -> None:
        """Finish what waits and free file and thread; harmless when closed already. JournalError where the disk did
        not take all that was left."""
        await self._worker.close()

    def _stored(self, rows: Sequence[Row]) -> None:
        if rows:
            self._recent = (*self._recent, *rows)[-_RECENT_ROWS:]
            self._last = rows[-1]
            self._last_round = max([self._last_round, *(row.round or 0 for row in rows)])

    def _written(self, count: int, _: asyncio.Future[None]) -> None:
        self._unwritten -= count

    def _blocked(self, why: str | None) -> None:
        now, before = self._clock.wall(), self.trouble
        if why is not None:
            self.trouble = Trouble(why, now)
            self.on_trouble(self.trouble)
        elif before is not None:
            self.trouble = None
            self.on_trouble(replace(before, until=now, waited=self._unwritten))
