"""The simulated shoe in a process of its own, behind a real pty.

It deals once a host has first opened the line, then goes on whether or not anybody listens. When the last round is
over it stays on the line until SIGTERM or SIGINT. SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from simulators.faults import NoisyLine, Part, Pause, Unplugged
from simulators.pty_line import PtyLine
from simulators.table import Due, Moment, Play, Shoe, ShoeProtocol, set_out
from simulators.truth import TruthFile

_HOST_SETTLES_S: Final = 0.3
_BYTES_PER_S: Final[Mapping[ShoeProtocol, int]] = {"angel-eye": 480, "bee-tek": 960}
"""4800 and 9600 baud, 8N1."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how the shoe stands: `link` names the pty, `line_faults` is the share of reports (0-1) spoiled on the
    line, `real_baud` sends no faster than a real line could."""

    link: Path
    truth: Path
    line_faults: float = 0.0
    real_baud: bool = True


async def stand_at_table(play: Play, place: Place) -> None:
    """Play until SIGTERM or SIGINT."""
    (device, dues), line = set_out(play), PtyLine(place.link)
    stop = stop_signals(line)
    bytes_per_s = _BYTES_PER_S[play.protocol] if place.real_baud else None
    with closing(TruthFile(place.truth)) as truth:
        shoe = _Shoe(device, line, truth, NoisyLine(play.seed, place.line_faults), bytes_per_s)
        line.plug_in()
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(line.attend(shoe.hear)),
                    group.create_task(shoe.deal(dues)),
                    group.create_task(shoe.reply()),
                ]
                await stop.wait()
                for task in tasks:
                    task.cancel()
        finally:
            line.unplug()


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


@dataclass(frozen=True, slots=True)
class _Shoe:
    device: Shoe
    line: PtyLine
    truth: TruthFile
    noise: NoisyLine
    bytes_per_s: int | None
    replies: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue)

    def hear(self, data: bytes) -> None:
        """The host says something."""
        self.replies.put_nowait(self.device.hear(data))

    async def reply(self) -> None:
        """For ever: send what the shoe says to its host."""
        while True:
            await self._send(await self.replies.get())

    async def deal(self, dues: Iterator[Due]) -> None:
        await self.line.first_host.wait()
        await asyncio.sleep(_HOST_SETTLES_S)
        for due in dues:
            await asyncio.sleep(due.pause)
            await self._tell(due.happens(self.device))
        await self._send(self.noise.rest())
        self.truth.finished()

    async def _tell(self, moment: Moment) -> None:
        fault, parts = self.noise.carry(moment.sent) if moment.sent else (None, [])
        number = self.truth.tell(moment, heard=self.line.is_heard, line=fault.value if fault else None)
        sent = [await self._pass_on(part) for part in parts]
        if not all(sent):
            self.truth.lost(number)

    async def _pass_on(self, part: Part) -> bool:
        match part:
            case Pause():
                await asyncio.sleep(part.seconds)
                return True
            case Unplugged():
                self.line.unplug()
                await asyncio.sleep(part.seconds)
                self.line.plug_in()
                return True
            case _:
                return await self._send(part)

    async def _send(self, data: bytes) -> bool:
        if self.bytes_per_s:
            await asyncio.sleep(len(data) / self.bytes_per_s)
        return await self.line.send(data)
