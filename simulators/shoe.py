"""The simulated shoe in a process of its own, behind a real pty or TCP.

It deals once a host has first opened the line, then goes on whether or not anybody listens. When the last round is
over it stays on the line until SIGTERM or SIGINT. SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from simulators.faults.line import FaultyLine
from simulators.faults.noise import NoisyLine, Pause, Unplugged
from simulators.faults.schedule import Schedule
from simulators.live.lines import TcpLine
from simulators.pty_line import PtyLine
from simulators.table import Due, Moment, Play, Shoe, ShoeProtocol, set_out
from simulators.truth import TruthFile

Work = Callable[[], Coroutine[Any, Any, None]]
"""What goes on for ever, or as long as there is something to do."""

_HOST_SETTLES_S: Final = 0.3
_BYTES_PER_S: Final[Mapping[ShoeProtocol, int]] = {"angel-eye": 480, "bee-tek": 960}
"""4800 and 9600 baud, 8N1."""


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
        await until_stopped(shoe.faulty, [shoe.line], shoe.attend, shoe.reply, shoe.deal)


class Pluggable(Protocol):
    """A line that can be pulled out."""

    def plug_in(self) -> None: ...

    def unplug(self) -> None: ...


async def until_stopped(signalled: Pluggable, lines: Collection[Pluggable], *work: Work) -> None:
    """All of the work at these lines, which are plugged in meanwhile, until SIGTERM or SIGINT; SIGUSR1 and SIGUSR2
    unplug the one that is `signalled` and plug it in."""
    stop = _stop_signals(signalled)
    try:
        for line in lines:
            line.plug_in()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each()) for each in work]
            await stop.wait()
            for task in tasks:
                task.cancel()
    finally:
        for line in lines:
            line.unplug()


def _stop_signals(line: Pluggable) -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(ending, stop.set)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, stop.set)
    loop.add_signal_handler(signal.SIGUSR1, line.unplug)
    loop.add_signal_handler(signal.SIGUSR2, line.plug_in)
    return stop


def standing(play: Play, address: Path | int, truth: TruthFile, *, real_baud: bool) -> StandingShoe:
    """The shoe of a play at this address; ProcedureError for an unknown procedure."""
    schedule = play.schedule()
    shoe, dues = set_out(play, schedule)
    line = PtyLine(address) if isinstance(address, Path) else TcpLine(address)
    faulty = FaultyLine(line, NoisyLine(schedule, play.seed))
    return StandingShoe(shoe, dues, line, faulty, truth, schedule, _BYTES_PER_S[play.protocol] if real_baud else None)


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass(frozen=True, slots=True)
class StandingShoe:
    """A shoe on its line, with all that is still to happen; without `bytes_per_s` it sends as fast as it can. While it
    is not `unlocked` no card comes out."""

    shoe: Shoe
    dues: Iterator[Due]
    line: PtyLine | TcpLine
    faulty: FaultyLine
    truth: TruthFile
    schedule: Schedule
    bytes_per_s: int | None
    replies: asyncio.Queue[bytes] = field(default_factory=asyncio.Queue)
    unlocked: asyncio.Event = field(default_factory=_set_event)

    async def attend(self) -> None:
        """For ever: serve hosts, whom the shoe hears."""
        await self.line.attend(self.faulty.gated(self._hear))

    async def reply(self) -> None:
        """For ever: send what the shoe answers to them."""
        while True:
            said = await self.replies.get()
            await self._take_time(said)
            await self.faulty.reply(said)

    async def deal(self) -> None:
        """Deal everything, once a host has opened the line."""
        await self.line.first_host.wait()
        await asyncio.sleep(_HOST_SETTLES_S)
        for due in self.dues:
            match due:
                case Pause():
                    await asyncio.sleep(due.seconds)
                    if self.shoe.is_shut:
                        await self.unlocked.wait()
                case Moment():
                    await self._tell(due)
        await self.faulty.rest()
        self.truth.finished()

    def _hear(self, data: bytes) -> None:
        if said := self.shoe.hear(data):
            self.replies.put_nowait(said)
        (self.unlocked.clear if self.shoe.is_shut else self.unlocked.set)()

    async def _tell(self, moment: Moment) -> None:
        if moment.away:
            await self.faulty.pass_on([Unplugged(moment.away)])
        fault, parts = self.faulty.spoiled(moment.sent) if moment.sent else (None, [])
        number = self.truth.tell(moment, heard=self.line.is_heard, line=fault)
        await self._take_time(moment.sent)
        if not await self.faulty.pass_on(parts):
            self.truth.lost(number)

    async def _take_time(self, data: bytes) -> None:
        if self.bytes_per_s:
            await asyncio.sleep(len(data) / self.bytes_per_s)
