"""`shoewatch record`: a line's bytes into a recording, without a byte of ours on the line."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from controller.cli.mistakes import mistakes_told
from controller.cli.output import remark
from controller.cli.tables import configurations, is_installed
from controller.config_reading import load_config, profile_of
from controller.daemon_commands import restart_daemon, start_daemon
from controller.recording_header import IN_CLEAR, provenance
from controller.stopping import on_stop
from firmware_bridge.known_devices import KNOWN, Protocol, Role, line_of
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.recorder import Recorder, Tap
from firmware_bridge.transport import LineSettings, LinkLost, PortAddress, Transport
from protocols.errors import ConfigError, ShoewatchError, did_you_mean

_NO_SPEED: Final = LineSettings(0)


@dataclass(frozen=True, slots=True)
class _Line:
    device: str
    protocol: Protocol | None
    port: PortAddress
    settings: LineSettings


def record(
    out: Annotated[Path, typer.Option(help="The recording; a file that is not there yet.")],
    port: Annotated[str | None, typer.Argument(help="The line, such as tcp:192.0.2.7:4001; or --config.")] = None,
    protocol: Annotated[str | None, typer.Option(help="angel-eye, bee-tek or tdl: the speed of a serial line.")] = None,
    config: Annotated[Path | None, typer.Option(help="Record the line of a device of this table.")] = None,
    device: Annotated[str, typer.Option(help="shoe or reader.")] = "shoe",
    note: Annotated[list[str] | None, typer.Option(help="What is to be remembered of it; may be repeated.")] = None,
) -> None:
    """Record what comes over a line, until Ctrl-C. Nothing is ever written to the line.

    A serial or USB line belongs to one program at a time: stop the daemon first. A serial device server lets a second
    one listen. A TDL/1 device says nothing to whoever only listens: there the daemon records, with record = "FILE" in
    its section of the configuration. Refused on the computer of a production table.

    Status 0: stopped, or the line's end. 1: the line was lost, or the file takes no more; what came before is in it."""
    with mistakes_told():
        line = _line(port, protocol, config, device)
        _refuse(config, out)
        for hint in _hints(line, config):
            remark(hint)
        problem = asyncio.run(_record(line, out, note or []))
    if problem:
        print(problem, file=sys.stderr)
        raise typer.Exit(1)


def _line(port: str | None, protocol: str | None, config: Path | None, device: str) -> _Line:
    if (port is None) == (config is None):
        raise typer.BadParameter("one of the two says which line", param_hint="PORT, --config")
    role = _one_of("--device", device, ("shoe", "reader"))
    if config is not None:
        return _configured(config, cast(Role, role))
    known = None if protocol is None else _protocol(protocol)
    address = parse_port(str(port))
    if address.scheme == "serial" and known is None and "baud" not in address.params:
        raise ShoewatchError(f"the speed of {port} is not known: --protocol, or {port}?baud=4800")
    return _Line(role, known, address, line_of(known) if known else _NO_SPEED)


def _configured(config: Path, role: Role) -> _Line:
    table = load_config(config)
    section = table.shoe if role == "shoe" else table.reader
    if section is None:
        raise ShoewatchError(f"{config}: this table has no reader")
    protocol: Protocol = section.protocol
    return _Line(f"{role} of {table.table}", protocol, table.port_of(role), line_of(protocol))


def _protocol(text: str) -> Protocol:
    return cast(Protocol, _one_of("--protocol", text, tuple(sorted({known.protocol for known in KNOWN}))))


def _one_of(option: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise typer.BadParameter(f"{text!r}{did_you_mean(text, known)}", param_hint=option)
    return text


def _refuse(config: Path | None, out: Path) -> None:
    if out.exists():
        raise ShoewatchError(f"{out} is there already: a recording is never written over")
    for file in {*configurations(None), *([config] if config else [])}:
        with suppress(ConfigError):
            if profile_of(file) == "production":
                raise ShoewatchError(f'{file} is a production table (profile = "production"): nothing is recorded here')


def _hints(line: _Line, config: Path | None) -> Iterator[str]:
    """What a person may expect of the recording that it will not have in it."""
    role = line.device.partition(" ")[0]
    if line.port.scheme == "sim":
        yield "this simulated device is made for the recording alone: a daemon that runs has another one of that name"
    if line.protocol == "tdl":
        yield "a TDL/1 device tells who listens that it is there, and nothing of the game, which only its host hears"
        file = config or Path("table.toml")
        named = f"[{role}] of {file}"
        run = restart_daemon(file, installed=True) if is_installed(file) else start_daemon(file, installed=False)
        yield f'the daemon records a session itself: stop this, write record = "FILE" in {named}, then {run}'


async def _record(line: _Line, out: Path, notes: list[str]) -> str | None:
    """What went wrong at the end; None where it was asked for."""
    stop = asyncio.Event()
    on_stop(stop.set)
    transport = await _opened(line, stop)
    if transport is None:
        return None
    try:
        recorder = Recorder(out, provenance(line.device, line.protocol, line.port, *notes))
        tap = Tap(transport, recorder)
        print(f"recording to {out} ({IN_CLEAR}); Ctrl-C stops", file=sys.stderr, flush=True)
        try:
            return await _until_the_end(tap, recorder, stop)
        finally:
            await tap.close()
            recorder.close()
            print(f"{recorder.reads} reads, {recorder.bytes} bytes in {out}", file=sys.stderr)
    finally:
        await transport.close()


async def _opened(line: _Line, stop: asyncio.Event) -> Transport | None:
    """The open line; None where it was asked to stop before."""
    opening = asyncio.create_task(open_port(line.port, line.settings))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({opening, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return await opening if opening.done() else None
    except LinkLost as lost:
        raise ShoewatchError(f"{line.port.scheme}:{line.port.target}: {lost}") from None
    finally:
        opening.cancel()
        stopping.cancel()


async def _until_the_end(tap: Tap, recorder: Recorder, stop: asyncio.Event) -> str | None:
    reading = asyncio.create_task(_read_on(tap, recorder))
    stopping = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return reading.result() if reading in done else None
    finally:
        reading.cancel()
        stopping.cancel()


async def _read_on(tap: Tap, recorder: Recorder) -> str | None:
    while recorder.failed is None:
        try:
            await tap.read()
        except LinkLost as lost:
            recorder.remark(f"the line was lost, {lost.kind}")
            return None if lost.kind == "ended" else str(lost)
    return recorder.failed
