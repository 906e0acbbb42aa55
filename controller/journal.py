"""The table's journal: every record is on disk before anybody is told of it.

One thread does all the work on the file. Whatever waits for it is written in one transaction, with one sync for
all (group commit), and is answered after the commit: nobody can read what might still be lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from controller import journal_file
from controller.journal_file import JournalError, Row
from firmware_bridge.threads import bear
from protocols.floor.messages import Source
from protocols.records import NO_HASH

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to do on the file; `rows` is what an append brings."""

    do: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any]
    writes: bool
    rows: Sequence[Row] = ()


@dataclass(frozen=True, slots=True)
class _Answer:
    future: asyncio.Future[Any]
    result: Any = None
    error: JournalError | None = None


class Journal:
    """An open journal; made by `Journal.open`, ended by `close`."""

    def __init__(self, connection: sqlite3.Connection, source: Source, lock: int, path: Path) -> None:
        self.source = source
        self._connection = connection
        self._lock = lock
        self._path = path
        self._last = journal_file.last_row(connection)
        self._last_round = journal_file.last_round(connection)
        self._broken: JournalError | None = None
        self._closed = False
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: Path, site: str, table: str) -> Journal:
        """Create the journal of this table, or open it and check that it is sound; JournalError else."""
        lock = journal_file.lock(path)
        try:
            connection = journal_file.open_file(path, site, table)
        except JournalError:
            os.close(lock)
            raise
        return cls(connection, journal_file.stored_source(connection, path), lock, path)

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

    def append(self, rows: Sequence[Row], snapshot: str | None = None) -> asyncio.Future[None]:
        """Write rows in this order, all or none; done once they are on disk, JournalError where that failed.

        `snapshot`: where the table stands after one of them, kept in place of the one before.

        After a failure every later append fails too: the journal has no holes."""
        return self._submit(partial(journal_file.insert, rows=rows, snapshot=snapshot), writes=True, rows=rows)

    async def rows(self, after: int, limit: int) -> list[Row]:
        """At most `limit` rows with `seq` > `after`, in order, all of them on disk."""
        return await self._submit(partial(journal_file.select_rows, after=after, limit=limit))

    async def cursor(self, name: str) -> int:
        """Where a reader stands: the last `seq` it is done with, 0 at first."""
        return await self._submit(partial(journal_file.select_cursor, name=name))

    async def move_cursor(self, name: str, seq: int) -> None:
        """Move a reader's cursor forward, never backward."""
        await self._submit(partial(journal_file.advance_cursor, name=name, seq=seq), writes=True)

    async def park(self, seq: int, reason: str) -> None:
        """Note that a row was refused for good by the other side, and why."""
        await self._submit(partial(journal_file.insert_parked, seq=seq, reason=reason), writes=True)

    async def answer(self) -> None:
        """Once the journal's thread has come round to it."""
        await self._submit(lambda _: None)

    async def close(self) -> None:
        """Finish what waits and free file and thread; harmless when closed already."""
        if not self._closed:
            finished = self._submit(lambda _: None)
            self._closed = True
            self._jobs.put(None)
            await finished
        self._thread.join()

    def _submit(
        self, do: Callable[[sqlite3.Connection], T], *, writes: bool = False, rows: Sequence[Row] = ()
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        future.add_done_callback(bear)
        if self._closed:
            future.set_exception(JournalError(f"{self._path}: the journal is closed"))
        else:
            self._jobs.put(_Job(do, future, writes, rows))
        return future

    def _work(self) -> None:
        try:
            for jobs in self._batches():
                if jobs:
                    _tell(self._serve(jobs))
        finally:
            self._connection.close()
            os.close(self._lock)

    def _batches(self) -> Iterator[list[_Job]]:
        """Again and again all jobs that wait, until `close`."""
        open_ = True
        while open_:
            batch = [self._jobs.get()]
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            open_ = None not in batch
            yield [job for job in batch if job is not None]

    def _serve(self, jobs: list[_Job]) -> list[_Answer]:
        refused = [job for job in jobs if job.rows and self._broken]
        writes = [job for job in jobs if job.writes and not (job.rows and self._broken)]
        reads = [job for job in jobs if not job.writes]
        answers = [_Answer(job.future, error=self._broken) for job in refused]
        answers += self._transact(writes)
        for read in reads:
            answers += self._transact([read])
        return answers

    def _transact(self, jobs: list[_Job]) -> list[_Answer]:
        """Do all jobs in one transaction, or none of them."""
        try:
            self._connection.execute("BEGIN")
            results = [job.do(self._connection) for job in jobs]
            self._connection.execute("COMMIT")
        except Exception as error:
            return self._failed(jobs, error)
        for job in jobs:
            self._stored(job.rows)
        return [_Answer(job.future, result) for job, result in zip(jobs, results, strict=True)]

    def _failed(self, jobs: list[_Job], error: Exception) -> list[_Answer]:
        with suppress(sqlite3.Error):
            self._connection.rollback()
        failure = JournalError(f"{self._path}: {error}")
        if any(job.rows for job in jobs):
            self._broken = failure
        return [_Answer(job.future, error=failure) for job in jobs]

    def _stored(self, rows: Sequence[Row]) -> None:
        if rows:
            self._last = rows[-1]
            self._last_round = max([self._last_round, *(row.round or 0 for row in rows)])


def _tell(answers: list[_Answer]) -> None:
    loop = answers[0].future.get_loop()
    with suppress(RuntimeError):  # the loop has ended: nobody waits any more
        loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: list[_Answer]) -> None:
    for answer in answers:
        if answer.future.done():
            continue
        if answer.error is None:
            answer.future.set_result(answer.result)
        else:
            answer.future.set_exception(answer.error)
