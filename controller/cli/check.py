"""`shoewatch check`: a table log against a procedure."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.begun import begun
from controller.cli.catalog import WRONG_INPUT, Documents, catalog_with
from protocols.dealing.catalog import Catalog
from protocols.errors import LogError, ShoewatchError
from protocols.tablelog import TableLog, read_log
from protocols.verdicts import VERDICT, Verdict


def check(
    log: Annotated[str, typer.Argument(metavar="LOG.jsonl", help="A table log; - reads standard input.")],
    procedure: Annotated[
        str | None, typer.Option(help="Check against this procedure, whatever the header says.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Set an option of the procedure.")
    ] = None,
    procedures: Documents = None,
    violations: Annotated[bool, typer.Option("--violations", help="Print only violations.")] = False,
) -> None:
    """Check a table log: one verdict a line on standard output, a count on standard error.

    Status 0: no violation. 1: at least one. 2: the log, the procedure, a document or an option is wrong."""
    catalog = catalog_with(procedures)
    try:
        answers = _answers(_read(log), catalog, procedure, option or [])
    except ShoewatchError as error:
        print(f"{log}: {error}", file=sys.stderr)
        raise typer.Exit(WRONG_INPUT) from None
    for verdict in answers:
        if not violations or verdict.outcome == "violation":
            print(VERDICT.dump_json(verdict).decode())
    counts = Counter(verdict.outcome for verdict in answers)
    said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("ok", "warning", "violation", "unobservable"))
    print(f"{len(answers)} events: {said}", file=sys.stderr)
    raise typer.Exit(1 if counts["violation"] else 0)


def _read(log: str) -> TableLog:
    try:
        data = sys.stdin.buffer.read() if log == "-" else Path(log).read_bytes()
        return read_log(data.decode("utf-8-sig"))
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise LogError(f"no UTF-8 at byte {error.start}", data[: error.start].count(b"\n") + 1) from None


def _answers(log: TableLog, catalog: Catalog, name: str | None, options: list[str]) -> list[Verdict]:
    check = begun(log, catalog, name, options)
    answers = []
    for event, line in zip(log.events, log.lines, strict=True):
        try:
            check, verdict = check.step(event)
        except LogError as error:
            raise LogError(str(error), line) from None
        answers.append(verdict)
    return answers
