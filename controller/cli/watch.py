"""`shoewatch watch`: what the tables publish, one line a record."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.chain import Chains
from controller.cli.endless import run_until_stopped
from controller.cli.lines import parse, printable, record_line, status_line
from controller.cli.output import remark, show
from controller.config_values import LEVEL
from controller.mqtt import Dialer, Disconnected, Message, Rejected
from controller.mqtt_address import Certificates, parse_address
from protocols.errors import ShoewatchError
from protocols.floor.topics import ROOT

_AGAIN_S: Final = 0.5
_WRONG_INPUT: Final = 2


def watch(
    url: Annotated[str, typer.Argument(help="The broker.")] = "mqtt://127.0.0.1:1883",
    site: Annotated[str | None, typer.Option(help="Only this site.")] = None,
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The messages as they are published.")] = False,
    ca: Annotated[Path | None, typer.Option(help="Whom to trust, for mqtts://.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Who we are, for mqtts://; with --key.")] = None,
    key: Annotated[Path | None, typer.Option(help="The key of --certificate.")] = None,
    allow_insecure: Annotated[bool, typer.Option(help="Plain text beyond this computer.")] = False,
) -> None:
    """Show what the tables publish, until Ctrl-C; needs no other MQTT client."""
    files = Certificates(ca, certificate, key)
    try:
        base = f"{ROOT}/{_level(site)}/{_level(table)}"
        address = parse_address(url, None if files == Certificates() else files, allow_insecure=allow_insecure)
        dialer = Dialer(address)
        run_until_stopped(_watch(dialer, (f"{base}/evt/#", f"{base}/status"), _Display(json)))
    except (ShoewatchError, Rejected) as error:
        remark(str(error))
        raise typer.Exit(_WRONG_INPUT) from None


def _level(name: str | None) -> str:
    """A level of the topics; all of them where none is named."""
    if name is not None and not LEVEL.fullmatch(name):
        raise ShoewatchError(f"{name!r} names no site or table (1 to 32 of a-z, 0-9 and -)")
    return name or "+"


class _Display:
    """Messages to standard output; remarks about them too, but to standard error where the output is JSON."""

    def __init__(self, json: bool) -> None:
        self._json = json
        self._chains = Chains()

    def show(self, message: Message) -> None:
        if self._json:
            show(message.payload.decode(errors="replace"))
        if message.topic.endswith("/status"):
            self._say(status_line(message.topic, message.payload))
        else:
            self._show_record(message)

    def _show_record(self, message: Message) -> None:
        record = parse(message.payload)
        if record is None:
            remark(f"no record: a message on {printable(message.topic)} that is no JSON object")
            return
        if (problem := self._chains.take(record, message.payload)) is not None:
            remark(problem) if self._json else self._say(f"! {printable(problem)}")
        self._say(record_line(record))

    def _say(self, line: str) -> None:
        if not self._json:
            show(line)


async def _watch(dialer: Dialer, filters: tuple[str, ...], display: _Display) -> None:
    """Until cancelled, across lost connections."""
    told = ""
    while True:
        try:
            async with dialer.connect() as session:
                await session.subscribe(*filters)
                remark(f"watching {dialer.address}; Ctrl-C stops")
                told = ""
                async for message in session.messages():
                    display.show(message)
        except Disconnected as lost:
            if str(lost) != told:
                told = str(lost)
                remark(f"{dialer.address}: {told}; trying again")
        await asyncio.sleep(_AGAIN_S)
