"""Where the archive lies, an SQLite file or a PostgreSQL database, and how it is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from alembic.config import Config as Alembic
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from controller.archive.schema import METADATA
from protocols.errors import ShoewatchError

_SQLITE: Final = "sqlite:"
_POSTGRESQL: Final = ("postgresql", "postgres")
_VERSION_TABLE: Final = "archive_version"
_LOCK: Final = 0x5348_4F45
_WAITS_S: Final = 60.0
_WRITES: Final = "archive_writes"
_RIGHT: Final = 'right would be "archive.db" or "postgresql://shoewatch@db.floor/archive"'


class ArchiveError(ShoewatchError):
    """The archive cannot be opened, read or written."""


@dataclass(frozen=True, slots=True)
class Database:
    """An archive's database; `file` None where it is no SQLite file. `str()` names it without the password."""

    url: URL
    file: Path | None = None

    def __str__(self) -> str:
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True).replace("+psycopg", "")


def is_file(text: str) -> bool:
    """Whether this names an SQLite file."""
    return "://" not in text


def parse_database(text: str, password: str | None = None) -> Database:
    """A path, `sqlite:PATH` or `postgresql://USER@HOST/DB`; ShoewatchError else, and for a password within."""
    if is_file(text):
        path = Path(text.removeprefix(_SQLITE))
        if password is not None:
            raise ShoewatchError(f"{path}: an SQLite file has no password")
        if not path.name:
            raise ShoewatchError(f"{text!r} names no database ({_RIGHT})")
        return Database(URL.create("sqlite", database=str(path)), path)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ShoewatchError(f"this is no address of a database ({_RIGHT})") from None
    if url.password is not None or "password" in url.query:
        raise ShoewatchError("a password does not belong in the database's address: name a file or a credential for it")
    if url.drivername not in _POSTGRESQL or not url.database:
        raise ShoewatchError(f"{text!r} is no address of a database ({_RIGHT})")
    return Database(url.set(drivername="postgresql+psycopg", password=password))


def opened_to_write(database: Database) -> Engine:
    """An engine on the database, which is made where there is none, and brought up to date where it is older.

    ArchiveError where it cannot be had, is no archive, or is of a newer version."""
    if database.file is not None and not database.file.exists():
        _make_file(database.file)
    engine = _engine(database, reads_only=False)
    try:
        with writing(engine, database) as connection:
            _bring_up_to_date(connection, database)
    except BaseException:
        engine.dispose()
        raise
    return engine


def opened_to_read(database: Database) -> Engine:
    """An engine that only reads; ArchiveError where there is nothing of this version to read."""
    if database.file is not None and not database.file.exists():
        raise ArchiveError(f"{database}: there is no archive here")
    engine = _engine(database, reads_only=True)
    try:
        with reading(engine, database) as connection:
            _check_newest(connection, database)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def writing(engine: Engine, database: Database) -> Iterator[Connection]:
    """One transaction that writes, whole or not at all; on SQLite it keeps every other one out from its beginning."""
    with _told(database), engine.connect().execution_options(**{_WRITES: True}) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine, database: Database) -> Iterator[Connection]:
    """One transaction that reads a single state of the database, however long it takes."""
    options: dict[str, Any] = {} if database.file else {"isolation_level": "REPEATABLE READ"}
    with _told(database), engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


@contextmanager
def _told(database: Database) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise ArchiveError(f"{database}: {str(cause).strip().splitlines()[0]}") from error


def _make_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be used as an archive: {error.strerror}") from None


def _engine(database: Database, *, reads_only: bool) -> Engine:
    if database.file is None:
        return create_engine(database.url, pool_pre_ping=True)
    mode = "ro" if reads_only else "rw"
    address = f"file:{quote(str(database.file.absolute()))}?mode={mode}"
    engine = create_engine(
        database.url,
        creator=lambda: sqlite3.connect(
            address, uri=True, timeout=_WAITS_S, isolation_level=None, check_same_thread=False
        ),
    )
    event.listen(engine, "begin", _begin)
    if not reads_only:
        event.listen(engine, "connect", _keep_safe)
    return engine


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _keep_safe(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent / "migrations"))


def _bring_up_to_date(connection: Connection, database: Database) -> None:
    """Within the transaction, which nobody else may have at the same time."""
    if database.file is None:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK:d})")
    scripts = _scripts()
    found = _version(connection, database)
    if found == scripts.get_current_head():
        return
    context = EnvironmentContext(Alembic(), scripts, fn=lambda version, _: scripts._upgrade_revs("head", version))
    with context:
        context.configure(connection=connection, version_table=_VERSION_TABLE)
        context.run_migrations()


def _check_newest(connection: Connection, database: Database) -> None:
    found, newest = _version(connection, database), _scripts().get_current_head()
    if found != newest:
        raise ArchiveError(
            f"{database}: archive schema {found or 'none'}, not {newest}: shoewatch archive run brings it up to date "
            "when it starts"
        )


def _version(connection: Connection, database: Database) -> str | None:
    """The version of the schema that is there, None in an empty database; ArchiveError where it is not to be used."""
    tables = set(inspect(connection).get_table_names())
    if _VERSION_TABLE not in tables:
        others = tables if database.file else tables & METADATA.tables.keys()
        if others:
            raise ArchiveError(f"{database}: this is no archive, it holds other tables ({', '.join(sorted(others))})")
        return None
    found = MigrationContext.configure(connection, opts={"version_table": _VERSION_TABLE}).get_current_revision()
    if found is not None and found not in {each.revision for each in _scripts().walk_revisions()}:
        raise ArchiveError(f"{database}: archive schema {found}; a newer shoewatch wrote it: run that one")
    return found
