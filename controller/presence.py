"""What the broker tells the floor about this daemon: the retained status, true after every kind of end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Literal

from controller.floor_link import Greeter
from controller.mqtt import ANSWER_S, Disconnected, Message, Rejected, Session, Will
from protocols.floor.contract.status import Status

_FAREWELL_S: Final = 0.5

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Presence(Greeter):
    """`topic` where the status stands; `insecure`: messages cross a network in plain text; `alarms`: what is wrong with
    the daemon itself."""

    topic: str
    epoch: str
    boot: str
    insecure: bool
    alarms: Sequence[str] = ()
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _said: set[bytes] = field(default_factory=set)

    @property
    def will(self) -> Will:
        return Will(self.topic, self.message("offline"))

    def message(self, status: Literal["online", "offline"]) -> bytes:
        alarms = tuple(self.alarms) if status == "online" else ()
        said = Status(status=status, epoch=self.epoch, boot=self.boot, insecure=self.insecure, alarms=alarms)
        return said.message()

    def alarm(self, alarms: Sequence[str]) -> None:
        """What is wrong now."""
        self.alarms = alarms
        self._changed.set()

    @property
    def filters(self) -> Sequence[str]:
        return (self.topic,)

    async def greet(self, session: Session) -> None:
        """Say `online`; what stands there is heard from then on."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._say(session)
        except TimeoutError:
            raise Disconnected("the broker does not acknowledge the status") from None
        except Rejected as error:
            raise Disconnected(f"the broker refuses the status on {self.topic}: {error}") from None

    def hear(self, message: Message) -> None:
        """Correct whatever else than our `online` comes to stand there."""
        if message.payload != self.message("online"):
            if message.payload not in self._said:
                _log.warning("corrected a false status on %s", self.topic)
            self._changed.set()

    async def serve(self, session: Session) -> None:
        """Say it anew whenever something else is wrong, or something else stands there."""
        while True:
            await self._changed.wait()
            self._say(session)

    def _say(self, session: Session) -> asyncio.Future[None]:
        self._changed.clear()
        birth = self.message("online")
        self._said.add(birth)
        return session.publish(self.topic, birth, retain=True)

    async def leave(self, session: Session) -> None:
        """Say `offline` where the line still takes it: no will is sent after a clean end."""
        with suppress(Disconnected, Rejected, TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await session.publish(self.topic, self.message("offline"), retain=True)
