"""`shoewatch schema`: what a table says and hears on MQTT, as JSON Schema and as AsyncAPI."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.catalog import WRONG_INPUT
from controller.contract.asyncapi import asyncapi as asyncapi_document
from controller.contract.catalog import CHANNELS, MESSAGES
from controller.contract.publishing import Breaks, text_of
from controller.contract.publishing import write as write_documents
from controller.contract.schemas import schema_of
from protocols.errors import did_you_mean, quoted

app = typer.Typer(help="Show the messages on MQTT as JSON Schema and AsyncAPI.", no_args_is_help=True)


@app.callback()
def schema() -> None:
    """Show the messages on MQTT as JSON Schema and AsyncAPI."""


@app.command("list")
def list_() -> None:
    """Print every kind of message: its name, its urn, and the topics where it is said."""
    for name, message in MESSAGES.items():
        topics = ", ".join(channel.address for channel in CHANNELS.values() if channel.message == name)
        print(f"{name:<13} {message.urn:<28} {topics}".rstrip())


@app.command()
def show(name: Annotated[str, typer.Argument(metavar="NAME", help="The message, as `list` names it.")]) -> None:
    """Print the JSON Schema of a kind of message."""
    message = MESSAGES.get(name)
    if message is None:
        known = did_you_mean(name, MESSAGES) or f" (there are: {', '.join(MESSAGES)})"
        print(f"there is no message {quoted(name)}{known}", file=sys.stderr)
        raise typer.Exit(WRONG_INPUT)
    print(text_of(schema_of(message)), end="")


@app.command()
def asyncapi() -> None:
    """Print the AsyncAPI 3.0 document: every topic, what is said there and how it is sent, with examples."""
    print(text_of(asyncapi_document()), end="")


@app.command()
def write(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to, such as docs/contract.")],
    anew: Annotated[
        bool, typer.Option("--anew", help="Write even what changes the meaning of a published field.")
    ] = False,
) -> None:
    """Write all of these documents into a folder.

    Status 2: a schema that is there would mean something else under the same version; nothing is written."""
    try:
        paths = write_documents(folder, anew=anew)
    except OSError as error:
        print(f"{error.filename or folder}: cannot be written: {error.strerror}", file=sys.stderr)
        raise typer.Exit(WRONG_INPUT) from None
    except Breaks as error:
        print(error, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT) from None
    for path in paths:
        print(path)
