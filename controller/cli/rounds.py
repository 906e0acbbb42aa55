"""`shoewatch rounds`: a table's rounds afterwards, from its journal, which a daemon may be writing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from controller.cli.moments import moment
from controller.cli.output import remark
from controller.cli.resolve import resolve
from controller.cli.tables import some_configurations
from controller.config_reading import load_config
from controller.journal_file import MOST
from controller.procedures import site_catalog
from controller.rounds.kept import InJournal
from controller.rounds.listing import SUMMARY, Wanted, listed, nothing_found, summary_line
from controller.rounds.model import RECONSTRUCTION, Reconstruction
from controller.rounds.page import as_page
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import gone, round_records
from controller.rounds.text import as_text
from protocols.dealing.catalog import Catalog
from protocols.errors import ShoewatchError, did_you_mean

app = typer.Typer(help="Look at a table's rounds afterwards.", no_args_is_help=True)
app.command("resolve")(resolve)

JournalFile = Annotated[Path | None, typer.Argument(metavar="[JOURNAL.db]", help="The journal.")]
ConfigFile = Annotated[Path | None, typer.Option(help="The configuration of the table whose journal it is, instead.")]
Documents = Annotated[
    Path | None, typer.Option("--procedures", metavar="DIR", help="The folder of the site's own procedure documents.")
]


@app.callback()
def rounds() -> None:
    """Look at a table's rounds afterwards."""


@app.command("list")
def list_rounds(
    journal: JournalFile = None,
    config: ConfigFile = None,
    violations: Annotated[bool, typer.Option("--violations", help="Only rounds with a violation.")] = False,
    disputed: Annotated[bool, typer.Option("--disputed", help="Only rounds that are disputed.")] = False,
    code: Annotated[str | None, typer.Option(help="Only rounds with this violation or warning.")] = None,
    since: Annotated[str | None, typer.Option(help="Begun at or after: a time, a date, or a span such as 2h.")] = None,
    until: Annotated[str | None, typer.Option(help="Begun before.")] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON Lines, one round a line.")] = False,
) -> None:
    """One line a round: number, start (UTC), procedure, method, boxes, end, codes (warnings in brackets)."""
    with mistakes_told():
        path, catalog = source(journal, config, None)
        check_code(code, catalog)
        begins, ends = (None if text is None else moment(text) for text in (since, until))
        wanted = Wanted(violations, disputed, code, begins, ends)
        for said in gone(InJournal(path)):
            remark(said)
        found = False
        for summary in listed(InJournal(path), wanted):
            found = True
            print(SUMMARY.dump_json(summary).decode() if json else printable(summary_line(summary)))
        if not found:
            remark(nothing_found(InJournal(path), wanted))


@app.command()
def show(
    number: Annotated[int, typer.Argument(metavar="N", min=1, max=MOST, help="The round's number in the journal.")],
    journal: JournalFile = None,
    config: ConfigFile = None,
    procedures: Documents = None,
    json: Annotated[bool, typer.Option("--json", help="Everything that is known, as JSON.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="One page to print, into FILE or - .")] = None,
) -> None:
    """One round as it lay on the table, with every verdict. What was never turned stays closed."""
    with mistakes_told():
        if json and html is not None:
            raise ShoewatchError("--json and --html: one of the two says in which form")
        path, catalog = source(journal, config, procedures)
        tell_round(reconstructed(round_records(InJournal(path), number), catalog), html, as_json=json)


def tell_round(found: Reconstruction, html: Path | None, *, as_json: bool) -> None:
    """The round in the form that is wanted; ShoewatchError where the page cannot be written."""
    if html is not None:
        _write_page(found, html)
    elif as_json:
        print(RECONSTRUCTION.dump_json(found).decode())
    else:
        sys.stdout.write(as_text(found))


def source(journal: Path | None, config: Path | None, documents: Path | None) -> tuple[Path, Catalog]:
    """The journal that is meant, and the procedures that its table knows; ShoewatchError where that is not clear."""
    if journal is not None and config is not None:
        raise ShoewatchError("JOURNAL.db and --config: one of the two says which journal")
    if journal is not None:
        return journal, site_catalog(documents)
    files = some_configurations(config)
    if len(files) > 1:
        raise ShoewatchError(
            f"several tables are configured here: say which with --config ({', '.join(map(str, files))})"
        )
    used = load_config(files[0])
    return used.journal.path, used.catalog if documents is None else site_catalog(documents)


def check_code(code: str | None, catalog: Catalog) -> None:
    """ShoewatchError where no rule has this code."""
    if code is not None and code not in catalog.codes:
        raise ShoewatchError(f"unknown code {code!r}{did_you_mean(code, catalog.codes)}")


def _write_page(found: Reconstruction, file: Path) -> None:
    page = as_page(found)
    if str(file) == "-":
        sys.stdout.write(page)
        return
    try:
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise ShoewatchError(f"{file}: cannot be written: {error.strerror}") from None
