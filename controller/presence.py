"""What the broker tells the floor about this daemon: the retained status, true after every kind of end."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Literal

from controller.mqtt import ANSWER_S, Disconnected, Rejected, Session, Will

_FAREWELL_S: Final = 0.5

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Presence:
    """`topic` where the status stands; `insecure`: messages cross a network in plain text."""

    topic: str
    epoch: str
    boot: str
    insecure: bool

    @property
    def will(self) -> Will:
        return Will(self.topic, self.message("offline"))

    def message(self, status: Literal["online", "offline"]) -> bytes:
        fields = {"status": status, "epoch": self.epoch, "boot": self.boot, "insecure": self.insecure}
        return json.dumps(fields, separators=(",", ":")).encode()

    async def announce(self, session: Session) -> None:
        """Say `online`, and then listen to what stands there."""
        try:
            async with asyncio.timeout(ANSWER_S):
                await session.publish(self.topic, self.message("online"), retain=True)
            await session.subscribe(self.topic)
        except TimeoutError:
            raise Disconnected("the broker does not acknowledge the status") from None
        except Rejected as error:
            raise Disconnected(f"the broker refuses the status on {self.topic}: {error}") from None

    async def guard(self, session: Session) -> None:
        """Correct whatever else than our `online` comes to stand there, until the connection is lost."""
        birth = self.message("online")
        async for message in session.messages():
            if message.topic == self.topic and message.payload != birth:
                _log.warning("corrected a false status on %s", self.topic)
                session.publish(self.topic, birth, retain=True)

    async def leave(self, session: Session) -> None:
        """Say `offline` where the line still takes it: no will is sent after a clean end."""
        with suppress(Disconnected, Rejected, TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await session.publish(self.topic, self.message("offline"), retain=True)
