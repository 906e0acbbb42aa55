"""The drivers of a table's devices as its configuration wants them: line, session and intake of each protocol."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from controller.config import Config
from controller.device_numbers import last_attested, last_numbered, standing_errors
from controller.recording_header import IN_CLEAR, provenance
from controller.recovery import Recovered
from firmware_bridge.arrival import Intake
from firmware_bridge.driver import PATIENT, SessionDriver
from firmware_bridge.freshness import Freshness
from firmware_bridge.known_devices import Protocol, line_of
from firmware_bridge.link import Opener
from firmware_bridge.ports import open_port
from firmware_bridge.recorder import Recorder, free_name, tapped
from firmware_bridge.replay_port import read_recording
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.intake.bee_tek import BeeTekIntake
from protocols.intake.tdl import TdlIntake
from protocols.line_session import LineSession, Returned
from protocols.wire import angel_eye, bee_tek
from protocols.wire.angel_session import AngelSession
from protocols.wire.bee_tek import BeeTekDecoder
from protocols.wire.tdl.attestation import Attester
from protocols.wire.tdl.framing import IN_PACKETS, ON_A_LINE
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.recorded import RecordedSession
from protocols.wire.tdl.session import HostSession
from protocols.wire.tdl.stream import TdlReport

_log: Final = logging.getLogger(__name__)

Driver = (
    SessionDriver[angel_eye.Report | Returned] | SessionDriver[bee_tek.Report | Returned] | SessionDriver[TdlReport]
)


def shoe_driver(config: Config, found: Recovered, queue: Intake, *, same_header: bool) -> Driver:
    """The driver of the shoe; `same_header`: what it said before this start still counts."""
    protocol = config.shoe.protocol
    if protocol == "tdl":
        return _tdl(config, "shoe", config.shoe.serial, found, queue, _nobody)
    opener = _opener(config, "shoe", protocol)
    if protocol == "bee-tek":
        return SessionDriver("shoe", opener, LineSession(BeeTekDecoder), BeeTekIntake(), queue)
    intake = AngelEyeIntake()
    intake.resume(found.facts if same_header else ())
    return SessionDriver("shoe", opener, AngelSession(config.command_check), intake, queue)


def reader_driver(
    config: Config, found: Recovered, queue: Intake, freshness: Freshness | None
) -> SessionDriver[TdlReport] | None:
    """The driver of the reader, whose reports keep `freshness`; None where the table has none."""
    if config.reader is None:
        return None
    heard = freshness.heard if freshness else _nobody
    return _tdl(config, "reader", config.reader.serial, found, queue, heard)


def _tdl(
    config: Config,
    role: Role,
    serial: str | None,
    found: Recovered,
    queue: Intake,
    on_report: Callable[[int], None],
) -> SessionDriver[TdlReport]:
    """The driver of a TDL/1 device, which goes on where the journal stands with it."""
    intake = TdlIntake(role, role)
    path = config.journal.path
    past = (*last_attested(path, role), *standing_errors(path, role), *last_numbered(path, role))
    intake.resume((*past, *found.facts))
    expected = Expected(_host_id(config), role, config.devices.trusted(), serial)
    session = _session(config, role, expected, intake)
    return SessionDriver(role, _opener(config, role, "tdl"), session, intake, queue, PATIENT, on_report)


def _nobody(_: int) -> None:
    """Nobody waits for this device's reports."""


def _session(config: Config, role: Role, expected: Expected, intake: TdlIntake) -> HostSession | RecordedSession:
    port = config.port_of(role)
    if port.scheme == "replay":
        return RecordedSession(role, expected, intake.position, read_recording(port.target))
    framing = IN_PACKETS if port.scheme == "usb" else ON_A_LINE
    return HostSession(role, expected, intake.position, framing, Attester(intake.settings))


def _opener(config: Config, role: Role, protocol: Protocol) -> Opener:
    """Opens the device's line; where that is wanted, it is recorded for as long as this daemon runs."""
    opener = partial(open_port, config.port_of(role), line_of(protocol))
    section = config.shoe if role == "shoe" else config.reader
    if section is None or section.record is None:
        return opener
    header = provenance(f"{role} of {config.table}", protocol, config.port_of(role), "recorded by the daemon")
    recorder = Recorder(free_name(section.record), header)
    _log.warning("the line of the %s is recorded in %s; %s", role, recorder.path, IN_CLEAR)
    return tapped(opener, recorder)


def _host_id(config: Config) -> bytes:
    """The eight bytes by which this table names itself to its devices."""
    return hashlib.sha256(f"{config.site}/{config.table}".encode()).digest()[:8]
