"""Whether a journal is what was recorded: the first record that is not, and why. Reads, and touches nothing.

Of each record: its hash, its columns against its message, what is sealed beside it; of all: the chain, the signatures,
the commitments opened, and that what was signed, published or kept is there. No message holds `boot` and `mono_ns`."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.journal_file import Row, reading, rows_as_found
from controller.journal_schema import JournalError, made_elsewhere, stored_source
from controller.retention import Pruning
from protocols.floor.chain import Link
from protocols.floor.checkpoints import WHAT
from protocols.floor.evidence import Evidence, Message, Unsound, read_message
from protocols.floor.messages import Source
from protocols.keys import KeyRegistry
from protocols.records import PRUNED
from protocols.texts import TextError, read_json

_LEAST: Final = -(2**63)


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing that is not as it was recorded; `seq` None where that is no record."""

    seq: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was read of one epoch of one table, to the end or to the problem.

    `records` from `first` to `last`; `signed`: the last one under a checkpoint; `checkpoints`: how many, by the id of
    the key; `opened`, `unseen`: commitments that were opened, and opened where the commitment itself is not there to be
    read; `pruned`: the last record that was let go."""

    source: str
    epoch: str
    records: int
    first: int
    last: int
    signed: int
    checkpoints: Mapping[str, int]
    opened: int
    unseen: int
    pruned: int | None = None
    problem: Problem | None = None


@dataclass(slots=True)
class Count:
    """How far the reading has come."""

    records: int = 0
    first: int = 0
    at: int | None = None

    def see(self, seq: int) -> None:
        self.at = seq
        self.records += 1
        self.first = self.first or seq


@dataclass(slots=True)
class Rounds:
    """Which round the records belong to that do not say it themselves: rounds follow on one another.

    `told`: what the last message said of it that says so; `last`: the last one found, `since` that record."""

    told: int = 0
    last: int | None = None
    since: int = 0

    def take(self, row: Row) -> None:
        if row.round is None and self.last is None:
            return
        last = row.round if self.last is None else self.last
        says_it = row.kind == "table"
        if row.round is None or last is None or row.round < self.told or (row.round > last + 1 and not says_it):
            raise Unsound(f"its round is {row.round} in the journal, behind a record of round {last}")
        if row.round < last:
            raise Unsound(f"its round is {last} in the journal, ahead of a record of round {row.round}", self.since)
        if row.round != self.last:
            self.last, self.since = row.round, row.seq
        if says_it:
            self.told = row.round


class Kept:
    """What may be there of the records that were let go: single ones that were kept and, where the letting go was cut
    short, the last of them without a gap."""

    def __init__(self, pruning: Pruning) -> None:
        self._pruning = pruning
        self._left = dict(pruning.kept)
        self._begun = False

    def is_one(self, message: Message, evidence: Evidence) -> bool:
        """Whether it is a single one; if not, the chain begins at the latest here. Unsound where it is none of them."""
        through, seq = self._pruning.through, message.seq
        known = self._left.pop(seq, None)
        if known not in (None, message.hash):
            raise Unsound("it is not the record that was kept when others were let go")
        if seq == through and message.hash != self._pruning.hash:
            raise Unsound("it is not the last one that was let go")
        if seq > through and self._left:
            raise Unsound("it was kept when others were let go, and is missing", min(self._left))
        if self._begun:
            return False
        if known is not None:
            return True
        self._begun = True
        evidence.last = Link(seq - 1, message.prev) if seq <= through else Link(through, self._pruning.hash)
        return False


def verify_journal(path: Path, keys: KeyRegistry | None = None) -> Verified:
    """Everything that the journal's file can prove; JournalError where it cannot be read at all."""
    with reading(path) as connection:
        source = stored_source(connection, path)
        evidence, count = Evidence(keys), Count()
        problem, pruning = None, None
        try:
            pruning, told_by = _pruning(connection)
            _read(connection, source, evidence, count, pruning)
            _complete(connection, evidence, told_by, pruning.through if pruning else _LEAST)
        except Unsound as error:
            problem = Problem(error.seq or count.at, str(error))
        except sqlite3.DatabaseError as error:
            problem = Problem(None, f"behind record {count.at or 0} the file itself cannot be read: {error}")
    return told(source.path, source.epoch, evidence, count, problem, pruning.through if pruning else None)


def told(
    source: str, epoch: str, evidence: Evidence, count: Count, problem: Problem | None, pruned: int | None = None
) -> Verified:
    """The result of a reading."""
    return Verified(
        source,
        epoch,
        count.records,
        count.first,
        evidence.last.seq,
        evidence.signed,
        dict(evidence.keys_used),
        evidence.opened,
        evidence.unseen,
        pruned,
        problem,
    )


def _read(
    connection: sqlite3.Connection, source: Source, evidence: Evidence, count: Count, pruning: Pruning | None
) -> None:
    """Every row in order; Unsound at the first that is not as it was recorded."""
    kept = Kept(pruning) if pruning else None
    rounds = Rounds()
    for row in rows_as_found(connection):
        count.see(row.seq)
        message = _message_of(row, source)
        if kept and kept.is_one(message, evidence):
            continue
        rounds.take(row)
        checkpoint = evidence.take(message)
        if checkpoint is not None:
            _is_listed(connection, checkpoint.seq, checkpoint.signature, checkpoint.key_id)


def _message_of(row: Row, source: Source) -> Message:
    """The row's message, once it is proved that the other columns agree with it."""
    if not isinstance(row.body, bytes) or hashlib.sha256(row.body).digest() != row.hash:
        raise Unsound("its bytes do not match its hash")
    message = read_message(row.body)
    found = {
        "seq": (row.seq, message.seq),
        "wall": (row.wall, message.time),
        "kind": (row.kind, message.data["kind"]),
        "n": (row.n, message.data.get("n")),
        "round": (row.round, message.data.get("round") if row.kind == "table" else row.round),
        "sealed": (_hash_of(row.sealed), message.sealed),
        "source": (source.path, message.source),
        "epoch": (source.epoch, message.epoch),
    }
    for name, (column, told_) in found.items():
        if column != told_:
            raise Unsound(f"its {name} is {column!r} in the journal and {told_!r} in its message")
    return message


def _hash_of(sealed: object) -> object:
    return hashlib.sha256(sealed).hexdigest() if isinstance(sealed, bytes) else sealed


def _is_listed(connection: sqlite3.Connection, seq: int, signature: bytes, key_id: str) -> None:
    listed = connection.execute("SELECT signature, key_id FROM checkpoint WHERE seq = ?", (seq,)).fetchone()
    if listed != (signature, key_id):
        raise Unsound(f"its checkpoint is not the one that is listed for record {seq}")


def _pruning(connection: sqlite3.Connection) -> tuple[Pruning | None, int]:
    """The last one that a record tells of, and that record."""
    select = "SELECT seq, body FROM record WHERE kind = 'system' AND instr(body, ?) ORDER BY seq DESC LIMIT 1"
    found = connection.execute(select, (f'"what":"{PRUNED}"'.encode(),)).fetchone()
    if found is None:
        return None, 0
    try:
        return Pruning.read(json.loads(found[1])["data"]["data"]), found[0]
    except (LookupError, TypeError, ValueError, OverflowError) as error:
        raise Unsound(f"it does not tell what was let go ({error!r})", found[0]) from None


def _complete(connection: sqlite3.Connection, evidence: Evidence, pruned_by: int, through: int) -> None:
    """That nothing behind the last record is known to have been there, and that the table let go what is gone."""
    if pruned_by > evidence.signed:
        raise Unsound("it tells that records were let go, and no checkpoint covers it", pruned_by)
    for kind, name in made_elsewhere(connection):
        raise Unsound(f"the file holds a {kind} {name!r}, which no shoewatch made: it can show what nobody recorded")
    last = evidence.last.seq
    known = (
        ("signed", "SELECT max(seq) FROM checkpoint"),
        ("published", "SELECT max(seq) FROM cursor"),
        ("refused by the broker", "SELECT max(seq) FROM parked"),
    )
    for how, select in known:
        seq = connection.execute(select).fetchone()[0] or 0
        if seq > last or (how == "signed" and seq > evidence.signed):
            raise Unsound(f"it is missing: record {seq} was {how}, and the journal ends with record {last}", last + 1)
    behind = "SELECT 1 FROM record WHERE record.seq = checkpoint.seq + 1 AND kind = 'system' AND instr(body, ?)"
    select = f"SELECT min(seq) FROM checkpoint WHERE seq >= ? AND NOT EXISTS ({behind})"  # noqa: S608
    seq = connection.execute(select, (through, f'"what":"{WHAT}"'.encode())).fetchone()[0]
    if seq is not None:
        raise Unsound("it is listed as signed, and no checkpoint is behind it", seq)


def verify_messages(lines: Iterable[bytes], keys: KeyRegistry | None = None) -> list[Verified]:
    """What published messages prove, one a line: of each epoch of each table from its first one here on.
    One that came twice is no problem, one that came late and out of its turn neither, nor a status among them."""
    found: dict[tuple[str, str], dict[tuple[int, str], Message]] = {}
    for number, line in enumerate(lines, start=1):
        if message := _published(line, number):
            of = message.source, message.epoch
            found.setdefault(of, {}).setdefault((message.seq, message.hash), message)
    return [_proved(*of, sorted(each.values(), key=_seq), keys) for of, each in found.items()]


def _seq(message: Message) -> int:
    return message.seq


def _proved(source: str, epoch: str, messages: Sequence[Message], keys: KeyRegistry | None) -> Verified:
    evidence, count, problem = Evidence(keys), Count(), None
    evidence.last = Link(messages[0].seq - 1, messages[0].prev)
    for message in messages:
        count.see(message.seq)
        try:
            evidence.take(message)
        except Unsound as error:
            problem = Problem(message.seq, str(error))
            break
    return told(source, epoch, evidence, count, problem)


def _published(line: bytes, number: int) -> Message | None:
    """The record's message on this line; None where it is empty or a table's status."""
    text = line.strip()
    try:
        return None if not text or _is_status(text) else read_message(text)
    except Unsound as error:
        raise JournalError(f"line {number}: {error}") from None


def _is_status(text: bytes) -> bool:
    try:
        fields = read_json(text.decode())
    except (UnicodeDecodeError, TextError):
        return False
    return isinstance(fields, dict) and "status" in fields and "seq" not in fields
