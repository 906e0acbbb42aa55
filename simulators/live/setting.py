"""Puts a live table together: devices on their lines, people at the panel, the dealer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from simulators.live.people import People, people_at
from simulators.live.play import TablePlay
from simulators.live.reader_hand import ReaderHand
from simulators.live.shoe_hand import ShoeHand
from simulators.live.station import Line, Station
from simulators.live.table import LiveTable
from simulators.tdl import codes
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.tdl.shoe import TdlShoe
from simulators.truth import TruthFile


@dataclass(frozen=True, slots=True)
class Equipment:
    """What stands at the table. `panel` is the folder of the daemon's sockets (None: nobody speaks), `memory` one in
    which the devices keep their events over a restart (None: they forget)."""

    shoe: Line
    reader: Line | None
    shoe_serial: str
    reader_serial: str
    panel: Path | None = None
    memory: Path | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A table, ready to be played at."""

    shoe: Station[TdlShoe]
    reader: Station[TdlReader] | None
    people: People | None
    table: LiveTable

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
    shoe, reader = _shoe(play, equipment), _reader(play, equipment)
    people = people_at(equipment.panel) if equipment.panel else None
    hand = ReaderHand(reader, people) if reader else None
    at_shoe = ShoeHand(shoe, places=play.places, withhold=play.withhold)
    return Setting(shoe, reader, people, LiveTable(play, at_shoe, hand, people, truth))


def _shoe(play: TablePlay, equipment: Equipment) -> Station[TdlShoe]:
    caps = codes.CAP_LOCK | codes.CAP_DISCLOSURE | codes.CAP_SELF_TEST | (codes.CAP_POSITIONS if play.places else 0)
    identity = simulated("shoe", equipment.shoe_serial, caps)
    return Station(TdlShoe(identity, _memory(equipment, "shoe"), _now()), equipment.shoe)


def _reader(play: TablePlay, equipment: Equipment) -> Station[TdlReader] | None:
    if equipment.reader is None:
        return None
    identity = simulated("reader", equipment.reader_serial, codes.CAP_SELF_TEST)
    device = TdlReader(identity, _memory(equipment, "reader"), _now())
    device.hurry = play.hurry
    return Station(device, equipment.reader)


def _memory(equipment: Equipment, name: str) -> Memory:
    if equipment.memory is None:
        return Memory()
    equipment.memory.mkdir(parents=True, exist_ok=True)
    return Memory(equipment.memory / name)


def _now() -> float:
    return asyncio.get_running_loop().time()
