"""From the journal to the broker: every record, in order, at least once. A part of the floor link.

The outbox keeps nothing of its own but a cursor in the journal: the last record that the broker acknowledged. On every
connection it starts behind the cursor, so a lost connection repeats records and never loses one. The cursor is
written now and then, not for each record; a kill repeats what it had not written yet."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from controller.journal import Journal
from controller.journal_file import JournalError, Row
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
            size = 1 if self._careful else widest
            for row in await self._journal.rows(sent, max(0, size - len(window))):
                window.append(self._publish(session, row))
                sent = row.seq
            deadline = _next_deadline(deadline, progress=settled, waiting=bool(window))
            await self._news(deadline)

    def _publish(self, session: Session, row: Row) -> _Sent:
        ack = session.publish(self._topics.event(json.loads(row.body)["data"]), row.body)
        ack.add_done_callback(lambda _: self._wake.set())
        return _Sent(row, ack)

    async def _settle(self, window: deque[_Sent], session: Session) -> bool:
        """Take what is acknowledged or refused from the head of the window; whether there was any."""
        settled = False
        while window and window[0].answered:
            await self._settle_one(window[0])
            window.popleft()
            settled = session.useful = True
            self._careful = False
        return settled

    async def _settle_one(self, sent: _Sent) -> None:
        if (refusal := sent.ack.exception()) is not None:
            await self._park(sent.row, str(refusal))
        self._acked = sent.row.seq
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
