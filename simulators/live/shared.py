"""Live tables within the daemon's own process: `sim:NAME` for the shoe and the reader of one table, which share its
dealer. A table lives as long as the event loop; a port that is closed and opened again finds it where it was."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from firmware_bridge.transport import LinkLost
from protocols.errors import ShoewatchError
from simulators.live.lines import InnerEnd, InnerLine
from simulators.live.play import READER_SERIAL, SHOE_SERIAL, TablePlay
from simulators.live.setting import Equipment, Setting, set_up
from simulators.truth import TruthFile


@dataclass(frozen=True, slots=True)
class SharedTable:
    """One table of this process, with both of its lines."""

    play: TablePlay
    panel: Path | None
    truth: Path
    shoe: InnerLine
    reader: InnerLine | None
    setting: Setting
    task: asyncio.Task[None]


_log: Final = logging.getLogger(__name__)
_tables: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, SharedTable]]] = WeakKeyDictionary()


def open_table(name: str, play: TablePlay, panel: Path | None, truth: Path) -> InnerEnd:
    """The shoe's line at the table `name`, which is set up if it is not there; `truth`: the file of what happens at it.

    ShoewatchError where it is there and is another one, LinkLost where the line is unplugged or over."""
    tables = _tables.setdefault(asyncio.get_running_loop(), {})
    found = tables.get(name)
    if found is None:
        found = tables[name] = _set_up(name, play, panel, truth)
    elif (play, panel, truth) != (found.play, found.panel, found.truth):
        raise ShoewatchError(f"sim:{name}: this table is played otherwise already")
    return found.shoe.opened(found.setting.shoe_hears)


def open_reader(name: str) -> InnerEnd:
    """The reader's line at the table `name`; LinkLost where there is no such table (yet), ShoewatchError where its game
    has no reader."""
    found = _tables.setdefault(asyncio.get_running_loop(), {}).get(name)
    if found is None:
        raise LinkLost("absent", f"sim:{name}: no shoe has been opened at this table yet")
    if found.reader is None or found.setting.reader_hears is None:
        raise ShoewatchError(f"sim:{name}: {found.play.procedure} is dealt without a reader")
    return found.reader.opened(found.setting.reader_hears)


def _set_up(name: str, play: TablePlay, panel: Path | None, truth: Path) -> SharedTable:
    shoe, reader = InnerLine(), InnerLine() if play.has_reader else None
    equipment = Equipment(shoe, reader, SHOE_SERIAL, READER_SERIAL, panel)
    setting = set_up(play, equipment, TruthFile(truth))
    task = asyncio.create_task(_played(setting, *filter(None, (shoe, reader))))
    task.add_done_callback(partial(_complain, name))
    return SharedTable(play, panel, truth, shoe, reader, setting, task)


def _complain(name: str, task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception():
        _log.error("sim:%s: the simulated table has failed", name, exc_info=task.exception())


async def _played(setting: Setting, *lines: InnerLine) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            standing = group.create_task(setting.run())
            await setting.table.is_over.wait()
            standing.cancel()
    finally:
        for line in lines:
            line.end()
