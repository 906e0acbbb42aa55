"""The journal's file: its schema, the checks when it is opened, reading and writing rows. Blocking; see journal.py."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Final
from urllib.parse import quote

from controller.journal_schema import OUTLASTING, OUTLASTS, prepare, stored_source
from controller.journal_schema import JournalError as JournalError
from protocols.floor.chain import START, Link
from protocols.floor.checkpoints import Checkpoint
from protocols.records import Kind


@dataclass(frozen=True, slots=True)
class Row:
    """One record as stored. `seq` from 1; `mono_ns` monotonic clock of `boot`; `wall` RFC 3339 UTC; `body` the bytes
    as published; `hash` their SHA-256 (32 bytes); `n` and `round` None where the kind has none."""

    seq: int
    boot: str
    mono_ns: int
    wall: str
    kind: Kind
    n: int | None
    round: int | None
    body: bytes
    sealed: bytes | None
    hash: bytes


MOST: Final = 2**63 - 2
"""No record and no round has a higher number, and this one can still be added to."""
_COLUMNS: Final = ", ".join(field.name for field in fields(Row))
_INSERT: Final = f"INSERT INTO record({_COLUMNS}) VALUES({', '.join('?' * len(fields(Row)))})"
_SELECT: Final = f"SELECT {_COLUMNS} FROM record"  # noqa: S608
_UNSEEN: Final = ""
_REMEMBERED: Final = "kept:"
_DAMAGED: Final = (
    "Keep the file as evidence (shoewatch journal verify says more) and begin a new journal under another path; what a "
    "backup holds can be read from there"
)


def lock(path: Path) -> int:
    """Keep every other daemon off this journal until the returned descriptor is closed.

    The lock is a file of its own: to close any descriptor of the database would drop the locks of SQLite on it."""
    try:
        descriptor = os.open(lock_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(f"{path}: cannot be used as a journal: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise JournalError(f"{path}: another shoewatch is using this journal; each table needs its own") from None
    return descriptor


def open_file(path: Path, site: str, table: str) -> sqlite3.Connection:
    """The file, ready to be written: made where there is none, checked where there is one; JournalError else."""
    try:
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise JournalError(f"{path}: cannot be used as a journal: {error.strerror}") from None
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise JournalError(f"{path}: not a usable journal: {error}") from None
    try:
        _prepare(connection, path, site, table)
        path.chmod(0o600)
    except sqlite3.Error as error:
        connection.close()
        raise JournalError(f"{path}: not a usable journal: {error}") from None
    except JournalError:
        connection.close()
        raise
    return connection


def read_all(path: Path, after: int = 0) -> Iterator[Row]:
    """Every row behind `after` in order, read only, without a loop; also while a daemon writes."""
    yield from _read(path, "seq > ?", after)


def read_kinds(path: Path, kinds: Sequence[Kind], after: int = 0) -> Iterator[Row]:
    """Of those the rows of these kinds."""
    yield from _read(path, f"seq > ? AND {_of_kinds(kinds)}", after, *kinds)


def read_rounds(path: Path, first: int, last: int) -> Iterator[Row]:
    """The rows that belong to these rounds of the epoch, in order."""
    span = "SELECT {}(seq) FROM record WHERE round BETWEEN ? AND ?"
    within = f"seq BETWEEN ({span.format('min')}) AND ({span.format('max')}) AND +round BETWEEN ? AND ?"
    yield from _read(path, within, *[first, last] * 3)


def read_dealt(path: Path, first: int, last: int, after: int) -> Iterator[Row]:
    """The rows of headers and of the table behind `after` that belong to these rounds, in order, then the next one of
    the table, which may be about another round."""
    end = after
    for row in read_rounds(path, first, last):
        if row.seq > after:
            end = row.seq
            if row.kind in ("header", "table"):
                yield row
    yield from _read(path, "seq > ? AND +kind = 'table'", end, limit=1)


def rounds_told(path: Path, since: str, until: str) -> list[int]:
    """The rounds to which some record belongs that was made between these two, in order; both as records tell the wall
    clock, or the beginning of that."""
    select = "SELECT DISTINCT round FROM record WHERE wall BETWEEN ? AND ? AND round IS NOT NULL ORDER BY round"
    with reading(path) as connection:
        return [number for (number,) in connection.execute(select, (since, until))]


def dealt_rounds(path: Path, after: int) -> tuple[int, int] | None:
    """The first and the last round that the table's records behind `after` are about; None where there are none."""
    ends = (
        _value(path, f"SELECT round FROM record WHERE round > 0 AND +kind = 'table' AND seq > {after:d} {end} LIMIT 1")  # noqa: S608
        for end in ("ORDER BY round", "ORDER BY round DESC")
    )
    first, last = (None if each is None else int(each) for each in ends)
    return None if first is None or last is None else (first, last)


def read_back(
    path: Path, kinds: Sequence[Kind], texts: Sequence[str], before: int | None = None, after: int = 0
) -> Iterator[Row]:
    """The rows of these kinds with one of these texts in their bodies, the newest first, those between `after` and
    `before`; their hashes are not proved: one record that was damaged long ago keeps no daemon from its start."""
    with_text = " OR ".join(["instr(body, ?)"] * len(texts))
    between = f"seq > {int(after)}" + ("" if before is None else f" AND seq < {int(before)}")
    of_kinds = f"+{_of_kinds(kinds)} AND ({OUTLASTS})" if {*texts} <= {*OUTLASTING} else _of_kinds(kinds)
    select = f"{_SELECT} WHERE {between} AND {of_kinds} AND ({with_text}) ORDER BY seq DESC"
    with reading(path) as connection:
        for values in connection.execute(select, [*kinds, *(text.encode() for text in texts)]):
            yield Row(*values)


def last_start(path: Path) -> int:
    """The number of the record with which a daemon last began, 0 where none did."""
    begins = "kind = 'system' AND instr(body, '\"what\":\"start\"')"
    return int(_value(path, f"SELECT seq FROM record WHERE {begins} ORDER BY seq DESC LIMIT 1") or 0)  # noqa: S608


def lock_path(path: Path) -> Path:
    """The file whose lock keeps every other daemon off this journal."""
    return Path(f"{path}-lock")


def read_header_log(path: Path, header: int | None = None) -> Iterator[Row]:
    """The rows from the header record `header` on, to the next header; None: from the last header on.
    JournalError where they are not all there."""
    start = last_header(path) if header is None else header
    following = start
    for row in read_all(path, start - 1):
        if row.kind == "header" and row.seq != start:
            return
        if row.seq != following:
            raise JournalError(
                f"{path}: records {following} to {row.seq - 1} of this header were let go, or are missing"
            )
        following += 1
        yield row


def missing_through(path: Path) -> int:
    """The last record number at or before which something is missing, as after a pruning; 0 where nothing is."""
    with reading(path) as connection:
        return find_missing(connection)


def last_header(path: Path) -> int:
    """The record number of the last header, 1 where there is none."""
    return int(_value(path, "SELECT max(seq) FROM record WHERE kind = 'header'") or 1)


def is_pruned(path: Path, after: int) -> bool:
    """Whether records behind this one were let go."""
    return bool(_value(path, f"SELECT max(seq) - {after:d} > count(*) FROM record WHERE seq > {after:d}"))  # noqa: S608


def signed_by(path: Path) -> str | None:
    """The id of the key that made the last checkpoint; None where there is none."""
    found = _value(path, "SELECT key_id FROM checkpoint ORDER BY seq DESC LIMIT 1")
    return None if found is None else str(found)


def read_snapshot(path: Path) -> str | None:
    """Where the table stood when a round last ended."""
    found = _value(path, "SELECT value FROM meta WHERE key = 'snapshot'")
    return None if found is None else str(found)


def read_remembered(path: Path, name: str) -> str | None:
    """What a part of the daemon has kept under this name."""
    found = _value(path, "SELECT value FROM meta WHERE key = ?", f"{_REMEMBERED}{name}")
    return None if found is None else str(found)


def _read(path: Path, where: str, *values: object, limit: int = -1) -> Iterator[Row]:
    select = f"{_SELECT} WHERE {where} ORDER BY seq LIMIT {limit:d}"
    with reading(path) as connection:
        yield from map(row_proved, connection.execute(select, values))


def _of_kinds(kinds: Sequence[Kind]) -> str:
    """In SQL; of several kinds the rows are found in their order, without the index, which would have to sort them."""
    return "kind = ?" if len(kinds) == 1 else f"+kind IN ({', '.join('?' * len(kinds))})"


def _value(path: Path, select: str, *values: object) -> int | str | None:
    with reading(path) as connection:
        found = connection.execute(select, values).fetchone()
    value: int | str | None = found[0] if found else None
    return value


def insert(
    connection: sqlite3.Connection,
    rows: Iterable[Row],
    snapshot: str | None = None,
    checkpoints: Iterable[Checkpoint] = (),
) -> None:
    """Write rows, the checkpoints among them and, where there is a new one, the snapshot."""
    connection.executemany(_INSERT, map(astuple, rows))
    signed = ((each.seq, each.signature, each.key_id) for each in checkpoints)
    connection.executemany("INSERT INTO checkpoint(seq, signature, key_id) VALUES(?, ?, ?)", signed)
    if snapshot is not None:
        connection.execute("INSERT OR REPLACE INTO meta VALUES('snapshot', ?)", (snapshot,))


def select_rows(connection: sqlite3.Connection, after: int, limit: int) -> list[Row]:
    return list(map(row_proved, connection.execute(f"{_SELECT} WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit))))


def select_after(connection: sqlite3.Connection, after: int, through: int) -> Iterator[Row]:
    """The rows behind `after` up to `through`, in order."""
    yield from map(
        row_proved, connection.execute(f"{_SELECT} WHERE seq > ? AND seq <= ? ORDER BY seq", (after, through))
    )


def rows_as_found(connection: sqlite3.Connection) -> Iterator[Row]:
    """All rows in order, whatever is in them."""
    for values in connection.execute(f"{_SELECT} ORDER BY seq"):
        yield Row(*values)


def last_row(connection: sqlite3.Connection) -> Row | None:
    found = connection.execute(f"{_SELECT} ORDER BY seq DESC LIMIT 1").fetchone()
    return None if found is None else row_proved(found)


def last_round(connection: sqlite3.Connection) -> int:
    """The highest round, 0 where there is none."""
    return int(connection.execute("SELECT coalesce(max(round), 0) FROM record").fetchone()[0])


def find_missing(connection: sqlite3.Connection) -> int:
    """See `missing_through`."""
    first, last, number = (f"(SELECT {what} FROM record)" for what in ("min(seq)", "max(seq)", "count(*)"))  # noqa: S608
    through = connection.execute(f"SELECT {first} - 1 WHERE {last} - {first} + 1 = {number}").fetchone()
    if through is None:
        ordered = "SELECT seq, lag(seq, 1, 0) OVER (ORDER BY +seq) AS before FROM record"
        through = connection.execute(f"SELECT max(seq) - 1 FROM ({ordered}) WHERE before != seq - 1").fetchone()  # noqa: S608
    return int(through[0] or 0)


def delete_rows(connection: sqlite3.Connection, through: int, kept: Sequence[int], limit: int) -> int:
    """Remove the oldest rows up to `through`, at most `limit`, but those `kept`; how many they were. With the last of
    them go the checkpoints before `through`."""
    but = ", ".join("?" * len(kept))
    oldest = f"SELECT seq FROM record WHERE seq <= ? AND seq NOT IN ({but}) ORDER BY seq LIMIT ?"  # noqa: S608
    delete = f"DELETE FROM record WHERE seq IN ({oldest})"  # noqa: S608
    removed = connection.execute(delete, (through, *kept, limit)).rowcount
    if removed < limit:
        connection.execute("DELETE FROM checkpoint WHERE seq < ?", (through,))
    return removed


def select_cursor(connection: sqlite3.Connection, name: str) -> int:
    found = connection.execute("SELECT seq FROM cursor WHERE name = ?", (name,)).fetchone()
    return 0 if found is None else int(found[0])


def advance_cursor(connection: sqlite3.Connection, name: str, seq: int) -> None:
    """Move the cursor forward; a `seq` behind it changes nothing."""
    connection.execute(
        "INSERT INTO cursor VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET seq = max(seq, excluded.seq)", (name, seq)
    )


def insert_parked(connection: sqlite3.Connection, seq: int, reason: str) -> None:
    connection.execute("INSERT OR REPLACE INTO parked VALUES(?, ?)", (seq, reason))


def count_parked(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM parked").fetchone()[0])


def select_parked(connection: sqlite3.Connection) -> frozenset[int]:
    return frozenset(seq for (seq,) in connection.execute("SELECT seq FROM parked"))


def set_remembered(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (f"{_REMEMBERED}{name}", value))


def delete_parked(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    connection.executemany("DELETE FROM parked WHERE seq = ?", [(seq,) for seq in numbers])


def prev_of(row: Row) -> object:
    """The hash that the row's message names as that of the one before it; None where it is no message."""
    try:
        return json.loads(row.body)["prev"]
    except (ValueError, LookupError, TypeError):
        return None


def row_proved(values: tuple[object, ...]) -> Row:
    """A row as it was read; JournalError where its bytes do not match its hash."""
    row = Row(*values)  # type: ignore[arg-type]
    if not isinstance(row.body, bytes) or hashlib.sha256(row.body).digest() != row.hash:
        raise JournalError(f"record {row.seq} of the journal is damaged: its bytes do not match its hash")
    return row


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, also while a daemon writes; JournalError where it cannot."""
    with closing(_read_only(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            raise JournalError(f"{path}: cannot be read: {error}") from None


def _read_only(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)
        stored_source(connection, path)
    except sqlite3.Error as error:
        raise JournalError(f"{path}: no journal can be read here: {error}") from None
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, site: str, table: str) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    prepare(connection, path, site, table)
    _check_sound(connection, path)


def _check_sound(connection: sqlite3.Connection, path: Path) -> None:
    """The file as a database, and the chain from the last checkpoint on; `journal verify` proves what is older."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise JournalError(f"{path}: damaged: {found}. {_DAMAGED}")
    try:
        _check_tail(connection)
    except JournalError as error:
        raise JournalError(f"{path}: {error}. {_DAMAGED}") from None


def _check_tail(connection: sqlite3.Connection) -> None:
    signed = connection.execute("SELECT coalesce(max(seq), 0) FROM checkpoint").fetchone()[0]
    published = connection.execute("SELECT coalesce(max(seq), 0) FROM cursor").fetchone()[0]
    last = Link(signed, _UNSEEN) if signed else START
    for row in map(row_proved, connection.execute(f"{_SELECT} WHERE seq >= ? ORDER BY seq", (signed,))):
        if row.seq > signed and (problem := last.break_before(row.seq, prev_of(row))):
            raise JournalError(f"record {row.seq} of the journal is damaged: {problem}")
        last = Link(row.seq, row.hash.hex())
    if last.hash == _UNSEEN or last.seq < published:
        known = "signed" if last.hash == _UNSEEN else "published"
        raise JournalError(f"record {max(signed, published)} of the journal is missing: it was {known} already")
