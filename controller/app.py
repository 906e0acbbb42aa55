"""The daemon put together: `device_drivers.py`, the commands and this name concrete classes, nobody else does."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial
from itertools import chain
from typing import Any, Final

from controller.beside import beside
from controller.bus import Bus
from controller.clock import Clock, watch_steps
from controller.config import Config, Reader
from controller.device_drivers import Driver, reader_driver, shoe_driver
from controller.device_numbers import standing_errors
from controller.enforcement import Enforcement, last_lock
from controller.fallback import READER, Fallback
from controller.floor import Floor, OfTable
from controller.heartbeat import Component, Heartbeat
from controller.inputs import Inputs, no_reader
from controller.inspection import Inspection, Moment, last_inspection
from controller.journal import Journal
from controller.journal_care import (
    JournalCare,
    key_changed,
    vault_key_changed,
)
from controller.journal_file import Row
from controller.ledger import Ledger
from controller.notify import ServiceManager
from controller.order_desk import OrderDesk
from controller.reader_care import ReaderCare
from controller.recovery import Recovered
from controller.resolve_desk import ResolveDesk
from controller.shown import recalled
from controller.starting import LeftBehind, goes_on, header_of, left_behind, start_of
from controller.stopping import on_stop
from controller.table import Display, Table
from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.doubles import Doubles
from firmware_bridge.freshness import Freshness
from firmware_bridge.hotplug import Hotplug
from firmware_bridge.panel import Panel
from protocols.dealing.outlook import Outlook
from protocols.events import LogGap, ReaderFaulted
from protocols.records import STOP, DeviceReported, SecurityNoted, SystemNoted
from protocols.verdicts import Verdict
from protocols.wire.tdl.handshake import Role

_INTAKE_SIZE: Final = 256
_PLUGGABLE: Final = ("serial", "usb")
_LAST_WORDS_S: Final = 0.5
_LOOK_S: Final = 1.0
_PANEL_BACKLOG: Final = 1024
_log: Final = logging.getLogger(__name__)


class Daemon:
    """One table's daemon; `display` gets each verdict and the outlook after it, at once."""

    def __init__(
        self,
        config: Config,
        journal: Journal,
        left: LeftBehind,
        display: Display,
        manager: ServiceManager,
    ) -> None:
        found, vault, signer = left.found, left.vault, left.signer
        self._clock = clock = Clock()
        self._config = config
        self._journal = journal
        self._queue: Intake = asyncio.Queue(_INTAKE_SIZE)
        self._bus = Bus()
        self._ledger = Ledger(
            journal.source, found.standing, header_of(config), config.procedure(), vault, clock, signer
        )
        self._vault = vault
        self._signer = signer
        self._misses_values = found.unopened is not None
        self._alarms: Sequence[str] = ()
        self._troubles: dict[str, Sequence[str]] = {}
        self._panel = Panel(config.panel.directory, self._queue, config.panel.groups) if config.panel else None
        self._display = display
        self._manager = manager
        self._resolving = ResolveDesk(self._queue, journal, config.journal.path, lambda: config.catalog)
        self._desk = OrderDesk(self._queue, config.may_order)
        care = self._make_care(found)
        inputs = Inputs(config.told_by_devices, left.past, care.word if care else no_reader, config.roles)
        give, resolve = self._desk.give, self._resolving.give
        lock, shown = self._make_enforcement(), recalled(config.journal.path, found.standing)
        self._floor = Floor(config, journal, clock, self._queue, self._as_asked(), self._alarm, self._announce)
        again = self._floor.outbox.resend
        self._table = Table(
            self._ledger, journal, inputs, self._show, self._committed, care, give, resolve, lock, shown, again
        )
        self._journal_care = JournalCare(journal, config.journal, self._noted, partial(self._announce, "journal"))
        self._freshness = self._make_freshness()
        same_header = goes_on(config, found)
        self._shoe = shoe_driver(config, found, self._queue, same_header=same_header)
        self._reader = reader_driver(config, found, self._queue, self._freshness)
        if self._panel:
            told = found.verdict if same_header else None
            now = self._table.outlook
            self._panel.show(told, now.due, now.remarks)
        self._heartbeat = Heartbeat(self._components(), manager, self._status)

    async def run(self, stop: asyncio.Event, *, until_drained: bool) -> None:
        """Run until `stop` is set, or, with `until_drained`, until the shoe's line has ended and everything is
        acknowledged by the broker."""
        working = {
            "the table": self._table.run(self._queue),
            "the news for the panel": self._tell_panel(),
            "the decisions on rounds": self._resolving.serve(),
            "the watch of the clock": watch_steps(self._clock_stepped),
            "the care of the journal": self._journal_care.run(),
            **self._floor.working(self._bus),
        }
        panel = self._panel.serving() if self._panel else nullcontext()
        async with beside(working), self._floor.serving(), panel:
            await self._begin()
            devices = {**self._hotplug(), "the shoe": self._serve("shoe", self._shoe, stop if until_drained else None)}
            devices["the shoe's orders"] = self._desk.serve("shoe", self._shoe)
            if self._reader is not None:
                devices["the reader"] = self._serve("reader", self._reader)
                devices["the reader's orders"] = self._desk.serve("reader", self._reader)
            if self._freshness is not None:
                devices["the age of the reader's data"] = self._freshness.run()
            async with beside({**devices, "the heartbeat": self._heartbeat.run()}):
                self._manager.tell(READY="1")
                await stop.wait()
                self._manager.tell(STOPPING="1")
            await self._leave()

    @property
    def published_seq(self) -> int:
        """The last record that the broker has acknowledged, as far as that was looked up."""
        return self._floor.outbox.published_seq

    def _components(self) -> Iterator[Component]:
        """What has to answer, and how soon; the journal first, for others wait for it."""
        yield Component("the journal", 10, self._journal.answer)
        yield Component("the table", 20, self._table_answer)
        yield Component("the outbox", 60, self._floor.outbox.answer)
        yield Component("the shoe's link", 60, self._shoe.answer)
        if self._reader is not None:
            yield Component("the reader's link", 60, self._reader.answer)
        if self._panel is not None:
            yield Component("the panel", 20, self._panel.answer)

    async def _table_answer(self) -> None:
        """Once the table has come to what is put into its queue now, and stored what it took before; while the disk
        takes nothing, that is all that can be said."""
        async with asyncio.TaskGroup() as group:
            heard = group.create_task(self._table_hears())
            while not (heard.done() or self._journal.trouble):
                await asyncio.wait([heard], timeout=_LOOK_S)
            heard.cancel()

    async def _table_hears(self) -> None:
        heard = asyncio.Event()
        await self._queue.put(Arrival((), time.monotonic_ns(), heard.set))
        await heard.wait()

    def _status(self) -> str:
        reader = f", reader {self._reader.state}" if self._reader else ""
        if self._freshness and self._freshness.is_stale:
            reader += " (its data is stale)"
        return "; ".join([*self._alarms, f"shoe {self._shoe.state}{reader}"])

    def _show(self, verdict: Verdict | None, after: Outlook) -> None:
        self._display(verdict, after)
        if self._panel:
            self._panel.show(verdict, after.due, after.remarks)

    def _committed(self, rows: Sequence[Row]) -> None:
        self._floor.committed()
        self._bus.publish(rows)

    async def _tell_panel(self) -> None:
        async def tell(row: Row) -> None:
            if self._panel:
                self._panel.committed(row.body)

        await self._bus.deliver("panel", tell, _PANEL_BACKLOG)

    async def _serve(self, name: Role, device: Driver, drained: asyncio.Event | None = None) -> None:
        """Until cancelled; `drained`: set once the device's line has ended and the broker has everything."""
        await device.run()
        if drained is None:
            _log.warning("the %s's line has ended; waiting for a stop", name)
        else:
            await self._written()
            await self._floor.outbox.drained()
            drained.set()
        await asyncio.Event().wait()

    async def _leave(self) -> None:
        """The last record, and a short time for the broker to take what is left."""
        await self._note(STOP)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                await self._written()
                await self._floor.settled()

    async def _begin(self) -> None:
        """The first records: the start, which keys are others than before, and that something cannot be opened."""
        path = self._config.journal.path
        changes = (vault_key_changed(path, self._vault), key_changed(path, self._signer))
        await self._note(SystemNoted("start", start_of(self._config, self._vault)))
        for changed in filter(None, changes):
            await self._note(changed)
        if self._misses_values:
            await self._queue.put(Arrival((LogGap(reason="sealed values cannot be opened"),), time.monotonic_ns()))

    async def _written(self) -> None:
        await self._queue.join()
        await self._table.stored()

    async def _note(self, note: SystemNoted) -> None:
        await self._queue.put(Arrival((note,), time.monotonic_ns()))

    async def _noted(self, note: SystemNoted) -> None:
        """Once it is on disk."""
        stored = asyncio.Event()
        await self._queue.put(Arrival((note,), time.monotonic_ns(), stored.set))
        await stored.wait()

    async def _clock_stepped(self, by_s: float) -> None:
        _log.warning("somebody has set the wall clock by %+.1f s", by_s)
        await self._note(SystemNoted("clock.stepped", {"by_s": by_s}))

    def _as_asked(self) -> OfTable:
        return OfTable(
            standing=lambda: self._ledger.standing,
            on_disk=lambda: self._table.on_disk,
            components=lambda: self._heartbeat.components(),
            links=lambda: {"shoe": self._shoe.state} | ({"reader": self._reader.state} if self._reader else {}),
        )

    def _announce(self, part: str, alarms: Sequence[str]) -> None:
        """What is wrong with a part of this daemon itself goes to everybody who can hear it."""
        self._troubles[part] = alarms
        self._alarms = everything = [*chain(*self._troubles.values())]
        self._floor.alarm(everything)
        if self._panel:
            self._panel.alarm(everything)

    def _alarm(self, note: SystemNoted | SecurityNoted) -> None:
        try:
            self._queue.put_nowait(Arrival((note,), time.monotonic_ns()))
        except asyncio.QueueFull:
            _log.error("no room for the record of %s", note)

    def _make_care(self, found: Recovered) -> ReaderCare | None:
        if self._config.reader is None:
            return None
        out = found.standing.lasting.get("reader")
        doubted = out is not None and (out.actor or "").startswith("supervisor")
        cause = (out.code or "") if isinstance(out, ReaderFaulted) else None
        fallback = Fallback(self._config.reader.restore, cause=cause, doubted=doubted)
        fallback = fallback.recall(standing_errors(self._config.journal.path, READER))
        care = ReaderCare(fallback, partial(self._desk.give, READER), self._recall_inspection(self._config.reader))
        care.resume(found.facts)
        return care

    def _make_enforcement(self) -> Enforcement | None:
        codes, path = self._config.enforced, self._config.journal.path
        return None if codes is None else Enforcement(codes, self._desk.give_named, last_lock(path))

    def _recall_inspection(self, reader: Reader) -> Inspection | None:
        if reader.inspection == "off":
            return None
        last = last_inspection(self._config.journal.path)
        return Inspection.recalled(reader.day_starts, last, Moment.now(self._clock.boot))

    def _make_freshness(self) -> Freshness | None:
        """Of what the reader tells, unless it is recorded; each change is a fact for the table, in order among the
        others."""

        async def tell(fact: DeviceReported) -> None:
            await self._queue.put(Arrival((fact,), time.monotonic_ns()))

        reader = self._config.reader
        return Freshness(READER, reader.max_age_s, tell) if reader and reader.port.scheme != "replay" else None

    def _hotplug(self) -> dict[str, Coroutine[Any, Any, None]]:
        """What cuts the pauses of devices that can be plugged in, if there are such."""
        drivers: dict[Role, Driver] = {"shoe": self._shoe, **({"reader": self._reader} if self._reader else {})}
        ports = {role: self._config.port_of(role) for role in drivers}
        if not any(port.scheme in _PLUGGABLE for port in ports.values()):
            return {}
        doubles = Doubles(ports.items(), self._alarm)
        doubles.look()

        def arrived() -> None:
            doubles.look()
            for driver in drivers.values():
                driver.hurry()

        nodes = [port.target for port in ports.values() if port.scheme == "serial"]
        return {"the news of devices": Hotplug(arrived, nodes).run()}


async def run_table(
    config: Config, display: Display, *, until_drained: bool = False, without_sealed: bool = False
) -> None:
    """Run the daemon of one table until it is asked to stop; ShoewatchError where it cannot start or go on.

    `without_sealed`: go on even where what lies face down in the open round cannot be opened."""
    stop, manager = _stop_signal(), ServiceManager.named_by(os.environ)
    async with open_table(config, display, manager, without_sealed=without_sealed) as (daemon, _):
        await daemon.run(stop, until_drained=until_drained)


@asynccontextmanager
async def open_table(
    config: Config, display: Display, manager: ServiceManager, *, without_sealed: bool = False
) -> AsyncIterator[tuple[Daemon, Journal]]:
    """The daemon of one table, to be run within the body, and its journal, which is open as long; ShoewatchError where
    it cannot start."""
    journal = Journal.open(config.journal.path, config.site, config.table)
    try:
        left = await left_behind(config, journal, without_sealed=without_sealed)
        yield Daemon(config, journal, left, display, manager), journal
    finally:
        await journal.close()


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    on_stop(stop.set)
    return stop
