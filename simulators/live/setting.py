"""Puts a live table together: devices on their lines, people at the panel, the dealer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from simulators.faults.line import FaultyLine, Hear, HostedLine
from simulators.faults.noise import NoisyLine
from simulators.faults.schedule import Progress, Schedule
from simulators.live.people import People, people_at
from simulators.live.play import TablePlay
from simulators.live.reader_hand import ReaderHand
from simulators.live.shoe_hand import ShoeHand
from simulators.live.station import Station
from simulators.live.table import LiveTable
from simulators.tdl import codes
from simulators.tdl.between import Between
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.tdl.shoe import TdlShoe
from simulators.truth import TruthFile


@dataclass(frozen=True, slots=True)
class Equipment:
    """What stands at the table. `panel` is the folder of the daemon's sockets (None: nobody speaks), `memory` one in
    which the devices keep their events over a restart (None: they forget)."""

    shoe: HostedLine
    reader: HostedLine | None
    shoe_serial: str
    reader_serial: str
    panel: Path | None = None
    memory: Path | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A table, ready to be played at. What a host sends goes to `shoe_hears` and `reader_hears`; `schedules` are those
    of the shoe's faults and the reader's."""

    shoe: Station[TdlShoe]
    reader: Station[TdlReader] | None
    shoe_hears: Hear
    reader_hears: Hear | None
    people: People | None
    table: LiveTable
    schedules: tuple[Schedule, ...]

    async def run(self) -> None:
        """Play all rounds; from then on the devices only stand there. For ever."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.shoe.run())
            if self.reader:
                group.create_task(self.reader.run())
            if self.people:
                group.create_task(self.people.watcher.run())
            group.create_task(self.table.deal())


def set_up(play: TablePlay, equipment: Equipment, truth: TruthFile) -> Setting:
    """The table of this play; ProcedureError for options that its procedure does not have."""
    progress = Progress()
    at_shoe, at_reader = (Schedule(faults, progress, play.seed) for faults in (play.faults, play.reader_faulty))
    shoe_line = _line(equipment.shoe, at_shoe, play.seed)
    reader_line = _line(equipment.reader, at_reader, play.seed) if equipment.reader else None
    shoe = Station(_shoe(play, equipment), shoe_line)
    reader = Station(_reader(play, equipment), reader_line) if reader_line else None
    people = people_at(equipment.panel) if equipment.panel else None
    reader_hand = ReaderHand(reader, people, at_reader) if reader else None
    shoe_hand = ShoeHand(shoe, at_shoe, places=play.places, withhold=play.withhold)
    table = LiveTable(play, shoe_hand, reader_hand, people, truth, progress)
    reader_hears = reader_line.gated(reader.hear) if reader_line and reader else None
    return Setting(shoe, reader, shoe_line.gated(shoe.hear), reader_hears, people, table, (at_shoe, at_reader))


def _line(line: HostedLine, schedule: Schedule, seed: int) -> Between:
    return Between(FaultyLine(line, NoisyLine(schedule, seed)), schedule)


def _shoe(play: TablePlay, equipment: Equipment) -> TdlShoe:
    caps = codes.CAP_LOCK | codes.CAP_DISCLOSURE | codes.CAP_SELF_TEST | (codes.CAP_POSITIONS if play.places else 0)
    identity = simulated("shoe", equipment.shoe_serial, caps)
    return TdlShoe(identity, _memory(equipment, "shoe"), _now())


def _reader(play: TablePlay, equipment: Equipment) -> TdlReader:
    identity = simulated("reader", equipment.reader_serial, codes.CAP_SELF_TEST)
    device = TdlReader(identity, _memory(equipment, "reader"), _now())
    device.hurry = play.hurry
    return device


def _memory(equipment: Equipment, name: str) -> Memory:
    if equipment.memory is None:
        return Memory()
    return Memory(equipment.memory / name)


def _now() -> float:
    return asyncio.get_running_loop().time()
