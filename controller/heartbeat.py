"""Whether everything in the daemon still moves. Each component is asked again and again and has a time of its own in
which to answer; the service manager hears a sign of life only while none is overdue.

So a component that hangs is named in the log, the signs of life end, and the service manager starts the daemon anew."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from controller.notify import ServiceManager
from protocols.errors import ShoewatchError
from protocols.floor.contract import health

_EVERY_S: Final = 5.0
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Component:
    """`answer` returns once the component has come round to it, within `within_s` when all is well; OSError or
    ShoewatchError says why it cannot."""

    name: str
    within_s: float
    answer: Callable[[], Awaitable[object]]


class Deadlines:
    """Who has been asked since when. Times are any clock in seconds that only goes forward."""

    def __init__(self, within_s: Mapping[str, float]) -> None:
        self._within_s = within_s
        self._asked: dict[str, float] = {}

    def asked(self, name: str, now: float) -> None:
        """A question is open; one that was open before stays the older one."""
        self._asked.setdefault(name, now)

    def answered(self, name: str) -> None:
        self._asked.pop(name, None)

    def waits(self, now: float) -> dict[str, float]:
        """How long each is waited for; 0 for who has answered."""
        return {name: max(0.0, now - self._asked.get(name, now)) for name in self._within_s}

    def overdue(self, now: float) -> dict[str, float]:
        """Who owes an answer for longer than he may, and for how long."""
        return {name: wait for name, wait in self.waits(now).items() if wait > self._within_s[name]}


class Heartbeat:
    """`status`: one line about the table for the service manager's own display."""

    def __init__(self, components: Iterable[Component], manager: ServiceManager, status: Callable[[], str]) -> None:
        self._components = tuple(components)
        self._manager = manager
        self._status = status
        self._deadlines = Deadlines({each.name: each.within_s for each in self._components})
        self._reasons: dict[str, str] = {}
        self._named: frozenset[str] = frozenset()
        self._said = ""

    async def run(self) -> NoReturn:
        """Until cancelled."""
        every = min(_EVERY_S, (self._manager.watchdog_s or _EVERY_S * 2) / 2)
        async with asyncio.TaskGroup() as group:
            for component in self._components:
                group.create_task(self._ask(component, every))
            while True:
                self._beat(self._deadlines.overdue(time.monotonic()))
                await asyncio.sleep(every)

    def components(self) -> dict[str, health.Component]:
        """How each answers now."""
        now = time.monotonic()
        overdue, waits = self._deadlines.overdue(now), self._deadlines.waits(now)
        return {name: health.Component(ok=name not in overdue, waits_s=round(waits[name], 1)) for name in waits}

    async def _ask(self, component: Component, every: float) -> NoReturn:
        while True:
            self._deadlines.asked(component.name, time.monotonic())
            try:
                await component.answer()
            except (OSError, ShoewatchError) as error:
                self._reasons[component.name] = f" ({error})"
            else:
                self._deadlines.answered(component.name)
                self._reasons.pop(component.name, None)
            await asyncio.sleep(every)

    def _beat(self, overdue: Mapping[str, float]) -> None:
        for name in overdue.keys() - self._named:
            _log.error("%s has not answered for %.0f s%s", name, overdue[name], self._reasons.get(name, ""))
        for name in self._named - overdue.keys():
            _log.warning("%s answers again", name)
        self._named = frozenset(overdue)
        self._tell("; ".join([f"no answer from {', '.join(sorted(overdue))}"] * bool(overdue) + [self._status()]))
        if not overdue:
            self._manager.tell(WATCHDOG="1")

    def _tell(self, status: str) -> None:
        if status != self._said:
            self._said = status
            self._manager.tell(STATUS=status)
