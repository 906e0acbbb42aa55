"""`shoewatch journal`: a table's journal, read without touching it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from controller.export import table_log
from controller.journal_file import JournalError, read_header_log
from protocols.tablelog import write_log

app = typer.Typer(help="Read a table's journal.", no_args_is_help=True)


@app.callback()
def journal() -> None:
    """Read a table's journal."""


@app.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="JOURNAL.db", help="The journal; a daemon may be using it.")],
    header: Annotated[int | None, typer.Option(help="The record number of a header, else the last one.")] = None,
) -> None:
    """Print the table records from one header on as a table log, for `shoewatch check`."""
    try:
        log = table_log(read_header_log(file, header))
    except JournalError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from None
    sys.stdout.write(write_log(log.header, log.events))
