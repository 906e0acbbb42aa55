"""The daemon put together: the only place, besides the commands, that names concrete devices, stores and brokers."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import signal
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from importlib.metadata import version
from typing import Any, Final

from controller.answers import Recalled, recalled
from controller.beside import beside
from controller.bus import Bus
from controller.clock import Clock, watch_steps
from controller.config import Config, Reader
from controller.device_numbers import last_numbered, standing_errors
from controller.fallback import READER, Fallback
from controller.heartbeat import Component, Heartbeat
from controller.inputs import Inputs, no_reader
from controller.inspection import Inspection, Moment, last_inspection
from controller.journal import Journal
from controller.journal_file import Row, read_all
from controller.ledger import Ledger
from controller.mqtt import Dialer
from controller.notify import ServiceManager
from controller.outbox import Outbox
from controller.presence import Presence
from controller.reader_care import ReaderCare
from controller.recording_header import IN_CLEAR, provenance
from controller.recovery import Recovered, fresh, recovered
from controller.registry_file import read_registry
from controller.table import Display, Table
from controller.vault import Vault, make_key_file
from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.freshness import Freshness
from firmware_bridge.hotplug import Hotplug
from firmware_bridge.known_devices import Protocol, line_of
from firmware_bridge.link import Opener
from firmware_bridge.panel import Panel
from firmware_bridge.ports import open_port
from firmware_bridge.recorder import Recorder, free_name, tapped
from firmware_bridge.replay_port import read_recording
from firmware_bridge.shoe import ShoeDriver
from firmware_bridge.tdl import SessionDriver
from protocols.dealing.outlook import Outlook, outlook
from protocols.events import LogHeader, ReaderFaulted
from protocols.floor.topics import Topics
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.tdl import TdlIntake
from protocols.orders import Order, args_of
from protocols.records import DeviceReported, Fact, Ordered, SystemNoted
from protocols.verdicts import Verdict
from protocols.wire.angel_eye import AngelEyeDecoder, Report
from protocols.wire.tdl.framing import IN_PACKETS, ON_A_LINE
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.recorded import RecordedSession
from protocols.wire.tdl.session import HostSession
from protocols.wire.tdl.stream import TdlReport

_INTAKE_SIZE: Final = 256
_PLUGGABLE: Final = ("serial", "usb")
_LAST_WORDS_S: Final = 0.5
_PANEL_BACKLOG: Final = 1024
_INPUTS_WITHIN: Final = 20_000
"""How many records back a start looks for inputs and their answers."""
_log: Final = logging.getLogger(__name__)

Driver = ShoeDriver[Report] | SessionDriver[TdlReport]


class Daemon:
    """One table's daemon; `display` gets each verdict and the outlook after it, at once."""

    def __init__(
        self,
        config: Config,
        journal: Journal,
        found: Recovered,
        past: Recalled,
        vault: Vault,
        display: Display,
        manager: ServiceManager,
    ) -> None:
        self._clock = clock = Clock()
        self._config = config
        self._journal = journal
        self._queue: Intake = asyncio.Queue(_INTAKE_SIZE)
        self._bus = Bus()
        self._ledger = Ledger(journal.source, found.standing, _header(config), config.procedure(), vault, clock)
        self._panel = Panel(config.panel.directory, self._queue) if config.panel else None
        self._display = display
        self._manager = manager
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        care = self._make_care(found)
        inputs = Inputs(config.told_by_devices, past, care.word if care else no_reader)
        self._table = Table(self._ledger, journal, inputs, self._show, self._committed, care)
        self._outbox = self._make_outbox(clock)
        self._freshness = self._make_freshness()
        self._shoe = self._make_shoe(found)
        self._reader = self._make_reader(found)
        if self._panel:
            told = found.verdict if _same_header(config, found) else None
            now = outlook(self._ledger.check)
            self._panel.show(told, now.due, now.remarks)

    async def run(self, stop: asyncio.Event, *, until_drained: bool) -> None:
        """Run until `stop` is set, or, with `until_drained`, until the shoe's line has ended and everything is
        acknowledged by the broker."""
        working = {
            "the table": self._table.run(self._queue),
            "the news for the panel": self._tell_panel(),
            "the watch of the clock": watch_steps(self._clock_stepped),
        }
        panel = self._panel.serving() if self._panel else nullcontext()
        async with beside(working), beside({"the outbox": self._outbox.run()}), panel:
            await self._note("start", version=version("shoewatch"), procedure=self._config.game.procedure)
            devices = {**self._hotplug(), "the shoe": self._serve("shoe", self._shoe, stop if until_drained else None)}
            if self._reader is not None:
                devices["the reader"] = self._serve("reader", self._reader)
                devices["the reader's orders"] = self._carry_out(self._reader)
            if self._freshness is not None:
                devices["the age of the reader's data"] = self._freshness.run()
            heartbeat = Heartbeat(self._components(), self._manager, self._status)
            async with beside({**devices, "the heartbeat": heartbeat.run()}):
                self._manager.tell(READY="1")
                await stop.wait()
                self._manager.tell(STOPPING="1")
            await self._leave()

    def _components(self) -> Iterator[Component]:
        """What has to answer, and how soon; the journal first, for others wait for it."""
        yield Component("the journal", 10, self._journal.answer)
        yield Component("the table", 20, self._table_answer)
        yield Component("the outbox", 60, self._outbox.answer)
        yield Component("the shoe's link", 60, self._shoe.answer)
        if self._reader is not None:
            yield Component("the reader's link", 60, self._reader.answer)
        if self._panel is not None:
            yield Component("the panel", 20, self._panel.answer)

    async def _table_answer(self) -> None:
        """Once the table has come to what is put into its queue now, and stored what it took before."""
        heard = asyncio.Event()
        await self._queue.put(Arrival((), time.monotonic_ns(), heard.set))
        await heard.wait()

    def _status(self) -> str:
        reader = f", reader {self._reader.state}" if self._reader else ""
        if self._freshness and self._freshness.is_stale:
            reader += " (its data is stale)"
        return f"shoe {self._shoe.state}{reader}"

    def _show(self, verdict: Verdict, after: Outlook) -> None:
        self._display(verdict, after)
        if self._panel:
            self._panel.show(verdict, after.due, after.remarks)

    def _committed(self, rows: Sequence[Row]) -> None:
        self._outbox.wake()
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
            await self._outbox.drained()
            drained.set()
        await asyncio.Event().wait()

    async def _leave(self) -> None:
        """The last record, and a short time for the broker to take what is left."""
        await self._note("stop")
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                await self._written()
                await self._outbox.drained()

    async def _written(self) -> None:
        await self._queue.join()
        await self._table.stored()

    async def _note(self, what: str, **data: Any) -> None:
        await self._queue.put(Arrival((SystemNoted(what, data),), time.monotonic_ns()))

    async def _clock_stepped(self, by_s: float) -> None:
        _log.warning("somebody has set the wall clock by %+.1f s", by_s)
        await self._note("clock.stepped", by_s=by_s)

    def _make_outbox(self, clock: Clock) -> Outbox:
        config, address = self._config, self._config.mqtt.address()
        topics = Topics(config.site, config.table)
        presence = Presence(topics.status, self._journal.epoch, clock.boot, address.insecure)
        dialer = Dialer(address, f"{config.site}-{config.table}", config.mqtt.protocol)
        return Outbox(self._journal, dialer, topics, presence, self._alarm)

    def _alarm(self, note: SystemNoted) -> None:
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
        care = ReaderCare(fallback, self._orders.put_nowait, self._recall_inspection(self._config.reader))
        care.resume(found.facts)
        return care

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

    async def _carry_out(self, reader: SessionDriver[TdlReport]) -> None:
        """Give the table's orders one after the other; each answer is a fact for the table."""
        while True:
            order = await self._orders.get()
            answer = await reader.command(order)
            args = args_of(order)
            name = f"{order.name}-{args['round']}" if "round" in args else order.name
            fact = Ordered(READER, order.name, args, name, answer)
            await self._queue.put(Arrival((fact,), time.monotonic_ns()))

    def _make_shoe(self, found: Recovered) -> Driver:
        shoe = self._config.shoe
        if shoe.protocol == "tdl":
            return self._tdl("shoe", shoe.serial, found)
        intake = AngelEyeIntake()
        intake.resume(_carried_over(self._config, found))
        opener = self._opener("shoe", "angel-eye")
        return ShoeDriver("shoe", opener, AngelEyeDecoder, intake, self._queue)

    def _hotplug(self) -> dict[str, Coroutine[Any, Any, None]]:
        """What cuts the pauses of devices that can be plugged in, if there are such."""
        drivers = [self._shoe, *([self._reader] if self._reader else [])]
        ports = [self._config.shoe.port, *([self._config.reader.port] if self._config.reader else [])]
        if not any(port.scheme in _PLUGGABLE for port in ports):
            return {}

        def arrived() -> None:
            for driver in drivers:
                driver.hurry()

        nodes = [port.target for port in ports if port.scheme == "serial"]
        return {"the news of devices": Hotplug(arrived, nodes).run()}

    def _make_reader(self, found: Recovered) -> SessionDriver[TdlReport] | None:
        reader = self._config.reader
        return None if reader is None else self._tdl("reader", reader.serial, found)

    def _opener(self, role: Role, protocol: Protocol) -> Opener:
        """Opens the device's line; where that is wanted, it is recorded for as long as this daemon runs."""
        config = self._config
        opener = partial(open_port, config.port_of(role), line_of(protocol))
        section = config.shoe if role == "shoe" else config.reader
        if section is None or section.record is None:
            return opener
        header = provenance(f"{role} of {config.table}", protocol, config.port_of(role), "recorded by the daemon")
        recorder = Recorder(free_name(section.record), header)
        _log.warning("the line of the %s is recorded in %s; %s", role, recorder.path, IN_CLEAR)
        return tapped(opener, recorder)

    def _tdl(self, role: Role, serial: str | None, found: Recovered) -> SessionDriver[TdlReport]:
        """The driver of a TDL/1 device, which goes on where the journal stands with it."""
        config = self._config
        assert config.devices is not None
        intake = TdlIntake(role, role)
        path = config.journal.path
        intake.resume((*standing_errors(path, role), *last_numbered(path, role), *found.facts))
        expected = Expected(_host_id(config), role, read_registry(config.devices.registry), serial)
        port = config.port_of(role)
        session: HostSession | RecordedSession
        if port.scheme == "replay":
            session = RecordedSession(role, expected, intake.position, read_recording(port.target))
        else:
            framing = IN_PACKETS if port.scheme == "usb" else ON_A_LINE
            session = HostSession(role, expected, intake.position, framing)
        opener = self._opener(role, "tdl")
        if role == READER and self._freshness:
            return SessionDriver(role, opener, session, intake, self._queue, on_report=self._freshness.heard)
        return SessionDriver(role, opener, session, intake, self._queue)


def _carried_over(config: Config, found: Recovered) -> tuple[Fact, ...]:
    """What the shoe said before this start; nothing where another header comes into force, whose shoe is unknown."""
    return found.facts if _same_header(config, found) else ()


def _same_header(config: Config, found: Recovered) -> bool:
    """Whether this start goes on under the header that the journal ends with, at least to the end of the round."""
    standing = found.standing
    return standing.header == _header(config) or standing.check.state.round.opened


def _host_id(config: Config) -> bytes:
    """The eight bytes by which this table names itself to its devices."""
    return hashlib.sha256(f"{config.site}/{config.table}".encode()).digest()[:8]


async def run_table(config: Config, display: Display, *, until_drained: bool) -> None:
    """Run the daemon of one table until SIGTERM or SIGINT; ShoewatchError where it cannot start or go on."""
    stop = _stop_signal()
    journal = Journal.open(config.journal.path, config.site, config.table)
    try:
        vault = _vault(config, journal)
        _log.info("shoewatch %s for %s by %s", version("shoewatch"), journal.source.path, config.game.procedure)
        _log.info("journal %s, record %d", config.journal.path, journal.last_seq)
        found = await _recover(config, journal, vault)
        past = _past_inputs(config, found)
        daemon = Daemon(config, journal, found, past, vault, display, ServiceManager.named_by(os.environ))
        await daemon.run(stop, until_drained=until_drained)
    finally:
        await journal.close()


async def _recover(config: Config, journal: Journal, vault: Vault) -> Recovered:
    found = recovered(config.journal.path, journal.epoch, config.catalog.named, vault)
    if found is None:
        return await _begin(config, journal, vault)
    if found.differs is not None:
        _log.warning("record %d and others are answered differently by this version of the rules", found.differs)
    return found


def _past_inputs(config: Config, found: Recovered) -> Recalled:
    """What people said before this start; nothing where there is no panel at which they could say it again."""
    if config.panel is None:
        return Recalled()
    return recalled(read_all(config.journal.path, max(0, found.standing.seq - _INPUTS_WITHIN)))


async def _begin(config: Config, journal: Journal, vault: Vault) -> Recovered:
    """The first record of a journal is its header."""
    begun = fresh(_header(config), config.procedure())
    ledger = Ledger(journal.source, begun.standing, _header(config), config.procedure(), vault, Clock())
    await journal.append([ledger.header(time.monotonic_ns())])
    return Recovered(ledger.standing)


def _header(config: Config) -> LogHeader:
    return LogHeader(procedure=config.game.procedure, options=config.game.options, observes=config.observes)


def _vault(config: Config, journal: Journal) -> Vault:
    """The vault of the configured key; without one a key beside the journal, made when it is not there."""
    if config.journal.vault_key is not None:
        return Vault.from_file(config.journal.vault_key.file())
    path = config.journal.own_key
    if not path.exists() and journal.last_seq:
        _log.warning("%s is gone: what older records hold sealed cannot be opened without it; a new key is made", path)
    make_key_file(path)
    return Vault.from_file(path)


def _stop_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop
