"""The archive at work on one connection after the other: what tables publish is stored, and then confirmed.

It says nothing of itself on the broker: a table that waits for its confirmation tells everybody, whatever the cause."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Final

from controller.archive.asking import Asking
from controller.archive.database import ArchiveError
from controller.archive.heard import Waiting, table_of, told_in
from controller.archive.store import Received, Store, Taken
from controller.archive.taking import Of
from controller.floor_link import Greeter
from controller.mqtt import Message, Session, Will
from controller.rejected import Rejected
from firmware_bridge.threads import in_own_thread
from protocols.floor.contract.archive import ArchiveHello, Stored, Wanted
from protocols.floor.topics import ROOT, Topics
from protocols.records import SecurityNoted

_WHAT: Final = "messages for the archive"
_EVERY_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 5.0
_log: Final = logging.getLogger(__name__)


class Taker(Greeter):
    """Of the tables of one site. `known`: how far each epoch of each table is stored already."""

    will: Will | None = None

    def __init__(self, store: Store, site: str, known: dict[Of, int]) -> None:
        self._store = store
        self._site = site
        self._greets = {Topics(site, source.rpartition("/")[2]).archive_hello for source, _ in known}
        self._waiting = Waiting()
        self._asking = Asking()
        self._asking.knows(known)
        self._rejected = Rejected(_tell, _WHAT)
        self._session: Session | None = None
        self._wake = asyncio.Event()
        self._turned = asyncio.Event()
        self._pause_s = 0.0
        self.trouble: str | None = None
        self.stored = self.repeats = 0

    @property
    def filters(self) -> Sequence[str]:
        return (f"{ROOT}/{self._site}/+/evt/#", f"{ROOT}/{self._site}/+/health")

    @property
    def waiting(self) -> int:
        """How many messages wait to be stored."""
        return len(self._waiting)

    def hear(self, message: Message) -> None:
        """Keep a record until it is stored; what does not fit is asked for again."""
        found = table_of(message, self._site)
        if found is None:
            self._rejected.count("other_topic")
            return
        table, what = found
        if what == "evt" and message.retained:
            self._rejected.count("retained")
        elif what == "evt":
            self._waiting.add(Received(self._site, table, message.payload))
            self._wake.set()
        elif not message.retained:
            self._look_at_health(table, message.payload)

    async def greet(self, session: Session) -> None:
        """Nothing stands for the archive on the broker."""

    async def leave(self, session: Session) -> None:
        """Nothing stands there that would have to be taken back."""

    async def left(self) -> None:
        """What was not confirmed comes again."""
        self._session = None

    async def serve(self, session: Session) -> None:
        """Greet the tables that are known, once; the rest goes on by itself."""
        self._session = session
        while self._greets:
            topic = self._greets.pop()
            session.publish(topic, ArchiveHello().message())
        await asyncio.Event().wait()

    async def answer(self) -> None:
        """Once what was under way at the database is over, well or not."""
        self._turned.clear()
        self._wake.set()
        await self._turned.wait()

    async def store(self) -> None:
        """Until cancelled: what waits goes into the database, in a thread of its own."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._rejected.tell())
            while True:
                self._wake.clear()
                batch = self._waiting.batch()
                if batch:
                    await self._store_batch(batch)
                self._turned.set()
                self._ask()
                if not self._waiting or self.trouble:
                    await self._news()

    async def _store_batch(self, batch: list[Received]) -> None:
        take = partial(self._store.take, batch, dict(self._asking.oldest))
        try:
            taken = await in_own_thread(take, "archive")
        except ArchiveError as error:
            self._failed(error)
            return
        if self.trouble:
            _log.warning("the archive is written again")
        self.trouble, self._pause_s = None, 0.0
        self._waiting.took(batch)
        self._tell_of(taken)
        for code, count in taken.refused.items():
            self._rejected.count(code, count)
        if self._waiting.lost:
            self._rejected.count("no_room", self._waiting.lost)
            self._waiting.lost = 0

    def _tell_of(self, taken: Taken) -> None:
        self.stored += taken.stored
        self.repeats += taken.repeats
        self._asking.took(taken.marks, taken.gaps)
        for (source, epoch), seq in taken.marks.items():
            self._say(source, Stored(epoch=epoch, seq=seq))

    def _failed(self, error: ArchiveError) -> None:
        """Nothing of it is stored: it waits, and is tried again."""
        if not self.trouble:
            _log.error("%s; trying again", error)
        self.trouble = str(error)
        self._pause_s = min(_LONGEST_PAUSE_S, 2 * self._pause_s or _EVERY_S)

    def _ask(self) -> None:
        for (source, epoch), first in self._asking.due(monotonic()) if self._session else ():
            self._say(source, Wanted(epoch=epoch, nak=first))

    def _say(self, source: str, said: Stored | Wanted) -> None:
        """Nobody waits for it: a table that misses it sends again what it is about."""
        if self._session is not None:
            self._session.publish(Topics(self._site, source.rpartition("/")[2]).archive_ack, said.message())

    def _look_at_health(self, table: str, payload: bytes) -> None:
        told = told_in(payload, f"/{self._site}/{table}")
        if told is None:
            self._rejected.count("no_health")
            return
        self._asking.told(told, monotonic())
        self._wake.set()

    async def _news(self) -> None:
        """Until something comes, or is to be asked for, or the database may take it again."""
        if self.trouble:
            await asyncio.sleep(self._pause_s)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_EVERY_S if self._asking.waits else None):
                await self._wake.wait()


def _tell(note: SecurityNoted) -> None:
    _log.warning("%s", note.detail)
