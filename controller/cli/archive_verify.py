"""`shoewatch archive verify`: whether the archive is what the tables published."""

from __future__ import annotations

import json as json_text
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer
from sqlalchemy import Connection

from controller.archive.compare import Compared, compared
from controller.archive.database import Database, parse_database
from controller.archive.query import Asked, incidents
from controller.archive.verify import verify_archive
from controller.cli.archive_database import ConfigOption, DatabaseOption, archive_meant, reading_from
from controller.cli.archive_lines import compared_line, incident_line
from controller.cli.journal_upkeep import JsonOption, KeysOption, verified_lines
from controller.cli.lines import printable
from controller.cli.mistakes import mistakes_told
from controller.keys_file import read_keys


def verify(
    db: DatabaseOption = None,
    config: ConfigOption = None,
    keys: KeysOption = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="URL", help="Another archive of these tables, to compare with.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Prove that each epoch of each table in the archive is what was published; name the first record that is not.

    Then come the incidents: what was refused, and what is known to be missing. Status 1: something is not as it was
    published."""
    with mistakes_told():
        database, used = archive_meant(db, config)
        known = read_keys(keys) if keys else used.known_keys() if used else None
        sound = True
        with reading_from(database) as connection:
            for each in verify_archive(connection, known):
                sound = sound and each.problem is None
                lines = [json_text.dumps(asdict(each))] if json else verified_lines(each, known)
                print("\n".join(map(printable, lines)), flush=True)
            for incident in incidents(connection, Asked()):
                print(json_text.dumps({"incident": asdict(incident)}) if json else incident_line(incident))
            for both in () if against is None else _compared(connection, parse_database(against)):
                sound = sound and both.same is not False
                print(json_text.dumps({"compared": asdict(both)}) if json else compared_line(both))
    if not sound:
        raise typer.Exit(1)


def _compared(here: Connection, other: Database) -> Iterator[Compared]:
    with reading_from(other) as there:
        yield from compared(here, there)
