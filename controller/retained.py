"""What stands on the broker for whoever comes late: said once after every connect, then whenever it changes. A part of
the floor link.

Of each topic one message is under way at a time; what is newer waits and replaces what waited before."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controller.announced import Announced
from controller.floor_link import Part
from controller.mqtt import ANSWER_S, Disconnected, Rejected, Session

NOTHING: Final = b""
"""The payload with which a broker forgets what stood there."""
NOWHERE: Final[Mapping[str, bytes]] = {}
_LOSSES: Final = 3
_PAUSE_S: Final = 10.0

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class _Slot:
    """One topic; `losses`: how often in a row the connection was lost with a message of it under way."""

    topic: str
    payload: bytes | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    refused: bool = False
    losses: int = 0
    settled: bool = True


class Retained(Part):
    """`topics`: all that it may keep; nothing is said of one that has no payload yet. `announced`: beyond them, what
    stands elsewhere; what it knows of and is not kept is taken away."""

    def __init__(self, topics: Iterable[str], announced: Announced, elsewhere: Mapping[str, bytes] = NOWHERE) -> None:
        self._slots = {topic: _Slot(topic) for topic in topics}
        self._elsewhere = dict.fromkeys(announced.topics, NOTHING) | dict(elsewhere)
        self._announced = announced
        for topic, payload in self._elsewhere.items():
            self._slots[topic] = _Slot(topic, payload, settled=False)
        self._settled = asyncio.Event()

    def keep(self, topic: str, payload: bytes) -> None:
        """Have this stand there from now on."""
        slot = self._slots[topic]
        if payload != slot.payload:
            slot.payload, slot.settled = payload, False
            slot.changed.set()

    async def settled(self) -> None:
        """Wait until the broker has answered for all that is kept."""
        while not all(slot.settled for slot in self._slots.values()):
            self._settled.clear()
            await self._settled.wait()

    async def serve(self, session: Session) -> None:
        """Say all of it, then what changes, until cancelled or the connection is lost."""
        async with asyncio.TaskGroup() as group:
            for slot in self._slots.values():
                group.create_task(self._serve(session, slot))

    async def _serve(self, session: Session, slot: _Slot) -> None:
        if slot.losses >= _LOSSES:
            await asyncio.sleep(_PAUSE_S)
        while True:
            slot.changed.clear()
            if slot.payload is not None:
                await self._say(session, slot, slot.payload)
            await slot.changed.wait()

    async def _say(self, session: Session, slot: _Slot, payload: bytes) -> None:
        """A broker that hangs up on a message again and again gets time for others before it gets that one again."""
        slot.losses += 1
        if slot.topic in self._elsewhere and payload != NOTHING:
            await self._announced.stands(slot.topic)
        if await self._is_taken(session, slot, payload) and payload == NOTHING:
            await self._announced.is_gone(slot.topic)
            slot.payload = None
        slot.losses, slot.settled = 0, slot.payload in (payload, None)
        self._settled.set()

    async def _is_taken(self, session: Session, slot: _Slot, payload: bytes) -> bool:
        """Whether the broker has taken it, and not refused it."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await session.publish(slot.topic, payload, retain=True)
        except TimeoutError:
            raise Disconnected(f"the broker does not acknowledge {slot.topic}") from None
        except Rejected as error:
            if not slot.refused:
                _log.error("the broker refuses what should stand on %s: %s", slot.topic, error)
            slot.refused = True
            return False
        slot.refused = False
        return True
