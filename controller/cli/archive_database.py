"""Which archive a command means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import Connection

from controller.archive.config import ArchiveConfig, load_archive_config
from controller.archive.database import Database, opened_to_read, parse_database, reading
from protocols.errors import ShoewatchError

DatabaseOption = Annotated[
    str | None, typer.Option("--db", metavar="URL", help="The archive: a file, or postgresql://USER@HOST/DB.")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="archive.toml", help="The configuration that names it, instead.")
]


def archive_meant(db: str | None, config: Path | None) -> tuple[Database, ArchiveConfig | None]:
    """The database, and the configuration where it came from one; ShoewatchError where that is not clear."""
    if (db is None) == (config is None):
        raise ShoewatchError("one of the two says which archive: --db URL or --config archive.toml")
    if config is None:
        return parse_database(db or ""), None
    found = load_archive_config(config)
    return found.where(), found


@contextmanager
def reading_from(database: Database) -> Iterator[Connection]:
    """A connection that sees one state of the archive, which others may be writing."""
    engine = opened_to_read(database)
    try:
        with reading(engine, database) as connection:
            yield connection
    finally:
        engine.dispose()
