"""`shoewatch monitor`: one table's records and what is due, one line each, from the table's panel."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from controller.cli.endless import run_until_stopped
from controller.cli.lines import alarm_line, due_line, parse, printable, record_line
from controller.cli.mistakes import mistakes_told
from controller.cli.output import remark, show
from controller.config_reading import load_config
from firmware_bridge.panel import ROLES, socket_path
from protocols.errors import ShoewatchError
from protocols.tablelog import dump

_AGAIN_S: Final = 0.5
_LINE_BYTES: Final = 1 << 20


def monitor(
    config: Annotated[Path | None, typer.Option(help="The table's configuration.")] = None,
    panel: Annotated[Path | None, typer.Option(help="The folder of the panel's sockets instead.")] = None,
) -> None:
    """Show what happens at a table and what is due there, until Ctrl-C; also across restarts of its daemon."""
    with mistakes_told():
        run_until_stopped(_monitor(_directory(config, panel)))


def _directory(config: Path | None, panel: Path | None) -> Path:
    if config is None and panel is not None:
        return panel
    if config is None or panel is not None:
        raise typer.BadParameter("one of the two says which table", param_hint="--config, --panel")
    section = load_config(config).panel
    if section is None:
        raise ShoewatchError(f"{config}: this table has no panel (section [panel], directory = ...)")
    return section.directory


async def _monitor(directory: Path) -> None:
    """Until cancelled, across lost connections."""
    told = ""
    while True:
        try:
            reader, writer = await _open(directory)
        except OSError as error:
            if str(error) != told:
                told = str(error)
                remark(f"{directory}: {error.strerror}; trying again")
        else:
            remark(f"watching {directory}; Ctrl-C stops")
            told = ""
            await _show(reader, writer)
        await asyncio.sleep(_AGAIN_S)


async def _open(directory: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the socket that this user may open; OSError where there is none."""
    dealer, supervisor = (socket_path(directory, role) for role in ROLES)
    try:
        return await asyncio.open_unix_connection(dealer, limit=_LINE_BYTES)
    except PermissionError:
        return await asyncio.open_unix_connection(supervisor, limit=_LINE_BYTES)


async def _show(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Each line until the panel ends the connection."""
    try:
        writer.write(dump({"watch": True}).encode() + b"\n")
        while line := await reader.readline():
            show(_words(parse(line)))
        remark("the panel has closed the connection; trying again")
    except (OSError, ValueError) as error:
        remark(f"{error}; trying again")
    finally:
        writer.close()


def _words(fields: dict[str, Any] | None) -> str:
    if fields is None:
        return "! a line that is no JSON object"
    if "due" in fields:
        return due_line(fields)
    if "data" in fields:
        return record_line(fields)
    if "alarms" in fields:
        return alarm_line(fields)
    return printable(f"! {fields.get('dropped') or fields.get('why') or fields}")
