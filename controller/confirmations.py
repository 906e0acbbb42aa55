"""What the floor's archive says to this table: read, held against the table's own records, and given to the outbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, NoReturn

from controller.confirming import Confirming
from controller.journal import Journal
from controller.mqtt import Message
from controller.rejected import Rejected
from protocols.floor.contract.archive import ARCHIVE_ACK, ArchiveHello, Stored, Wanted
from protocols.floor.topics import Topics
from protocols.records import SecurityNoted

CODE: Final = "confirmation_rejected"
_WHAT: Final = "confirmations of an archive"
_MOST_BYTES: Final = 1024
_ALARM_S: Final = 300.0
_LOOK_S: Final = 1.0


class Confirmations:
    """`standing`: what is confirmed; `note` gets the record of what came and was refused, `announce` what is wrong.

    `alarm_s`: so long records may wait for their confirmation before that is an alarm."""

    def __init__(
        self,
        journal: Journal,
        topics: Topics,
        note: Callable[[SecurityNoted], None],
        announce: Callable[[Sequence[str]], None],
        alarm_s: float = _ALARM_S,
    ) -> None:
        self.standing = Confirming()
        self.filters: Sequence[str] = (topics.archive_ack, topics.archive_hello)
        self._journal = journal
        self._hello = topics.archive_hello
        self._rejected = Rejected(note, _WHAT, CODE)
        self._announce = announce
        self._alarm_s = alarm_s

    def hear(self, message: Message) -> bool:
        """Whether the cursor moved by it."""
        if message.retained or len(message.payload) > _MOST_BYTES:
            self._rejected.count("retained" if message.retained else "too_large")
            return False
        try:
            if message.topic == self._hello:
                ArchiveHello.read(message.payload)
                self.standing.hello()
                return False
            return self._take(ARCHIVE_ACK.validate_json(message.payload))
        except ValueError:
            self._rejected.count("malformed")
            return False

    async def tell(self) -> NoReturn:
        """Until cancelled: what was refused, summed up."""
        while True:
            await self._rejected.tell()

    async def watch(self) -> NoReturn:
        """Until cancelled: an alarm while nothing was confirmed for long of what waits for it."""
        cursor, since, alarmed = 0, monotonic(), False
        while True:
            standing = self.standing
            waits = self._journal.last_seq > standing.cursor
            if standing.cursor != cursor or not waits:
                cursor, since = standing.cursor, monotonic()
            silent = waits and monotonic() - since >= self._alarm_s
            if silent is not alarmed:
                alarmed = silent
                self._announce([self._trouble()] if silent else [])
            await asyncio.sleep(min(_LOOK_S, self._alarm_s / 2))

    def _take(self, said: Stored | Wanted) -> bool:
        """Of another epoch it is none of ours: the archive has several of a table that got a new journal."""
        if said.epoch != self._journal.epoch:
            return False
        match said:
            case Stored(seq=seq) if seq <= self._journal.last_seq:
                return self.standing.ack(seq, monotonic())
            case Wanted(nak=first) if first <= self._journal.last_seq + 1:
                self.standing.nak(first)
            case _:
                self._rejected.count("beyond")
        return False

    def _trouble(self) -> str:
        return (
            f"the archive has confirmed nothing behind record {self.standing.cursor} for {self._alarm_s:.0f} s: "
            "it is away, or refuses what comes; the records stay in the journal"
        )
