"""`shoewatch rounds resolve`: what a supervisor decides on a round, said at the table's panel."""

from __future__ import annotations

import asyncio
import json
import uuid
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from controller.cli.lines import parse, printable
from controller.cli.mistakes import mistakes_told
from controller.cli.tables import some_configurations
from controller.config_reading import load_config
from controller.journal_file import MOST
from firmware_bridge.panel import socket_path
from protocols.errors import ShoewatchError

_LINE_BYTES: Final = 1 << 20
_ANSWER_S: Final = 30.0
_DIGITS: Final = len(str(MOST))
_REFUSED: Final = 1


def resolve(
    number: Annotated[int, typer.Argument(metavar="N", min=1, max=MOST, help="The round's number in the journal.")],
    who: Annotated[str, typer.Option(help="Who has decided it.")],
    why: Annotated[str, typer.Option(help="Why, in one sentence.")],
    void: Annotated[bool, typer.Option("--void", help="The round does not count.")] = False,
    accept: Annotated[str | None, typer.Option(metavar="REMEDY", help="It counts, with this remedy.")] = None,
    correct: Annotated[
        str | None,
        typer.Option(metavar="DRAW=CARD", help="This card of it was another one; `rounds show` tells the draw."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="The table's configuration.")] = None,
    name: Annotated[str | None, typer.Option("--id", help="To say it again after no answer: the id of before.")] = None,
) -> None:
    """Decide on a round that went wrong. Nothing that was recorded changes; the decision is a record of its own.

    Status 0: recorded. 1: the table refused it. 2: nobody could be asked."""
    with mistakes_told():
        decided = {"round": number, "who": who, "why": why, **_what(accept, correct, void=void)}
        said = {"id": name or str(uuid.uuid4()), "resolution": decided}
        answer = asyncio.run(_asked(_socket(config), said))
    if not answer.get("ok"):
        typer.echo(printable(f"refused: {answer.get('why')}"), err=True)
        raise typer.Exit(_REFUSED)
    print(f"round {number}: recorded, record {answer.get('seq')}")


def _what(accept: str | None, correct: str | None, *, void: bool) -> dict[str, Any]:
    if [void, accept is not None, correct is not None].count(True) != 1:
        raise ShoewatchError("--void, --accept, --correct: one of the three says what was decided")
    if accept is not None:
        return {"what": "accept", "remedy": accept}
    if correct is None:
        return {"what": "void"}
    draw, _, card = correct.partition("=")
    if not draw.isdecimal() or len(draw) > _DIGITS or not card:
        raise ShoewatchError("--correct: the number of the card in its round and what it was, such as 4=Kh")
    return {"what": "correct", "draw": int(draw), "card": card}


def _socket(config: Path | None) -> Path:
    files = some_configurations(config)
    if len(files) > 1:
        raise ShoewatchError(
            f"several tables are configured here: say which with --config ({', '.join(map(str, files))})"
        )
    panel = load_config(files[0]).panel
    if panel is None:
        raise ShoewatchError(f"{files[0]}: this table has no panel (section [panel], directory = ...)")
    return socket_path(panel.directory, "supervisor")


async def _asked(socket: Path, said: dict[str, Any]) -> dict[str, Any]:
    """The table's answer; ShoewatchError where there is none."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_unix_connection(socket, limit=_LINE_BYTES)
            try:
                writer.write(json.dumps(said).encode() + b"\n")
                answer = parse(await reader.readline())
            finally:
                writer.close()
    except TimeoutError:
        raise ShoewatchError(f"{socket}: no answer; say it again with --id {said['id']}") from None
    except OSError as error:
        raise ShoewatchError(f"{socket}: the table cannot be asked: {error.strerror or error}") from None
    if answer is None:
        raise ShoewatchError(f"{socket}: no answer; say it again with --id {said['id']}")
    return answer
