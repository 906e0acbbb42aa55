"""From the journal to the broker: every record, in order, at least once.

The outbox keeps nothing of its own but a cursor in the journal: the last record that the broker acknowledged. On every
connection it starts behind the cursor, so a lost connection repeats records and never loses one. The cursor is
written now and then, not for each record; a kill repeats what it had not written yet."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ldexp
from typing import Final

from controller.journal import Journal
from controller.journal_file import JournalError, Row
from controller.mqtt import Dialer, Disconnected, Session
from controller.presence import Presence
from protocols.floor.topics import Topics
from protocols.records import SystemNoted

CURSOR: Final = "mqtt"
_WINDOW: Final = 16
_STALL_S: Final = 3.0
_CURSOR_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Sent:
    row: Row
    ack: asyncio.Future[None]

    @property
    def answered(self) -> bool:
        """Whether the broker took or refused it; a lost connection is no answer."""
        return self.ack.done() and not isinstance(self.ack.exception(), Disconnected)


class Outbox:
    """`note` gets what the journal should know: a record that the broker refused."""

    def __init__(
        self, journal: Journal, dialer: Dialer, topics: Topics, presence: Presence, note: Callable[[SystemNoted], None]
    ) -> None:
        self._journal = journal
        self._dialer = dialer
        self._topics = topics
        self._presence = presence
        self._note = note
        self._acked = 0
        self._saved = 0
        self._unsaved = False
        self._failures = 0
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._turned = asyncio.Event()

    def wake(self) -> None:
        """There is something new in the journal."""
        self._wake.set()

    async def answer(self) -> None:
        """Once the outbox has come round, connected or not."""
        self._turned.clear()
        self._wake.set()
        await self._turned.wait()

    async def drained(self) -> None:
        """Wait until the broker has acknowledged everything that is in the journal."""
        while self._acked < self._journal.last_seq:
            self._moved.clear()
            await self._moved.wait()

    async def run(self) -> None:
        """Publish until cancelled; then say `offline` and leave within a second, whatever the broker does."""
        self._acked = self._saved = await self._journal.cursor(CURSOR)
        self._moved.set()
        while True:
            self._turned.set()
            try:
                await self._serve_connection()
            except* Disconnected as lost:
                self._failures += 1
                self._tell_loss(lost.exceptions[0])
            _obey_cancel()
            await asyncio.sleep(_pause(self._failures))

    async def _serve_connection(self) -> None:
        """One connection, from the birth to its loss."""
        async with self._dialer.connect(self._presence.will) as session:
            try:
                await self._presence.announce(session)
                _log.info("%s: connected (after %d failures)", self._dialer.address, self._failures)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._presence.guard(session))
                    group.create_task(self._presence.tell_changes(session))
                    group.create_task(self._tend())
                    await self._send(session)
            finally:
                await self._presence.leave(session)
                await self._save_cursor()

    async def _send(self, session: Session) -> None:
        window: deque[_Sent] = deque()
        try:
            await self._keep_full(window, session)
        finally:
            await self._settle(window)

    async def _keep_full(self, window: deque[_Sent], session: Session) -> None:
        """Send what is in the journal, and what comes, as far as the window lets it.

        After a failure the window is one record until that one is answered: mosquitto drops the line with a refusal,
        and whoever is still writing then fails on the write and never reads it."""
        widest = min(_WINDOW, session.receive_maximum)
        sent = self._acked
        deadline: float | None = None
        while True:
            self._wake.clear()
            self._turned.set()
            settled = await self._settle(window)
            size = 1 if self._failures else widest
            for row in await self._journal.rows(sent, max(0, size - len(window))):
                window.append(self._publish(session, row))
                sent = row.seq
            deadline = _next_deadline(deadline, progress=settled, waiting=bool(window))
            await self._news(deadline)

    def _publish(self, session: Session, row: Row) -> _Sent:
        ack = session.publish(self._topics.event(json.loads(row.body)["data"]), row.body)
        ack.add_done_callback(lambda _: self._wake.set())
        return _Sent(row, ack)

    async def _settle(self, window: deque[_Sent]) -> bool:
        """Take what is acknowledged or refused from the head of the window; whether there was any."""
        before = self._acked
        while window and window[0].answered:
            await self._settle_one(window[0])
            window.popleft()
        return self._acked > before

    async def _settle_one(self, sent: _Sent) -> None:
        if (refusal := sent.ack.exception()) is not None:
            await self._park(sent.row, str(refusal))
        self._acked = sent.row.seq
        self._failures = 0
        self._moved.set()

    async def _park(self, row: Row, reason: str) -> None:
        """Put a refused row aside with an alarm; a refused alarm makes no further one."""
        await self._journal.park(row.seq, reason)
        _log.error("the broker refused record %d (%s): %s; it is parked", row.seq, row.kind, reason)
        if row.kind != "system":
            self._note(SystemNoted("record.parked", {"seq": row.seq, "kind": row.kind, "reason": reason}))

    async def _news(self, deadline: float | None) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await self._wake.wait()
        except TimeoutError:
            raise Disconnected(f"no acknowledgement for {_STALL_S:.0f} s") from None

    async def _tend(self) -> None:
        """Write the cursor now and then; a connection that lasts ends the count of failures."""
        while True:
            await asyncio.sleep(_CURSOR_S)
            self._failures = 0
            await self._save_cursor()

    async def _save_cursor(self) -> None:
        if self._acked == self._saved:
            return
        try:
            await self._journal.move_cursor(CURSOR, self._acked)
            self._saved, self._unsaved = self._acked, False
        except JournalError as error:
            if not self._unsaved:
                _log.warning("the cursor cannot be written, a restart will repeat records: %s", error)
            self._unsaved = True

    def _tell_loss(self, lost: Exception) -> None:
        level = logging.WARNING if self._failures == 1 else logging.DEBUG
        _log.log(level, "%s: %s; trying again", self._dialer.address, lost)


def _next_deadline(deadline: float | None, *, progress: bool, waiting: bool) -> float | None:
    """When the broker's silence becomes a stall; None while nothing waits for it."""
    if not waiting:
        return None
    return asyncio.get_running_loop().time() + _STALL_S if progress or deadline is None else deadline


def _pause(failures: int) -> float:
    """Seconds to the next attempt: doubling, capped, jittered, so that a floor does not come back all at once."""
    return random.uniform(0.5, 1.0) * min(_LONGEST_PAUSE_S, ldexp(_FIRST_PAUSE_S, failures))  # noqa: S311


def _obey_cancel() -> None:
    """A task group of Python 3.11 that fails while it is being cancelled tells only the failure.

    (The count is right only where the group's parent awaits in the group's body, as `_serve_connection` does.)"""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
