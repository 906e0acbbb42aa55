"""A TDL/1 device that stands at a table: its core, its line, and the time that passes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from simulators.faults.line import Line
from simulators.tdl.device import Device

D = TypeVar("D", bound=Device)
T = TypeVar("T")


class Station(Generic[D]):
    """What the line receives goes to `hear`. While `is_mute` the device neither says nor hears anything, though its
    line stands."""

    def __init__(self, device: D, line: Line) -> None:
        self.device = device
        self.line = line
        self.is_mute = False
        self._pulse = asyncio.Event()

    @property
    def is_stored(self) -> bool:
        """Whether the host has everything on disk."""
        return not self.device.unstored

    async def run(self) -> None:
        """For ever: send what the device says, when it says it."""
        while True:
            pulse = self._pulse
            self.device.tick(_now())
            said = self.device.take()
            if said and not self.is_mute:
                await self.line.send(said)
            else:
                await _set_by(pulse, self.device.deadline)

    def hear(self, data: bytes) -> None:
        """Bytes came over the line."""
        if not self.is_mute:
            self.do(lambda now: self.device.hear(data, now))

    def do(self, what: Callable[[float], T]) -> T:
        """Something happens to the device now."""
        done = what(_now())
        self.notify()
        return done

    def notify(self) -> None:
        """Look again at everything that is waited for."""
        self._pulse.set()
        self._pulse = asyncio.Event()

    async def until(self, holds: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until it holds, at most so long; whether it does. It may depend on anything that ends in `notify`."""
        end = None if seconds is None else _now() + seconds
        while not holds():
            pulse = self._pulse
            if not await _set_by(pulse, end):
                return holds()
        return True


async def _set_by(event: asyncio.Event, when: float | None) -> bool:
    try:
        async with asyncio.timeout_at(when):
            await event.wait()
    except TimeoutError:
        return False
    return True


def _now() -> float:
    return asyncio.get_running_loop().time()
