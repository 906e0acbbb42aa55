"""The journal's thread: it alone uses the connection. What waits is written in one transaction, with one sync for all.

Where the disk takes nothing, what has to be kept waits in order and is tried again until it does; a file that
contradicts what is written ends it for good: a journal has no holes."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from controller.journal_schema import JournalError
from firmware_bridge.threads import bear, fail, settle, tell

T = TypeVar("T")

_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0
_PRIMARY: Final = 0xFF
_OF_THE_DISK: Final = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_BUSY),
)


def _nothing() -> None:
    """Most jobs have nobody to tell."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do on the file. `kept`: it waits for the disk. `done`: called in the thread once it is on disk."""

    do: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any]
    writes: bool = False
    kept: bool = False
    done: Callable[[], None] = _nothing


@dataclass(slots=True)
class _Waiting:
    """What the disk did not take yet, and when it is tried again."""

    jobs: list[Job] = field(default_factory=list)
    pause_s: float = _FIRST_PAUSE_S
    again: float = 0.0

    def left_s(self) -> float | None:
        """Seconds to the next attempt; None while nothing waits."""
        return max(0.0, self.again - time.monotonic()) if self.jobs else None

    def postpone(self) -> None:
        self.again = time.monotonic() + self.pause_s
        self.pause_s = min(_LONGEST_PAUSE_S, 2 * self.pause_s)


@dataclass(frozen=True, slots=True)
class _Answer:
    future: asyncio.Future[Any]
    result: Any = None
    error: JournalError | None = None


class Worker:
    """`blocked` is called on the loop with what keeps the disk from taking more, None once it takes it again;
    `ended` in the thread, at its end."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        blocked: Callable[[str | None], None],
        ended: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._path = path
        self._blocked = blocked
        self._ended = ended
        self._waiting = _Waiting()
        self._broken: JournalError | None = None
        self._closed = False
        self._lost = 0
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def submit(
        self,
        do: Callable[[sqlite3.Connection], T],
        *,
        writes: bool = False,
        kept: bool = False,
        done: Callable[[], None] = _nothing,
    ) -> asyncio.Future[T]:
        """Have it done; what is `kept` in this order, all of it or none."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        future.add_done_callback(bear)
        if self._closed:
            future.set_exception(JournalError(f"{self._path}: the journal is closed"))
        else:
            self._jobs.put(Job(do, future, writes, kept, done))
        return future

    async def close(self) -> None:
        """Finish what waits, as far as the disk takes it, and free file and thread; harmless when closed already.

        JournalError where it did not take all."""
        if not self._closed:
            finished = self.submit(lambda _: None)
            self._closed = True
            self._jobs.put(None)
            await finished
        self._thread.join()
        if self._lost:
            lost, self._lost = self._lost, 0
            raise JournalError(f"{self._path}: at the stop the disk still took nothing: {lost} entries are lost")

    def _work(self) -> None:
        try:
            open_ = True
            while open_:
                jobs = self._next()
                open_ = None not in jobs
                self._serve([job for job in jobs if job is not None], last=not open_)
            self._give_up()
        finally:
            self._connection.close()
            self._ended()

    def _next(self) -> list[Job | None]:
        """All jobs that wait, at least one unless it is time to try again what the disk did not take."""
        try:
            batch = [self._jobs.get(timeout=self._waiting.left_s())]
        except Empty:
            return []
        while not self._jobs.empty():
            batch.append(self._jobs.get())
        return batch

    def _serve(self, jobs: list[Job], *, last: bool) -> None:
        answers: list[_Answer] = []
        if self._broken:
            answers += [_Answer(job.future, error=self._broken) for job in jobs if job.kept]
            jobs = [job for job in jobs if not job.kept]
        was_waiting = bool(self._waiting.jobs)
        if was_waiting:
            answers += self._serve_blocked(jobs, last=last)
        else:
            answers += self._write([job for job in jobs if job.writes])
        for read in jobs:
            if not read.writes:
                answers += self._transact([read])
        _tell(answers)

    def _serve_blocked(self, jobs: list[Job], *, last: bool) -> list[_Answer]:
        """Keep what has to be kept behind what waits already, and try again where it is time."""
        refused = [job for job in jobs if job.writes and not job.kept]
        answers = [_Answer(job.future, error=JournalError(f"{self._path}: the disk takes nothing")) for job in refused]
        self._waiting.jobs += [job for job in jobs if job.kept]
        if last or not self._waiting.left_s():
            waiting, self._waiting.jobs = self._waiting.jobs, []
            answers += self._write(waiting)
            if not self._waiting.jobs:
                self._waiting = _Waiting()
                self._say(waiting[0], None)
        return answers

    def _write(self, jobs: list[Job]) -> list[_Answer]:
        """In one transaction; where the disk takes nothing, what has to be kept waits."""
        try:
            return self._transact(jobs, raising=_OF_THE_DISK)
        except sqlite3.Error as error:
            kept = [job for job in jobs if job.kept]
            refused = [job for job in jobs if not job.kept]
            if kept:
                if self._waiting.pause_s == _FIRST_PAUSE_S:
                    self._say(kept[0], str(error))
                self._waiting.jobs = kept
                self._waiting.postpone()
            return [_Answer(job.future, error=JournalError(f"{self._path}: {error}")) for job in refused]

    def _transact(self, jobs: list[Job], raising: tuple[int, ...] = ()) -> list[_Answer]:
        """Do all jobs in one transaction, or none of them; sqlite3.Error where it is one of `raising`."""
        if not jobs:
            return []
        try:
            self._connection.execute("BEGIN")
            results = [job.do(self._connection) for job in jobs]
            self._connection.execute("COMMIT")
        except Exception as error:
            with suppress(sqlite3.Error):
                self._connection.rollback()
            if isinstance(error, sqlite3.Error) and _primary(error) in raising:
                raise
            return self._failed(jobs, error)
        for job in jobs:
            job.done()
        return [_Answer(job.future, result) for job, result in zip(jobs, results, strict=True)]

    def _failed(self, jobs: list[Job], error: Exception) -> list[_Answer]:
        failure = JournalError(f"{self._path}: {error}")
        if any(job.kept for job in jobs):
            self._broken = failure
        return [_Answer(job.future, error=failure) for job in jobs]

    def _give_up(self) -> None:
        lost, self._waiting.jobs = self._waiting.jobs, []
        self._lost = len(lost)
        _tell([_Answer(job.future, error=JournalError(f"{self._path}: the disk takes nothing")) for job in lost])

    def _say(self, job: Job, why: str | None) -> None:
        tell(job.future.get_loop(), self._blocked, why)


def _primary(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & _PRIMARY


def _tell(answers: list[_Answer]) -> None:
    if answers:
        tell(answers[0].future.get_loop(), _resolve, answers)


def _resolve(answers: list[_Answer]) -> None:
    for answer in answers:
        if answer.error is None:
            settle(answer.future, answer.result)
        else:
            fail(answer.future, answer.error)
