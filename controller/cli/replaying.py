"""`shoewatch journal replay`: a past log checked again, by its own rules or by others."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.begun import begun
from controller.cli.catalog import Documents
from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from controller.cli.output import remark
from controller.export import is_whole
from controller.journal_file import MOST, read_kinds
from controller.procedures import site_catalog
from controller.rechecking import Recheck, difference, parts, rechecked
from controller.rounds.kept import InJournal
from controller.rounds.rows import gone
from protocols.dealing.catalog import Catalog
from protocols.errors import ShoewatchError


def replay(
    file: Annotated[Path, typer.Argument(metavar="JOURNAL.db", help="The journal; a daemon may be using it.")],
    procedure: Annotated[str | None, typer.Option(help="Check by this procedure instead.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set an option.")] = None,
    number: Annotated[int | None, typer.Option("--round", min=1, max=MOST, help="Tell only of this round.")] = None,
    procedures: Documents = None,
) -> None:
    """Check the past again, each header's part, and print each verdict that differs; with the same rules none may.

    Status 0: none differs. 1: at least one does. 2: the journal, the procedure or an option is wrong."""
    with mistakes_told():
        changed = bool(procedure or option)
        again = _again(file, site_catalog(procedures), procedure, option or [], number)
        different = [each for each in again if (each.differs if changed else not each.is_same)]
        for each in different:
            print(printable(difference(each)))
        if not again:
            raise ShoewatchError(
                f"{file}: {f'no round {number}' if number else 'nothing'} is in this journal to be checked"
            )
    rules = "the other rules" if changed else "the same rules"
    said = f"{len(again)} verdicts checked again by {rules}: {len(different)} differ"
    print(f"{said}{_by_code(different)}", file=sys.stderr)
    raise typer.Exit(1 if different else 0)


def _again(
    file: Path, catalog: Catalog, procedure: str | None, options: list[str], number: int | None
) -> list[Recheck]:
    for said in gone(InJournal(file)):
        remark(said)
    found: list[Recheck] = []
    for part in parts(read_kinds(file, ["header", "table"])):
        if number is not None and all(row.round != number for row in part[1:]):
            continue
        if not is_whole(part):
            remark(f"header {part[0].seq}: not checked, the first of its records are not in this journal any more")
            continue
        again = rechecked(part, lambda log: begun(log, catalog, procedure, options))
        found += [each for each in again if number is None or each.round == number]
    return found


def _by_code(different: list[Recheck]) -> str:
    codes = Counter(each.now.code or each.now.outcome for each in different)
    counts = ", ".join(f"{count} {code}" for code, count in codes.most_common())
    return f" ({counts})" if counts else ""
