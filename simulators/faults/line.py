"""A device's line on which faults strike: it stands between the device and any line that is there for hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from simulators.faults.noise import NoisyLine, Part, Pause, Silence, Unplugged

Hear = Callable[[bytes], None]


class Line(Protocol):
    """The device's end of a line."""

    def plug_in(self) -> None:
        """Harmless when plugged in already."""

    def unplug(self) -> None:
        """Harmless when unplugged already."""

    async def send(self, data: bytes) -> bool:
        """Whether somebody took all of it."""


class HostedLine(Line, Protocol):
    """One that knows its hosts."""

    @property
    def openings(self) -> int:
        """How often a host has opened the line."""


class FaultyLine:
    """Carries what a device sends as `noise` lets it, and what a host sends unless nothing passes."""

    def __init__(self, line: HostedLine, noise: NoisyLine) -> None:
        self._line = line
        self._noise = noise
        self._is_deaf = False
        self._silence: Silence | None = None
        self._openings_before = 0

    def plug_in(self) -> None:
        self._line.plug_in()

    def unplug(self) -> None:
        self._line.unplug()
        self._silence = None

    def gated(self, hear: Hear) -> Hear:
        """What passes on to `hear` while anything passes."""

        def passed(data: bytes) -> None:
            if not (self._is_deaf or self._is_silent):
                hear(self._noise.heard(data))

        return passed

    async def send(self, data: bytes) -> bool:
        """Whether all that was to come out came out."""
        return await self.pass_on(self.spoiled(data)[1])

    def spoiled(self, data: bytes) -> tuple[str | None, list[Part]]:
        """The fault that strikes now, and what becomes of `data`, which `pass_on` is to be called with."""
        return self._noise.carry(data)

    async def pass_on(self, parts: Sequence[Part]) -> bool:
        """Whether all of it went out."""
        sent = [await self._pass_on(part) for part in parts]
        return all(sent)

    async def reply(self, data: bytes) -> bool:
        """Whether an answer to the host went out, which no fault of a report strikes."""
        return await self.pass_on([self._noise.replied(data)])

    async def rest(self) -> None:
        """What is still held comes out."""
        if held := self._noise.rest():
            await self._pass_on(held)

    @property
    def _is_silent(self) -> bool:
        opened = self._line.openings != self._openings_before
        if self._silence and self._silence.until == "opened" and opened:
            self._silence = None
        return self._silence is not None

    async def _pass_on(self, part: Part) -> bool:
        match part:
            case Pause():
                self._is_deaf = part.deaf
                await asyncio.sleep(part.seconds)
                self._is_deaf = False
            case Unplugged():
                self.unplug()
                await asyncio.sleep(part.seconds)
                self.plug_in()
            case Silence():
                self._silence, self._openings_before = part, self._line.openings
                return False
            case _:
                return not self._is_silent and await self._line.send(part)
        return True
