"""`shoewatch config check FILE`: what a configuration would use, without starting anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from controller import openmetrics
from controller.cli.mistakes import mistakes_told
from controller.config import Config
from controller.config_reading import load_config
from controller.config_values import KeyFile
from controller.key_uses import key_problems
from controller.listen_address import ListenAddress
from firmware_bridge.transport import PortAddress
from protocols.errors import ConfigError

app = typer.Typer(help="The configuration of a table.", no_args_is_help=True)


@app.callback()
def config() -> None:
    """The configuration of a table."""


@app.command()
def check(file: Annotated[Path, typer.Argument(help="The table's configuration, such as table.toml.")]) -> None:
    """Print what would be used; with status 78 everything that is wrong instead."""
    with mistakes_told():
        used = load_config(file)
        if problems := [*key_problems(used), *_missing(used)]:
            raise ConfigError(str(file), problems)
    for line in report(used):
        typer.echo(line)


def _missing(used: Config) -> list[str]:
    lacking = openmetrics.missing() if used.metrics else None
    return [lacking] if lacking else []


def report(used: Config) -> Iterator[str]:
    """One line a value, `key = value`, what the file left out is marked; then the options in force."""
    for name in Config.model_fields:
        value = getattr(used, name)
        if isinstance(value, BaseModel):
            yield f"\n[{name}]"
            yield from (_line(value, key, used) for key in type(value).model_fields)
        elif value is None:
            yield f"\n# [{name}] is left out"
        else:
            yield _line(used, name, used)
    yield from _in_force(used)


def _in_force(used: Config) -> Iterator[str]:
    procedure = used.procedure()
    for name in sorted(used.catalog.own):
        own = used.catalog[name]
        yield f"\n# {used.game.procedures} has {name}{f' (extends {own.extends})' if own.extends else ''}: {own.title}"
    yield f"\n# {procedure.id}: {procedure.title}; in force:"
    for name, value in procedure.choose(used.game.options).items():
        yield f"#   {name} = {json.dumps(value)}"


def _line(section: BaseModel, key: str, used: Config) -> str:
    value = used.observes if key == "observes" else getattr(section, key)
    note = "" if key in section.model_fields_set else "   # left out"
    if value is None and (made := _made(key, used)):
        note += f": {made}, made where it is missing"
    return f"{key} = {_written(value)}{note}"


def _made(key: str, used: Config) -> Path | None:
    """The file that is made for what is left out."""
    return {"vault_key": used.journal.own_key, "signing_key": used.journal.own_signing_key}.get(key)


def _written(value: Any) -> str:
    match value:
        case None:
            return "none"
        case PortAddress(scheme, target, params):
            query = "&".join(f"{name}={setting}" for name, setting in params.items())
            return json.dumps(f"{scheme}:{target}" + (f"?{query}" if query else ""))
        case KeyFile():
            return json.dumps(value.text)
        case dict():
            return "{ " + ", ".join(f"{name} = {json.dumps(v)}" for name, v in value.items()) + " }" if value else "{}"
        case time():
            return json.dumps(f"{value:%H:%M}")
        case Path() | ListenAddress():
            return json.dumps(str(value))
        case _:
            return json.dumps(value)
