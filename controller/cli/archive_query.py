"""`shoewatch archive query`: what surveillance asks, across tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from sqlalchemy import Connection

from controller.archive.database import Database
from controller.archive.query import (
    Asked,
    Count,
    Found,
    FoundRound,
    Incident,
    What,
    chains_asked,
    counts,
    found,
    incidents,
    rounds,
)
from controller.archive.rows import InArchive
from controller.archive.shifts import read_shifts
from controller.cli import archive_lines
from controller.cli.archive_database import ConfigOption, DatabaseOption, archive_meant, reading_from
from controller.cli.archive_lines import Format, count_line, found_line, incident_line, round_line
from controller.cli.mistakes import mistakes_told
from controller.cli.moments import moment
from controller.cli.output import nobody_reads, remark
from controller.cli.rounds import Documents, tell_round
from controller.journal_file import MOST
from controller.procedures import site_catalog
from controller.rounds.listing import Wanted
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import round_records
from protocols.errors import ShoewatchError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Each = TypeVar("Each", bound="DataclassInstance")

app = typer.Typer(help="Search the records of all tables.", no_args_is_help=True)

Tables = Annotated[
    list[str] | None, typer.Option("--table", metavar="SITE/TABLE", help="Only of this table; may be given again.")
]
Since = Annotated[str | None, typer.Option(help="At or after: a time, a date, or a span such as 2h.")]
Until = Annotated[str | None, typer.Option(help="Before.")]
Code = Annotated[str | None, typer.Option(help="Only with this code.")]
Rule = Annotated[str | None, typer.Option(help="Only with this rule, as verdicts name it.")]
Dealer = Annotated[str | None, typer.Option(help="Only while this dealer dealt, by the name or the key told.")]
FormOption = Annotated[Format, typer.Option("--format", help="csv: for a spreadsheet; json: an object a line.")]


@app.callback()
def query() -> None:
    """Search the records of all tables."""


@app.command("rounds")
def query_rounds(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    code: Code = None,
    rule: Rule = None,
    dealer: Dealer = None,
    form: FormOption = Format.TEXT,
) -> None:
    """One line a round, table by table: those begun in this time in which something has this code, rule and dealer."""
    with _asked(db, config, table, since, until, code, rule, dealer) as (database, connection, asked):
        wanted = Wanted(code=code, since=asked.since, until=asked.until)
        _print(rounds(database, connection, asked, wanted), FoundRound, form, round_line)


@app.command()
def violations(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    code: Code = None,
    rule: Rule = None,
    dealer: Dealer = None,
    form: FormOption = Format.TEXT,
) -> None:
    """Every violation, in the order of time."""
    with _asked(db, config, table, since, until, code, rule, dealer) as (_, connection, asked):
        _print_found(connection, "violations", asked, form)


@app.command()
def faults(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    code: Code = None,
    form: FormOption = Format.TEXT,
) -> None:
    """Every time that a shoe or a reader failed, or its line was lost, in the order of time."""
    with _asked(db, config, table, since, until, code) as (_, connection, asked):
        _print_found(connection, "faults", asked, form)


@app.command()
def fallbacks(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    dealer: Dealer = None,
    form: FormOption = Format.TEXT,
) -> None:
    """When a reader went out, what was dealt by instead where somebody chose, and when it came back."""
    with _asked(db, config, table, since, until, dealer=dealer) as (_, connection, asked):
        _print_found(connection, "fallbacks", asked, form)


@app.command("incidents")
def query_incidents(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    form: FormOption = Format.TEXT,
) -> None:
    """What the archive refused or misses, and new epochs, in the order in which it found them."""
    with _asked(db, config, table, since, until) as (_, connection, asked):
        _print(incidents(connection, asked), Incident, form, incident_line)


@app.command("counts")
def query_counts(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    table: Tables = None,
    since: Since = None,
    until: Until = None,
    code: Code = None,
    rule: Rule = None,
    dealer: Dealer = None,
    shifts: Annotated[
        str, typer.Option(metavar="HH:MM,...", help="When shifts begin, on this computer's clock.")
    ] = "06:00,14:00,22:00",
    form: FormOption = Format.TEXT,
) -> None:
    """How many violations and warnings of each code there were in each shift."""
    with _asked(db, config, table, since, until, code, rule, dealer) as (_, connection, asked):
        _print(counts(connection, asked, read_shifts(shifts)), Count, form, count_line)


@app.command("round")
def query_round(
    table: Annotated[str, typer.Argument(metavar="SITE/TABLE")],
    number: Annotated[int, typer.Argument(metavar="N", min=1, max=MOST, help="The round's number in its epoch.")],
    db: DatabaseOption = None,
    config: ConfigOption = None,
    epoch: Annotated[str | None, typer.Option(help="Which epoch of the table, else the one that began last.")] = None,
    procedures: Documents = None,
    json: Annotated[bool, typer.Option("--json", help="Everything that is known, as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="One page to print, into FILE or - .")] = None,
) -> None:
    """One round as it lay on the table, as `shoewatch rounds show` tells it at the table itself."""
    with mistakes_told():
        if json and html is not None:
            raise ShoewatchError("--json and --html: one of the two says in which form")
        database, used = archive_meant(db, config)
        catalog = site_catalog(procedures or (used.procedures if used else None))
        with reading_from(database) as connection:
            chains = chains_asked(connection, [f"/{table}"])
            chain = next((each for each in reversed(chains) if epoch in (None, each.epoch)), None)
            if chain is None:
                there = ", ".join(each.epoch for each in chains)
                raise ShoewatchError(f"{table} has no epoch {epoch} in the archive (it has: {there})")
            kept = InArchive(database, connection, chain)
            tell_round(reconstructed(round_records(kept, number), catalog), html, as_json=json)


@contextmanager
def _asked(
    db: str | None,
    config: Path | None,
    tables: list[str] | None,
    since: str | None,
    until: str | None,
    code: str | None = None,
    rule: str | None = None,
    dealer: str | None = None,
) -> Iterator[tuple[Database, Connection, Asked]]:
    """The archive, ready to be read, and what is asked of it; mistakes are told."""
    with mistakes_told():
        database, _ = archive_meant(db, config)
        begins, ends = (None if text is None else moment(text) for text in (since, until))
        asked = Asked(tuple(f"/{each}" for each in tables or ()), begins, ends, code, rule, dealer)
        with reading_from(database) as connection:
            chains_asked(connection, asked.sources)
            yield database, connection, asked


def _print_found(connection: Connection, what: What, asked: Asked, form: Format) -> None:
    _print(found(connection, what, asked), Found, form, found_line)


def _print(found: Iterable[Each], kind: type[Each], form: Format, line: Callable[[Each], str]) -> None:
    told = 0
    for text in archive_lines.lines(found, kind, form, line):
        told += 1
        sys.stdout.write(text)
        if nobody_reads():
            return
    if told == (form is Format.CSV):
        remark("nothing is found")
