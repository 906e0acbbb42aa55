"""From the journal to the broker: every record, in order, at least once. A part of the floor link.

The outbox keeps nothing of its own but a cursor in the journal: the last record that the broker acknowledged. On every
connection it starts behind the cursor, so a lost connection repeats records and never loses one. The cursor is
written now and then, not for each record; a kill repeats what it had not written yet. What somebody asks for once more
goes out before what is new, and moves no cursor."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controller.journal import Journal
from controller.journal_file import JournalError, Row
from controller.missed import MOST, Missed, Range
from controller.mqtt import Disconnected, Message, Session
from protocols.floor.topics import Topics
from protocols.records import SystemNoted

CURSOR: Final = "mqtt"
_WINDOW: Final = 16
_STALL_S: Final = 3.0
_CURSOR_S: Final = 1.0

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Sent:
    row: Row
    ack: asyncio.Future[None]
    again: bool

    @property
    def answered(self) -> bool:
        """Whether the broker took or refused it; a lost connection is no answer."""
        return self.ack.done() and not isinstance(self.ack.exception(), Disconnected)


class Outbox:
    """`note` gets what the journal should know: a record that the broker refused."""

    filters: Sequence[str] = ()

    def __init__(self, journal: Journal, topics: Topics, note: Callable[[SystemNoted], None]) -> None:
        self._journal = journal
        self._topics = topics
        self._note = note
        self._acked: int | None = None
        self._saved = 0
        self._unsaved = False
        self._careful = False
        self._missed = Missed()
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._turned = asyncio.Event()

    def wake(self) -> None:
        """There is something new in the journal."""
        self._wake.set()

    @property
    def published_seq(self) -> int:
        """The last record that the broker has acknowledged, as far as that was looked up."""
        return self._acked or 0

    def resend(self, first: int, last: int | None) -> Range | str:
        """Publish these records once more, in order, before anything new; `last` None: up to the last one.

        The records that will go out, which may be fewer, or a sentence that says why none. A stop forgets it."""
        end = self._journal.last_seq if last is None else last
        if first < 1 or end < first:
            return f"records {first} to {end} are none: the first one is 1, and the last one is not before the first"
        if first <= self._journal.missing_through:
            return f"records up to {self._journal.missing_through} are not all kept any more; ask from the next one on"
        if end > self._journal.last_seq:
            return f"there is no record {end} yet: the last one is {self._journal.last_seq}"
        granted = self._missed.ask(Range(first, end))
        if granted is None:
            return f"{MOST} records, or too many ranges of them, wait already to go out again; ask later"
        self._wake.set()
        return granted

    async def answer(self) -> None:
        """Once the outbox has come round, connected or not."""
        self._turned.clear()
        self._wake.set()
        await self._turned.wait()

    async def drained(self) -> None:
        """Wait until the broker has acknowledged everything that is in the journal."""
        while await self.published() < self._journal.last_seq:
            self._moved.clear()
            await self._moved.wait()

    def came_round(self) -> None:
        """Another attempt to connect is made."""
        self._turned.set()

    def hear(self, message: Message) -> None:
        """Nothing is asked for."""

    async def serve(self, session: Session) -> None:
        """Publish until cancelled, or until the connection is lost."""
        await self.published()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tend())
            await self._send(session)

    async def left(self) -> None:
        """What was acknowledged is written down."""
        await self._save_cursor()

    async def published(self) -> int:
        """The last record that the broker has acknowledged."""
        if self._acked is None:
            self._acked = self._saved = await self._journal.cursor(CURSOR)
        return self._acked

    async def _send(self, session: Session) -> None:
        window: deque[_Sent] = deque()
        try:
            await self._keep_full(window, session)
        finally:
            self._careful = True
            await self._settle(window, session)
            self._missed.unanswered(sent.row.seq for sent in window if sent.again)

    async def _keep_full(self, window: deque[_Sent], session: Session) -> None:
        """Send what is in the journal, and what comes, as far as the window lets it.

        After a failure the window is one record until that one is answered: mosquitto drops the line with a refusal,
        and whoever is still writing then fails on the write and never reads it."""
        widest = min(_WINDOW, session.receive_maximum)
        sent = await self.published()
        deadline: float | None = None
        while True:
            self._wake.clear()
            self._turned.set()
            settled = await self._settle(window, session)
            room = (1 if self._careful else widest) - len(window)
            if room > 0 and not await self._send_missed(window, session, sent, room):
                rows = await self._journal.rows(sent, room)
                for row in rows:
                    window.append(self._publish(session, row))
                    sent = row.seq
                if self._missed.new_goes_out(all_of_it=len(rows) < room):
                    self._wake.set()
            deadline = _next_deadline(deadline, progress=settled, waiting=bool(window))
            await self._news(deadline)

    async def _send_missed(self, window: deque[_Sent], session: Session, through: int, room: int) -> bool:
        """Send again what was asked for, of the records up to `through`; False where there is nothing more of it."""
        asked = self._missed.next(through)
        if asked is None:
            return False
        found = await self._journal.rows(asked.first - 1, min(room, asked.size))
        rows = [row for row in found if row.seq <= asked.last]
        window += [self._publish(session, row, again=True) for row in rows]
        self._missed.sent(rows[-1].seq if rows else asked.last)
        self._wake.set()
        return True

    def _publish(self, session: Session, row: Row, *, again: bool = False) -> _Sent:
        ack = session.publish(self._topics.event(json.loads(row.body)["data"]), row.body)
        ack.add_done_callback(lambda _: self._wake.set())
        return _Sent(row, ack, again)

    async def _settle(self, window: deque[_Sent], session: Session) -> bool:
        """Take what is acknowledged or refused from the head of the window; whether there was any."""
        taken_again = list[int]()
        settled = False
        while window and window[0].answered:
            if await self._settle_one(window[0]) and window[0].again:
                taken_again.append(window[0].row.seq)
            window.popleft()
            settled = session.useful = True
            self._careful = False
        if taken_again:
            await self._unpark(taken_again)
        return settled

    async def _settle_one(self, sent: _Sent) -> bool:
        """Whether the broker took it."""
        refusal = sent.ack.exception()
        if refusal is not None:
            await self._park(sent, str(refusal))
        if not sent.again:
            self._acked = sent.row.seq
            self._moved.set()
        return refusal is None

    async def _unpark(self, numbers: Sequence[int]) -> None:
        """What was refused once was taken now; where the disk takes nothing, it stays noted as refused."""
        with suppress(JournalError):
            await self._journal.unpark(numbers)

    async def _park(self, sent: _Sent, reason: str) -> None:
        """Put a refused row aside with an alarm; a refused alarm makes no further one, nor does a row refused again."""
        await self._journal.park(sent.row.seq, reason)
        kind = sent.row.kind
        _log.error("the broker refused record %d (%s): %s; it is parked", sent.row.seq, kind, reason)
        if kind != "system" and not sent.again:
            self._note(SystemNoted("record.parked", {"seq": sent.row.seq, "kind": kind, "reason": reason}))

    async def _news(self, deadline: float | None) -> None:
        try:
            async with asyncio.timeout_at(deadline):
                await self._wake.wait()
        except TimeoutError:
            raise Disconnected(f"no acknowledgement for {_STALL_S:.0f} s") from None

    async def _tend(self) -> None:
        """Write the cursor now and then."""
        while True:
            await asyncio.sleep(_CURSOR_S)
            await self._save_cursor()

    async def _save_cursor(self) -> None:
        if self._acked is None or self._acked == self._saved:
            return
        try:
            await self._journal.move_cursor(CURSOR, self._acked)
            self._saved, self._unsaved = self._acked, False
        except JournalError as error:
            if not self._unsaved:
                _log.warning("the cursor cannot be written, a restart will repeat records: %s", error)
            self._unsaved = True


def _next_deadline(deadline: float | None, *, progress: bool, waiting: bool) -> float | None:
    """When the broker's silence becomes a stall; None while nothing waits for it."""
    if not waiting:
        return None
    return asyncio.get_running_loop().time() + _STALL_S if progress or deadline is None else deadline
