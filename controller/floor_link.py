"""The one connection to the broker: made, greeted, lost and made again. What goes over it are the parts' concerns.

A part gets a new session for each connection, never two at once, and what comes on the topics that it asked for."""

from __future__ import annotations

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from math import ldexp
from typing import Final, Protocol

from controller.mqtt import Disconnected, Message, Rejected, Session, Will

_LASTING_S: Final = 1.0
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0

_log: Final = logging.getLogger(__name__)


class Dials(Protocol):
    """Makes connections to one broker."""

    def connect(self, will: Will | None = None) -> AbstractAsyncContextManager[Session]: ...


class Part(ABC):
    """Something that goes over the connection. But for `serve` it need not care for what happens to that."""

    @property
    def filters(self) -> Sequence[str]:
        """The topics that it wants to hear."""
        return ()

    def hear(self, message: Message) -> None:  # noqa: B027
        """A message on one of them; never waits, never raises."""

    @abstractmethod
    async def serve(self, session: Session) -> None:
        """Use this connection until it is cancelled or the connection is lost."""

    async def left(self) -> None:  # noqa: B027
        """A connection is over."""

    def came_round(self) -> None:  # noqa: B027
        """Another attempt to connect has failed, or what was connected is lost."""


class Greeter(Part):
    """The part that has the first and the last word on every connection."""

    @property
    @abstractmethod
    def will(self) -> Will | None: ...

    @abstractmethod
    async def greet(self, session: Session) -> None: ...

    @abstractmethod
    async def leave(self, session: Session) -> None:
        """The connection may be lost already."""


class FloorLink:
    """`greeter` speaks first, then all `parts` at once."""

    def __init__(self, broker: object, dialer: Dials, greeter: Greeter, parts: Sequence[Part]) -> None:
        self._broker = broker
        self._dialer = dialer
        self._greeter = greeter
        self._parts = (greeter, *parts)
        self._failures = 0
        self._told = set[str]()

    async def run(self) -> None:
        """Connect again and again until cancelled; then leave within a second, whatever the broker does."""
        while True:
            for part in self._parts:
                part.came_round()
            try:
                await self._serve_connection()
            except* Disconnected as lost:
                self._failures += 1
                self._tell_loss(lost.exceptions[0])
            _obey_cancel()
            await asyncio.sleep(_pause(self._failures))

    async def _serve_connection(self) -> None:
        """One connection, from the birth to its loss."""
        async with self._dialer.connect(self._greeter.will) as session:
            try:
                await self._greeter.greet(session)
                await self._subscribe(session)
                _log.info("%s: connected (after %d failures)", self._broker, self._failures)
                async with asyncio.TaskGroup() as group:
                    for part in self._parts:
                        group.create_task(part.serve(session))
                    group.create_task(self._forgive())
                    await self._hear(session)
            finally:
                if session.useful:
                    self._failures = 0
                await self._greeter.leave(session)
                for part in self._parts:
                    await part.left()

    async def _subscribe(self, session: Session) -> None:
        """A broker that does not grant a part its topics costs it only these."""
        for part in self._parts:
            if not part.filters:
                continue
            try:
                await session.subscribe(*part.filters)
            except Rejected as error:
                _log.error("%s: the broker refuses a subscription: %s", self._broker, error)

    async def _hear(self, session: Session) -> None:
        async for message in session.messages():
            for part in self._parts:
                if message.matches(part.filters):
                    part.hear(message)

    async def _forgive(self) -> None:
        """A connection that lasts ends the count of failures."""
        await asyncio.sleep(_LASTING_S)
        self._failures = 0
        self._told.clear()

    def _tell_loss(self, lost: Exception) -> None:
        """Each reason once, until a connection lasts."""
        level = logging.DEBUG if str(lost) in self._told else logging.WARNING
        self._told.add(str(lost))
        _log.log(level, "%s: %s; trying again", self._broker, lost)


def _pause(failures: int) -> float:
    """Seconds to the next attempt: doubling, capped, jittered, so that a floor does not come back all at once."""
    return random.uniform(0.5, 1.0) * min(_LONGEST_PAUSE_S, ldexp(_FIRST_PAUSE_S, failures))  # noqa: S311


def _obey_cancel() -> None:
    """A task group of Python 3.11 that fails while it is being cancelled tells only the failure.

    (The count is right only where the group's parent awaits in the group's body, as `_serve_connection` does.)"""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
