"""The live table as a process of its own: shoe and reader behind ptys or TCP, people at the daemon's panel.

It deals once a host has greeted the shoe. When the last round is over the devices stay on their lines until SIGTERM or
SIGINT. SIGUSR1 unplugs the shoe's line, SIGUSR2 plugs it in again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from simulators.live.lines import TcpLine
from simulators.live.play import READER_SERIAL, SHOE_SERIAL, TablePlay
from simulators.live.setting import Equipment, set_up
from simulators.pty_line import PtyLine
from simulators.shoe import until_stopped
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
        lines, attending = [shoe], [partial(shoe.attend, setting.shoe_hears)]
        if reader and setting.reader_hears:
            lines.append(reader)
            attending.append(partial(reader.attend, setting.reader_hears))
        await until_stopped(setting.shoe.line, lines, setting.run, *attending)


def line_at(address: Address) -> PtyLine | TcpLine:
    """A line on which hosts find a device at this address."""
    return PtyLine(address, _TICK_S) if isinstance(address, Path) else TcpLine(address)
