"""The simulated shoe in a process of its own, behind a real pty or TCP.

It deals once a host has first opened the line, then goes on whether or not anybody listens. When the last round is
over it stays on the line until SIGTERM or SIGINT. SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from simulators.faults.line import FaultyLine
from simulators.faults.noise import NoisyLine, Unplugged
from simulators.live.lines import TcpLine
from simulators.pty_line import PtyLine, ignored
from simulators.table import Moment, Play, played
from simulators.truth import TruthFile

_HOST_SETTLES_S: Final = 0.3
_BYTES_PER_S: Final = 480
"""4800 baud, 8N1."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how the shoe stands: `address` names the link to its pty or the TCP port on loopback, `real_baud` sends
    no faster than a real line could."""

    address: Path | int
    truth: Path
    real_baud: bool = True


async def stand_at_table(play: Play, place: Place) -> None:
    """Play until SIGTERM or SIGINT."""
    with closing(TruthFile(place.truth)) as truth:
        shoe = standing(play, place.address, truth, real_baud=place.real_baud)
        stop = stop_signals(shoe.faulty)
        shoe.line.plug_in()
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(shoe.line.attend(ignored)), group.create_task(shoe.deal())]
                await stop.wait()
                for task in tasks:
                    task.cancel()
        finally:
            shoe.line.unplug()


class Pluggable(Protocol):
    """A line that can be pulled out."""

    def plug_in(self) -> None: ...

    def unplug(self) -> None: ...


def stop_signals(line: Pluggable) -> asyncio.Event:
    """Set at SIGTERM or SIGINT; SIGUSR1 and SIGUSR2 unplug the line and plug it in."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(ending, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, line.unplug)
    loop.add_signal_handler(signal.SIGUSR2, line.plug_in)
    return stop


def standing(play: Play, address: Path | int, truth: TruthFile, *, real_baud: bool) -> Shoe:
    """The shoe of a play at this address; ProcedureError for an unknown procedure."""
    schedule = play.schedule()
    moments = played(play, schedule)
    line = PtyLine(address) if isinstance(address, Path) else TcpLine(address)
    return Shoe(line, FaultyLine(line, NoisyLine(schedule, play.seed)), truth, moments, real_baud)


@dataclass(frozen=True, slots=True)
class Shoe:
    """A shoe on its line, whose moments are still to come."""

    line: PtyLine | TcpLine
    faulty: FaultyLine
    truth: TruthFile
    moments: Iterator[Moment]
    real_baud: bool

    async def deal(self) -> None:
        """Deal everything, once a host has opened the line."""
        await self.line.first_host.wait()
        await asyncio.sleep(_HOST_SETTLES_S)
        for moment in self.moments:
            await asyncio.sleep(moment.pause)
            await self._tell(moment)
        await self.faulty.rest()
        self.truth.finished()

    async def _tell(self, moment: Moment) -> None:
        if moment.away:
            await self.faulty.pass_on([Unplugged(moment.away)])
        fault, parts = self.faulty.spoiled(moment.sent) if moment.sent else (None, [])
        number = self.truth.tell(moment, heard=self.line.is_heard, line=fault)
        if self.real_baud:
            await asyncio.sleep(len(moment.sent) / _BYTES_PER_S)
        if not await self.faulty.pass_on(parts):
            self.truth.lost(number)
