"""`shoewatch procedures`: the dealing procedures there are, ours and a site's own."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from controller.cli.catalog import WRONG_INPUT, Documents, catalog_with
from controller.cli.mistakes import mistakes_told
from controller.diagrams import diagram as drawn
from controller.procedure_text import as_json, differences, shown, summaries
from controller.procedures import documents_in, is_ours, read_documents
from protocols.dealing.catalog import procedures as ours
from protocols.dealing.model import Procedure
from protocols.dealing.reading import read
from protocols.errors import ProcedureError

app = typer.Typer(help="The dealing procedures there are.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="ID", help="The procedure, as `list` names it.")]


@app.callback()
def procedures() -> None:
    """The dealing procedures there are."""


@app.command("list")
def list_(procedures: Documents = None) -> None:
    """Print every procedure: its id, its family of games, its title."""
    _print(summaries(catalog_with(procedures)))


@app.command()
def show(
    name: Name,
    procedures: Documents = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Print a document: every rule and option with its paragraph and its mark, and what is judged at which table."""
    procedure = _named(name, procedures)
    _print([as_json(procedure)] if json else shown(procedure))


@app.command()
def diff(
    one: Annotated[str, typer.Argument(metavar="A", help="One procedure.")],
    other: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    procedures: Documents = None,
) -> None:
    """Print what differs between two documents, key by key."""
    _print(differences(_named(one, procedures), _named(other, procedures)))


@app.command()
def diagram(name: Name, procedures: Documents = None) -> None:
    """Print the round of a procedure as a state diagram for Mermaid."""
    _print(drawn(_named(name, procedures)))


@app.command()
def validate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A site's documents; of a folder all that are in it.")
    ],
    procedures: Documents = None,
) -> None:
    """Say of each document that it is sound, or what is wrong with it.

    What it extends or falls back to is looked for among ours and the documents beside it, or in --procedures.

    Status 0: all are. 2: at least one is not."""
    with mistakes_told():
        wrong = _wrong(list(_documents(files)), procedures)
    for file, problems in wrong.items():
        print("\n".join(problems) or f"{file}: ok", file=sys.stderr if problems else sys.stdout)
    raise typer.Exit(WRONG_INPUT if any(wrong.values()) else 0)


def _named(name: str, documents: Path | None) -> Procedure:
    try:
        return catalog_with(documents).named(name)
    except ProcedureError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT) from None


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _documents(files: Iterable[Path]) -> Iterator[Path]:
    """The files, and those in the folders."""
    for file in files:
        if not file.is_dir():
            yield file
        elif found := documents_in(file):
            yield from found
        else:
            raise ProcedureError(f"{file}: there is no document in this folder (*.toml)")


def _wrong(files: Sequence[Path], documents: Path | None) -> Mapping[Path, list[str]]:
    """What is wrong with each file, read with the other documents of the site, or else with those beside it: these
    come after the files, whose ids they cannot take."""
    given = {file.resolve() for file in files}
    site = [file for file in (documents_in(documents) if documents else []) if file.resolve() not in given]
    own = [file for file in files if not is_ours(file)]
    folders = {file.resolve().parent: file.parent for file in own if documents is None}
    beside = [file for folder in folders.values() for file in folder.glob("*.toml") if file.resolve() not in given]
    texts, unreadable = read_documents([*site, *own, *sorted(beside)])
    problems = {**read(texts, ours(), site=True).problems, **{where: (why,) for where, why in unreadable.items()}}
    return {file: [f"{file}: {problem}" for problem in problems.get(str(file), ())] for file in files}
