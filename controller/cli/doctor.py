"""`shoewatch doctor`: what is plugged in, what is configured, and why it does not work."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shutil import which
from typing import Annotated, Any

import typer

from controller.cli.lines import printable
from controller.cli.listening import listen as heard_from
from controller.cli.tables import configurations, is_installed
from controller.doctor.computer import gather_computer, service_user
from controller.doctor.facts import Computer, Device, Table
from controller.doctor.finding import Finding
from controller.doctor.findings import findings
from controller.doctor.gather import gather_table
from firmware_bridge.plugged import Plugged, called


def doctor(
    config: Annotated[
        Path | None, typer.Argument(help="A table's configuration; else ./table.toml, else the installed tables.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object in place of text.")] = False,
    listen: Annotated[
        float, typer.Option(min=0, max=600, help="Seconds to listen to a line that no daemon has; 0: not at all.")
    ] = 3.0,
) -> None:
    """Say what is plugged in, what is configured, and why it does not work, each with the command that mends it.

    Nothing is changed, nothing is sent to a device, and a daemon that runs is left alone.

    Status 0: all is well. 1: something was found."""
    computer = gather_computer()
    tables = asyncio.run(_tables(configurations(config), listen))
    found = findings(computer, tables)
    if as_json:
        print(json.dumps(_object(computer, tables, found), indent=2))
    else:
        for line in _text(computer, tables, found):
            print(printable(line))
    sys.stdout.flush()
    raise typer.Exit(1 if found else 0)


async def _tables(files: Sequence[Path], seconds: float) -> tuple[Table, ...]:
    hear = partial(heard_from, seconds=seconds) if seconds else None
    return tuple([await gather_table(file, service_user() if is_installed(file) else None, hear) for file in files])


def _text(computer: Computer, tables: Sequence[Table], found: Sequence[Finding]) -> Iterator[str]:
    yield "plugged in:"
    yield from _plugged(computer.plugged)
    if not tables:
        yield "configured: no table"
    for table in tables:
        runs = f"daemon {table.daemon}" if table.daemon else "no daemon runs"
        yield f"configured: {table.name or '?'} ({table.config}), {runs}"
        yield from (f"  {_device(device)}" for device in table.devices)
    for number, finding in enumerate(found, 1):
        yield ""
        yield f"{number}. {finding.where}: {finding.what}"
        yield f"   {finding.mend}"
    if not found:
        yield "nothing is wrong"
    elif which("shoewatch") is None:
        yield ""
        yield f"(shoewatch is not on the path of this user: here it is {Path(sys.argv[0]).absolute()})"


def _plugged(plugged: Plugged) -> Iterator[str]:
    for device in plugged.devices:
        lines = ", ".join(
            " = ".join((line.node, *line.links)) + f" ({line.driver})"
            for line in plugged.lines
            if line.socket == device.path
        )
        serial = device.serial or "no serial number"
        yield f"  {device.path}  {device.id}  {serial}  {called(device.id)}  {lines}".rstrip()
    for line in plugged.lines:
        if line.socket is None:
            yield f"  {line.node}  a serial line of the computer's own ({line.driver})"
    if not (plugged.devices or plugged.lines):
        yield "  nothing"


def _device(device: Device) -> str:
    parts = [f"{device.role}: {device.port.scheme}:{device.port.target} ({device.protocol})"]
    if device.link:
        parts.append(f"recorded as {device.link.state} since {device.link.since}")
    if device.heard:
        frames = sum(device.heard.frames.values())
        parts.append(f"{device.heard.bytes} bytes and {frames} frames heard")
    return ", ".join(parts)


def _object(computer: Computer, tables: Sequence[Table], found: Sequence[Finding]) -> dict[str, Any]:
    facts = {"computer": asdict(computer), "tables": [asdict(table) for table in tables]}
    plain: dict[str, Any] = json.loads(json.dumps(facts, default=str))
    return {"findings": [asdict(finding) for finding in found], **plain}
