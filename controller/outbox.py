"""From the journal to the broker: every record, in order, at least once. A part of the floor link.

The outbox keeps nothing of its own but a cursor in the journal: the last record that the broker acknowledged, or where
an archive has to confirm, the last one that it confirmed. On every connection it starts behind the cursor, so a lost
connection repeats records and never loses one. The cursor is written now and then, not for each record; a kill repeats
what it had not written yet. What somebody asks for once more goes out before what is new, and moves no cursor.

What the broker refused is put aside. An archive that lacks it asks for it and gets it then, and what comes behind it
does not wait for that."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from controller.confirmations import Confirmations
from controller.floor_link import Part
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
_CONFIRMED_S: Final = 5.0
_PARKED_AT_ONCE: Final = 1000

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


class Outbox(Part):
    """`note` gets what the journal should know: a record that the broker refused. `archive`: what has to confirm."""

    def __init__(
        self,
        journal: Journal,
        topics: Topics,
        note: Callable[[SystemNoted], None],
        archive: Confirmations | None = None,
    ) -> None:
        self._journal = journal
        self._topics = topics
        self._note = note
        self._archive = archive
        self._acked: int | None = None
        self._refused = set[int]()
        self._saved = 0
        self._unsaved = False
        self._careful = False
        self._missed = Missed()
        self._wake = asyncio.Event()
        self._moved = asyncio.Event()
        self._turned = asyncio.Event()

    @property
    def filters(self) -> Sequence[str]:
        return self._archive.filters if self._archive else ()

    def wake(self) -> None:
        """There is something new in the journal."""
        self._wake.set()

    @property
    def published_seq(self) -> int:
        """The last record that the broker has acknowledged, as far as that was looked up."""
        return self._acked or 0

    @property
    def confirmed_seq(self) -> int | None:
        """Up to here the archive has confirmed all, as far as that was looked up; None where none has to."""
        return self._archive.standing.cursor if self._archive else None

    def resend(self, first: int, last: int | None) -> Range | str:
        """Publish these records once more, in order, before anything new; `last` None: up to the last one.

        The records that will go out, which may be fewer, or a sentence that says why none. A stop forgets it."""
        end = self._journal.last_seq if last is None else last
        if first < 1 or end < first:
            return f"there are no records {first} to {end}: the first one is 1, the last one {self._journal.last_seq}"
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
        """Wait until the broker has acknowledged everything that is in the journal, and for a short time until the
        archive has confirmed it."""
        await self.published()
        await self._reached(lambda: self.published_seq)
        if self._archive:
            with suppress(TimeoutError):
                async with asyncio.timeout(_CONFIRMED_S):
                    await self._reached(lambda: self._cursor)

    def came_round(self) -> None:
        """Another attempt to connect is made."""
        self._turned.set()

    def hear(self, message: Message) -> None:
        """What the archive says."""
        if self._archive is not None and self._archive.hear(message):
            self._moved.set()
        self._wake.set()

    async def serve(self, session: Session) -> None:
        """Publish until cancelled, or until the connection is lost."""
        await self.published()
        async with asyncio.TaskGroup() as group:
            for work in self._beside():
                group.create_task(work)
            await self._send(session)

    async def left(self) -> None:
        """What was acknowledged is written down."""
        await self._save_cursor()

    async def published(self) -> int:
        """The last record that the broker has acknowledged."""
        if self._acked is None:
            cursor = self._saved = await self._journal.cursor(CURSOR)
            if self._archive:
                self._archive.standing.begin(cursor)
                self._refused = set(await self._journal.parked_numbers())
            self._acked = cursor
        return self._acked

    @property
    def _cursor(self) -> int:
        """The last record that nobody needs any more from here."""
        return self._archive.standing.cursor if self._archive else self.published_seq

    async def _reached(self, place: Callable[[], int]) -> None:
        while place() < self._journal.last_seq:
            self._moved.clear()
            await self._moved.wait()

    def _beside(self) -> list[Coroutine[Any, Any, None]]:
        """What has to run while there is a connection."""
        return [self._tend(), *([self._archive.tell()] if self._archive else [])]

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
        sent = self._begin()
        deadline: float | None = None
        while True:
            self._wake.clear()
            self._turned.set()
            settled = await self._settle(window, session)
            sent = self._taken_back(sent)
            room = (1 if self._careful else widest) - len(window)
            if room > 0 and not await self._send_missed(window, session, sent, room):
                room = min(room, self._archive.standing.room(sent)) if self._archive else room
                rows = await self._journal.rows(sent, room) if room > 0 else []
                for row in rows:
                    if row.seq not in self._refused:
                        window.append(self._publish(session, row))
                    sent = row.seq
                self._has_sent(sent)
                if self._missed.new_goes_out(all_of_it=len(rows) < room or not rows):
                    self._wake.set()
            deadline = _next_deadline(deadline, progress=settled, waiting=bool(window))
            await self._news(deadline, self._archive.standing.next_look(sent) if self._archive else None)

    def _begin(self) -> int:
        """Behind this record everything is sent."""
        return self._archive.standing.connected(_now()) if self._archive else self.published_seq

    def _has_sent(self, seq: int) -> None:
        if self._archive is not None:
            self._archive.standing.sent(seq)

    def _taken_back(self, sent: int) -> int:
        """How far all is sent, once it is looked up what the archive lacks; to one that is silent nothing is sent
        again but the first records that it lacks."""
        if self._archive is None:
            return sent
        standing, now = self._archive.standing, _now()
        first = standing.taken_back(now)
        if first is not None and first not in self._refused:
            return min(sent, first - 1)
        lacks = standing.probe(sent, now)
        if first is not None:
            lacks = Range(first, min(sent, first + _PARKED_AT_ONCE - 1))
        if lacks is not None:
            self._missed.ask(lacks)
        return sent if standing.follows else max(sent, self.published_seq)

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
            self._acked = max(self.published_seq, sent.row.seq)
            self._moved.set()
        return refusal is None

    async def _unpark(self, numbers: Sequence[int]) -> None:
        """What was refused once was taken now; where the disk takes nothing, it stays noted as refused."""
        self._refused.difference_update(numbers)
        if self._journal.parked:
            with suppress(JournalError):
                await self._journal.unpark(numbers)

    async def _park(self, sent: _Sent, reason: str) -> None:
        """Put a refused row aside with an alarm; a refused alarm makes no further one, nor does a row refused again."""
        await self._journal.park(sent.row.seq, reason)
        if self._archive:
            self._refused.add(sent.row.seq)
        kind = sent.row.kind
        _log.error("the broker refused record %d (%s): %s; it is parked", sent.row.seq, kind, reason)
        if kind != "system" and not sent.again:
            self._note(SystemNoted("record.parked", {"seq": sent.row.seq, "kind": kind, "reason": reason}))

    async def _news(self, deadline: float | None, look_at: float | None) -> None:
        """Until something is to be done, at the latest at `look_at`; Disconnected at the `deadline`."""
        ends = min((each for each in (deadline, look_at) if each is not None), default=None)
        try:
            async with asyncio.timeout_at(ends):
                await self._wake.wait()
        except TimeoutError:
            if deadline is not None and deadline <= _now():
                raise Disconnected(f"no acknowledgement for {_STALL_S:.0f} s") from None

    async def _tend(self) -> None:
        """Write the cursor now and then."""
        while True:
            await asyncio.sleep(_CURSOR_S)
            await self._save_cursor()

    async def _save_cursor(self) -> None:
        cursor = self._cursor
        if self._acked is None or cursor == self._saved:
            return
        try:
            await self._journal.move_cursor(CURSOR, cursor)
            self._saved, self._unsaved = cursor, False
        except JournalError as error:
            if not self._unsaved:
                _log.warning("the cursor cannot be written, a restart will repeat records: %s", error)
            self._unsaved = True


def _next_deadline(deadline: float | None, *, progress: bool, waiting: bool) -> float | None:
    """When the broker's silence becomes a stall; None while nothing waits for it."""
    if not waiting:
        return None
    return _now() + _STALL_S if progress or deadline is None else deadline


def _now() -> float:
    return asyncio.get_running_loop().time()
