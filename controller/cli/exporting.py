"""`shoewatch journal export`: the journal for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.mistakes import mistakes_told
from controller.cli.moments import moment
from controller.cli.output import remark
from controller.export import table_log
from controller.journal_file import MOST, Row, read_all, read_header_log, read_kinds
from controller.rounds.kept import InJournal
from controller.rounds.rows import gone
from controller.spreadsheet import csv_lines, openings
from protocols.tablelog import write_log


class Format(Enum):
    """How an export is written."""

    TABLE_LOG = "table-log"
    JSONL = "jsonl"
    CSV = "csv"


def export(
    file: Annotated[Path, typer.Argument(metavar="JOURNAL.db", help="The journal; a daemon may be using it.")],
    form: Annotated[
        Format, typer.Option("--format", help="jsonl and csv: of all headers, unless one is named.")
    ] = Format.TABLE_LOG,
    header: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="The record number of a header, else the last one.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("--round", min=1, max=MOST, help="Only this round of the journal.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="From a time, a date, or a span ago such as 2h.")] = None,
) -> None:
    """Print the records for other programs: as a table log for `shoewatch check`, as published, or for a spreadsheet.

    A card that was turned has its value where it was drawn, but in jsonl, which is what was published; one that was
    never turned has none anywhere."""
    with mistakes_told():
        begins = None if since is None else moment(since)
        for said in gone(InJournal(file)):
            remark(said)
        if form is Format.TABLE_LOG:
            wanted = {row.seq for row in _wanted(read_header_log(file, header), number, begins)}
            log = table_log(read_header_log(file, header), only=wanted)
            sys.stdout.write(write_log(log.header, log.events))
            return
        rows = _wanted(read_all(file) if header is None else read_header_log(file, header), number, begins)
        if form is Format.JSONL:
            for row in rows:
                print(row.body.decode())
            return
        sys.stdout.writelines(csv_lines(rows, openings(read_kinds(file, ["table"]))))


def _wanted(rows: Iterable[Row], number: int | None, since: datetime | None) -> Iterator[Row]:
    for row in rows:
        in_round = number is None or row.round == number
        if in_round and (since is None or datetime.fromisoformat(row.wall) >= since):
            yield row
