"""`health`, every ten seconds and whenever something in it changes, and the daemon's plain numbers. A part of the floor
link."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Final

from controller.floor_link import Part
from controller.mqtt import ANSWER_S, Disconnected, Rejected, Session
from controller.vitals import Vitals, what_matters
from protocols.floor.contract.health import Health
from protocols.floor.topics import Topics

_EVERY_S: Final = 10.0
_LOOK_S: Final = 1.0

_log: Final = logging.getLogger(__name__)


class HealthTeller(Part):
    """Nobody hears later how the daemon was: what the broker does not take is not kept."""

    def __init__(self, vitals: Vitals, topics: Topics, every_s: float = _EVERY_S, look_s: float = _LOOK_S) -> None:
        self._vitals = vitals
        self._topics = topics
        self._every_s = every_s
        self._look_s = look_s
        self._refused = False

    async def serve(self, session: Session) -> None:
        """Until cancelled or the connection is lost."""
        clock = asyncio.get_running_loop().time
        due, told = clock(), None
        while True:
            health, is_due = self._vitals.health(), clock() >= due
            if is_due:
                due = clock() + self._every_s
                self._mention(session)
            if is_due or what_matters(health) != told:
                told = what_matters(health)
                await self._say(session, health)
            await asyncio.sleep(self._look_s)

    def _mention(self, session: Session) -> None:
        for metric in self._vitals.metrics():
            session.mention(self._topics.metric(metric.level), json.dumps(metric.value).encode())

    async def _say(self, session: Session, health: Health) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                await session.publish(self._topics.health, health.message())
        except TimeoutError:
            raise Disconnected(f"the broker does not acknowledge {self._topics.health}") from None
        except Rejected as error:
            if not self._refused:
                _log.error("the broker refuses %s: %s", self._topics.health, error)
            self._refused = True
        else:
            self._refused = False
