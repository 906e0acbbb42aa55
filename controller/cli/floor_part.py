"""One process of a simulated floor: the daemons of some tables in one loop, each with all that a daemon has of its own.

It tells its counts on standard output, a line of JSON a second and a last one at the end."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Final

import typer

from controller.app import Daemon, open_table
from controller.cli.floor_counts import PART, PartCounts, State, TableCounts
from controller.cli.floor_limits import want_files
from controller.config_reading import load_config
from controller.journal import Journal
from controller.notify import ServiceManager
from controller.stopping import on_stop
from protocols.dealing.outlook import Outlook
from protocols.errors import ShoewatchError
from protocols.verdicts import Verdict

_EVERY_S: Final = 1.0
_HERE: Final = ContextVar("here", default="floor")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_log: Final = logging.getLogger(__name__)


def run_part(configs: Sequence[Path], *, until_drained: bool) -> None:
    """Until SIGTERM; with `until_drained` each table only to the end of its last round."""
    handler = logging.StreamHandler()
    handler.addFilter(_name_table)
    logging.basicConfig(
        format="%(asctime)s %(here)s %(levelname)s %(name)s: %(message)s", level=logging.ERROR, handlers=[handler]
    )
    try:
        want_files(len(configs))
    except ShoewatchError as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    asyncio.run(_run([_Table(file) for file in configs], until_drained=until_drained))


def _name_table(record: logging.LogRecord) -> bool:
    record.here = _HERE.get()
    return True


class _Table:
    """A table, from its configuration to its end, whatever that is; the others of the process do not feel it."""

    def __init__(self, file: Path) -> None:
        self.name = file.parent.name
        self.stop = asyncio.Event()
        self._file = file
        self._state: State = "starting"
        self._why = ""
        self._events = 0
        self._violations = Counter[str]()
        self._told: Verdict | None = None
        self._running: tuple[Daemon, Journal] | None = None

    async def run(self, *, until_drained: bool) -> None:
        """Until `stop` is set, or its last round is published."""
        _HERE.set(self.name)
        try:
            await self._run(until_drained=until_drained)
            self._state = "over"
        except* ShoewatchError as group:
            self._fail(group)
        except* Exception as group:
            _log.critical("the table has failed", exc_info=group)
            self._fail(group)

    @property
    def counts(self) -> TableCounts:
        """How it stands now."""
        records = published = 0
        if self._running:
            daemon, journal = self._running
            records, published = journal.last_seq, daemon.published_seq
        return TableCounts(self._state, self._events, records, published, dict(self._violations), self._why)

    async def _run(self, *, until_drained: bool) -> None:
        async with open_table(load_config(self._file), self._tell, ServiceManager()) as (daemon, journal):
            self._running, self._state = (daemon, journal), "playing"
            await daemon.run(self.stop, until_drained=until_drained)

    def _tell(self, verdict: Verdict | None, after: Outlook) -> None:  # noqa: ARG002
        """The same verdict comes again where there is something else to remark."""
        if verdict is None or verdict is self._told:
            return
        self._told = verdict
        self._events += 1
        if verdict.outcome == "violation":
            self._violations[verdict.code or verdict.outcome] += 1

    def _fail(self, group: BaseExceptionGroup[Exception]) -> None:
        self._state, self._why = "failed", str(_first(group))


async def _run(tables: list[_Table], *, until_drained: bool) -> None:
    def stop() -> None:
        for table in tables:
            table.stop.set()

    on_stop(stop)
    async with asyncio.TaskGroup() as group:
        telling = group.create_task(_tell(tables))
        async with asyncio.TaskGroup() as playing:
            for table in tables:
                playing.create_task(table.run(until_drained=until_drained))
        telling.cancel()
    _show(tables)


async def _tell(tables: list[_Table]) -> None:
    while True:
        _show(tables)
        await asyncio.sleep(_EVERY_S)


def _show(tables: list[_Table]) -> None:
    counts = PartCounts({table.name: table.counts for table in tables}, time.process_time(), _memory())
    print(PART.dump_json(counts).decode(), flush=True)


def _memory() -> int:
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return resident * _PAGE


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
