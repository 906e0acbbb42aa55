"""A hole-card reader without a table: whenever a host arms it, two cards go into it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from functools import partial

from simulators.faults.line import FaultyLine
from simulators.faults.menu import Fault
from simulators.faults.noise import NoisyLine
from simulators.faults.schedule import Progress, Schedule
from simulators.live.play import READER_SERIAL
from simulators.live.process import Address, line_at
from simulators.live.reader_hand import ReaderHand
from simulators.live.station import Station
from simulators.shoe import until_stopped
from simulators.tdl import codes
from simulators.tdl.between import Between
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader


@dataclass(frozen=True, slots=True)
class ReaderPlay:
    """`naturals` is the share (0-1) of the cards that are one, `pace` seconds from the arm to the cards; `@round`
    counts the arms."""

    naturals: float = 0.3
    seed: int = 1
    pace: float = 1.0
    hurry: float = 1.0
    faults: tuple[Fault, ...] = ()


async def stand_alone(play: ReaderPlay, address: Address) -> None:
    """Until SIGTERM or SIGINT; SIGUSR1 unplugs the line, SIGUSR2 plugs it in again."""
    line, progress = line_at(address), Progress()
    schedule = Schedule(play.faults, progress, play.seed)
    faulty = Between(FaultyLine(line, NoisyLine(schedule, play.seed)), schedule)
    identity = simulated("reader", READER_SERIAL, codes.CAP_SELF_TEST)
    station = Station(TdlReader(identity, Memory(), asyncio.get_running_loop().time()), faulty)
    station.device.hurry = play.hurry
    attend = partial(line.attend, faulty.gated(station.hear))
    show = partial(_show_cards, play, station, ReaderHand(station, None, schedule), progress)
    await until_stopped(faulty, [line], station.run, attend, show)


async def _show_cards(play: ReaderPlay, station: Station[TdlReader], hand: ReaderHand, progress: Progress) -> None:
    rng = random.Random(play.seed)
    while True:
        await hand.disturb()
        await station.until(lambda: station.device.armed_for is not None)
        progress.round += 1
        await asyncio.sleep(play.pace)
        await hand.peek("natural" if rng.random() < play.naturals else "no_natural")
