"""Runs the processes of a simulated floor, and tells what they do."""

from __future__ import annotations

import asyncio
import os
import tempfile
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

import typer

from controller.broker import EmbeddedBroker
from controller.cli.floor_counts import PART, FloorCounts, PartCounts, unheard
from controller.cli.floor_limits import want_files
from controller.cli.floor_tables import TRUTH, FloorPlay, dealt_procedures, set_up_floor
from controller.cli.output import nobody_reads
from controller.cli.programs import program
from controller.cli.simulated_table import misdeals
from controller.config_values import LEVEL
from controller.mqtt_address import parse_address
from controller.stopping import on_stop
from protocols.errors import ShoewatchError, did_you_mean

COMING_UP: Final = "coming up"
"""How a line of counts begins before every table is there."""

_EVERY_S: Final = 1.0
_STOP_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class FloorOrder:
    """What is asked for; None: every procedure that is dealt, a process for each processor, a broker of its own,
    no end, a folder that does not stay."""

    tables: int
    rate: float
    procedures: tuple[str, ...] | None
    processes: int | None
    broker: str | None
    site: str
    seconds: float | None
    rounds: int | None
    faults: float
    seed: int
    folder: Path | None


def run_floor(order: FloorOrder) -> NoReturn:
    """To its end; typer.BadParameter for what cannot be, typer.Exit with the status else."""
    chosen = _chosen(order.procedures)
    play = FloorPlay(chosen, order.rate, order.rounds, order.faults, order.seed)
    parts = min(order.tables, order.processes or os.cpu_count() or 1)
    with ExitStack() as stack:
        try:
            want_files(-(-order.tables // parts))
            url = _url(order.broker) if order.broker else stack.enter_context(EmbeddedBroker()).url
            home = _home(order.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="floor-"))))
            files = set_up_floor(home, _site(order.site), order.tables, play, url)
        except (ShoewatchError, OSError) as error:
            raise typer.BadParameter(str(error)) from None
        print(
            f"{order.tables} tables of {', '.join(chosen[: order.tables])} in {parts} processes, at {url}", flush=True
        )
        found = asyncio.run(_Floor(files, parts, order.seconds).run(until_drained=order.rounds is not None))
        made = sum((misdeals(file.with_name(TRUTH)) for file in files), Counter[str]()) if order.faults else None
    for line in found.now.summary(found.begun, made):
        print(line)
    raise typer.Exit(0 if found.is_right(made or Counter()) else 1)


def _chosen(names: tuple[str, ...] | None) -> tuple[str, ...]:
    dealt = dealt_procedures()
    chosen = dealt if names is None else names
    for name in chosen:
        if name not in dealt:
            raise typer.BadParameter(
                f"no simulated dealer deals {name!r}{did_you_mean(name, dealt)}", param_hint="--procedures"
            )
    return chosen


def _url(broker: str) -> str:
    parse_address(broker)
    return broker


def _site(name: str) -> str:
    if not LEVEL.fullmatch(name):
        raise ShoewatchError(f"{name!r} names no site (1 to 32 of a-z, 0-9 and -)")
    return name


def _home(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


class _Floor:
    """The processes of a floor, from their start to their end, and what they told last."""

    def __init__(self, files: Sequence[Path], parts: int, seconds: float | None) -> None:
        self._files = [files[first::parts] for first in range(parts)]
        self._told = [unheard(file.parent.name for file in part) for part in self._files]
        self._seconds = seconds
        self._stop = asyncio.Event()
        self.begun = self.now = FloorCounts(tuple(self._told), 0.0)
        self._whole = False

    async def run(self, *, until_drained: bool) -> _Floor:
        """Until the last table is over, the time is up, or somebody stops it; itself."""
        on_stop(self._stop.set)
        self._look()
        self.begun = self.now
        more = ["--until-drained"] if until_drained else []
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
            processes = list[Process]()
            for files in self._files:
                starting = program("sim", "floor-part", *more, *map(str, files), heard=True)
                processes.append(await stack.enter_async_context(starting))
            heard = [group.create_task(self._hear(number, each)) for number, each in enumerate(processes)]
            await self._play(heard)
            self._whole = until_drained and not self._stop.is_set()
            await _end(processes, heard)
        self._look()
        return self

    def is_right(self, made: Counter[str]) -> bool:
        """Whether every misdeal was told; in a round that was broken off there may be one more."""
        told = self.now.violations
        return not any(self.now.failures()) and (told == made if self._whole else told <= made)

    async def _play(self, heard: Sequence[asyncio.Task[None]]) -> None:
        until: float | None = None
        while not (self._stop.is_set() or all(task.done() for task in heard) or self.now.is_over or nobody_reads()):
            before = self.now
            await self._pause(until)
            self._look()
            if not self.begun.has_begun and self.now.has_begun:
                self.begun = self.now
                until = None if self._seconds is None else self.now.at_s + self._seconds
            when = f"{self.now.at_s - self.begun.at_s:7.0f} s" if self.begun.has_begun else COMING_UP
            print(f"{when}: {self.now.line(before)}", flush=True)
            if until is not None and _now() >= until:
                return

    async def _pause(self, until: float | None) -> None:
        end = _now() + _EVERY_S
        with suppress(TimeoutError):
            async with asyncio.timeout_at(end if until is None else min(end, until)):
                await self._stop.wait()

    def _look(self) -> None:
        self.now = FloorCounts(tuple(self._told), _now())

    async def _hear(self, number: int, process: Process) -> None:
        """All that one process tells; what it leaves undone at its end has failed."""
        assert process.stdout is not None
        async for line in process.stdout:
            self._told[number] = PART.validate_json(line)
        status = await process.wait()
        self._told[number] = _ended(self._told[number], status)


def _ended(part: PartCounts, status: int) -> PartCounts:
    """What is left of a process that has ended."""
    why = f"its process ended with status {status}"
    tables = {
        name: table if table.state in ("over", "failed") else replace(table, state="failed", why=why)
        for name, table in part.tables.items()
    }
    return replace(part, tables=tables)


async def _end(processes: Sequence[Process], heard: Sequence[asyncio.Task[None]]) -> None:
    """Stop them cleanly, by force where that takes too long; what they tell is heard to the end."""
    for process in processes:
        if process.returncode is None:
            process.terminate()
    _, late = await asyncio.wait(heard, timeout=_STOP_S)
    for process in processes if late else ():
        if process.returncode is None:
            process.kill()


def _now() -> float:
    return asyncio.get_running_loop().time()
