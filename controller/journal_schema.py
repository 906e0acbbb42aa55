"""How a journal's file is laid out, in which version, and how an older one is brought up to date."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError
from protocols.floor.messages import Source

Migration = Callable[[sqlite3.Connection], None]
"""Brings a file from one version of the schema to the next, within a transaction that is begun and ended outside."""

OUTLASTING: Final = (
    *(f'"type":"{name}"' for name in ("shoe.faulted", "shoe.restored", "reader.faulted", "reader.restored")),
    *(
        f'"type":"{name}"'
        for name in ("method.selected", "cut_card.reached", "shoe.loaded", "cards.shuffled", "log.gap")
    ),
    '"report":"mismatch"',
    '"resolution":{',
)
"""What stands in the records that tell of more than their own round, as the second version of the schema finds them."""
OUTLASTS: Final = " OR ".join(f"instr(body, x'{text.encode().hex()}')" for text in OUTLASTING)
"""In SQL; a query that says it in these words reads no other records."""
_INDEXES: Final = (
    "CREATE INDEX record_round ON record(round)",
    "CREATE INDEX record_wall ON record(wall, round)",
    "CREATE INDEX record_kind ON record(kind)",
    f"CREATE INDEX record_outlasts ON record(seq) WHERE {OUTLASTS}",
)


def _find_quickly(connection: sqlite3.Connection) -> None:
    """From the first version to the second: rounds and what outlasts them are found without reading all."""
    for statement in _INDEXES:
        connection.execute(statement)


SCHEMA_VERSION: Final = 2
MIGRATIONS: Final[dict[int, Migration]] = {1: _find_quickly}
"""By the version from which each one leads."""
_READABLE: Final = 1
"""From this version on files hold the same, and who only reads waits for no daemon to bring them up to date."""

_OF_THE_DISK: Final = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
_PRIMARY: Final = 0xFF
_SCHEMA: Final = (
    "CREATE TABLE record(seq INTEGER PRIMARY KEY, boot TEXT, mono_ns INTEGER, wall TEXT, kind TEXT, n INTEGER,"
    " round INTEGER, body BLOB, sealed BLOB, hash BLOB) STRICT",
    "CREATE TABLE cursor(name TEXT PRIMARY KEY, seq INTEGER) STRICT",
    "CREATE TABLE parked(seq INTEGER PRIMARY KEY, reason TEXT) STRICT",
    "CREATE TABLE checkpoint(seq INTEGER PRIMARY KEY, signature BLOB, key_id TEXT) STRICT",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) STRICT",
    *_INDEXES,
)


class JournalError(ShoewatchError):
    """The journal cannot be opened, read or written."""


def prepare(connection: sqlite3.Connection, path: Path, site: str, table: str) -> None:
    """Make the tables where there are none; bring an older file up to date; JournalError where this is not the journal
    of this table, or one that is not to be continued."""
    if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        _create(connection, site, table)
    _migrate(connection, path)
    owner = stored_source(connection, path)
    if (owner.site, owner.table) != (site, table):
        raise JournalError(f"{path}: this is the journal of table {owner.path[1:]}, not of {site}/{table}")
    _refuse_backup(connection, path)
    for kind, name in made_elsewhere(connection):
        raise JournalError(f"{path}: it holds a {kind} {name!r}, which no shoewatch made: somebody changed the file")


def stored_source(connection: sqlite3.Connection, path: Path) -> Source:
    """Site, table and epoch as the file names them; JournalError where it is no journal of ours, or of a version of the
    schema that cannot be read."""
    version = _version(connection, path)
    if version < _READABLE:
        raise JournalError(
            f"{path}: journal schema {version}, older than {SCHEMA_VERSION}: the table's daemon brings it up to date "
            "when it starts"
        )
    try:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        return Source(meta["site"], meta["table"], meta["epoch"])
    except (sqlite3.Error, KeyError) as error:
        raise _no_journal(path, error) from None


def made_elsewhere(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Kind and name of what else than tables works in the file: a trigger, a view."""
    found: list[tuple[str, str]] = connection.execute(
        "SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')"
    ).fetchall()
    return found


def _create(connection: sqlite3.Connection, site: str, table: str) -> None:
    meta = {"schema": str(SCHEMA_VERSION), "epoch": secrets.token_hex(8), "site": site, "table": table}
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.executemany("INSERT INTO meta VALUES(?, ?)", meta.items())
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """One step after the other, each whole or not at all."""
    version = _version(connection, path)
    while version < SCHEMA_VERSION:
        if version not in MIGRATIONS:
            raise JournalError(
                f"{path}: journal schema {version} is too old for this shoewatch; an earlier one reads it"
            )
        connection.execute("BEGIN IMMEDIATE")
        try:
            MIGRATIONS[version](connection)
            version += 1
            connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (str(version),))
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.rollback()
            raise JournalError(f"{path}: journal schema {version} cannot be brought up to date: {error}") from None


def _version(connection: sqlite3.Connection, path: Path) -> int:
    try:
        found = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
        version = int(found[0])
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise _no_journal(path, error) from None
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"{path}: journal schema {version}; this shoewatch reads schema {SCHEMA_VERSION}. A newer shoewatch wrote "
            "it: run that one, or begin a new journal under another path"
        )
    return version


def _no_journal(path: Path, error: Exception) -> JournalError:
    if getattr(error, "sqlite_errorcode", 0) & _PRIMARY in _OF_THE_DISK:
        return JournalError(f"{path}: cannot be read: {error}")
    return JournalError(f"{path}: not a shoewatch journal ({error})")


def _refuse_backup(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("SELECT value FROM meta WHERE key = 'backup'").fetchone()
    if found is not None:
        last = json.loads(found[0])["seq"]
        raise JournalError(
            f"{path}: this is a backup of the records up to {last}, and others than it would write may follow them "
            "already: keep it to be read, and begin a new journal under another path (it has an epoch of its own)"
        )
