"""The live table as a process of its own: shoe and reader behind ptys or TCP, people at the daemon's panel.

It deals once a host has greeted the shoe. When the last round is over the devices stay on their lines until SIGTERM or
SIGINT. SIGUSR1 unplugs the shoe's line, SIGUSR2 plugs it in again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simulators.faults.line import Hear
from simulators.live.lines import TcpLine
from simulators.live.play import READER_SERIAL, SHOE_SERIAL, TablePlay
from simulators.live.setting import Equipment, Setting, set_up
from simulators.pty_line import PtyLine
from simulators.shoe import stop_signals
from simulators.truth import TruthFile

Address = Path | int
"""Where a host finds a device: a symbolic link to a pty, or a TCP port on loopback."""

_TICK_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where the devices stand, where the daemon's panel is, and where the devices keep their events."""

    shoe: Address
    truth: Path
    reader: Address | None = None
    panel: Path | None = None
    memory: Path | None = None
    shoe_serial: str = SHOE_SERIAL
    reader_serial: str = READER_SERIAL


async def sit_at_table(play: TablePlay, place: TablePlace) -> None:
    """Play until SIGTERM or SIGINT."""
    shoe, reader = line_at(place.shoe), None if place.reader is None else line_at(place.reader)
    equipment = Equipment(shoe, reader, place.shoe_serial, place.reader_serial, place.panel, place.memory)
    with closing(TruthFile(place.truth)) as truth:
        setting = set_up(play, equipment, truth)
        attended = [(shoe, setting.shoe_hears)]
        if reader and setting.reader_hears:
            attended.append((reader, setting.reader_hears))
        await _until_stopped(setting, attended, stop_signals(setting.shoe.line))


async def _until_stopped(
    setting: Setting, attended: Sequence[tuple[PtyLine | TcpLine, Hear]], stop: asyncio.Event
) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(setting.run())]
            for line, hear in attended:
                line.plug_in()
                tasks.append(group.create_task(line.attend(hear)))
            await stop.wait()
            for task in tasks:
                task.cancel()
    finally:
        for line, _ in attended:
            line.unplug()


def line_at(address: Address) -> PtyLine | TcpLine:
    """A line on which hosts find a device at this address."""
    return PtyLine(address, _TICK_S) if isinstance(address, Path) else TcpLine(address)
