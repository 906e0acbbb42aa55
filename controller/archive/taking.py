"""What one transaction does to the chains of a batch: reads where they end, stores what follows, moves the ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from controller.archive.columns import Course, columns_of
from controller.archive.judging import Judged, Mark, judge, opens
from controller.archive.schema import CHAIN, INCIDENT, RECORD
from protocols.floor.chain import Link
from protocols.floor.evidence import Message, Unsound, read_message
from protocols.keys import KeyRegistry
from protocols.records import NO_HASH

Of = tuple[str, str]
"""A source, such as `/riverside/bj-07`, and an epoch of it."""
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Chain:
    """A row of `schema.CHAIN`, where each field is explained."""

    id: int
    source: str
    epoch: str
    first: int
    mark: int
    hash: str
    signed: int
    signer: str | None
    round: int | None
    dealer: str | None

    @property
    def end(self) -> Mark:
        return Mark(self.first, Link(self.mark, self.hash), self.signed, self.signer)


@dataclass(frozen=True, slots=True)
class Came:
    """A message and the bytes that it is."""

    message: Message
    payload: bytes


@dataclass(slots=True)
class Part:
    """What became of the messages of one chain.

    `confirmed`: the last of them that is stored as it came, and none before it is not; `gap`: the record to ask for."""

    outcomes: Counter[str] = field(default_factory=Counter)
    confirmed: int = 0
    gap: int = 0
    incidents: list[dict[str, Any]] = field(default_factory=list)


def locked_chains(connection: Connection, may_begin: Mapping[Of, bool]) -> dict[Of, Chain]:
    """These chains, which nobody else moves until the transaction ends; a new one for each that is not
    there and may begin."""
    for source, epoch in sorted(of for of, begins in may_begin.items() if begins):
        values = {"source": source, "epoch": epoch, "first": 0, "mark": 0, "hash": NO_HASH, "signed": 0, "round": 1}
        _insert_new(connection, CHAIN, [values])
    wanted = tuple_(CHAIN.c.source, CHAIN.c.epoch).in_(sorted(may_begin))
    rows = connection.execute(select(CHAIN).where(wanted).order_by(CHAIN.c.id).with_for_update())
    return {(row.source, row.epoch): Chain(*row) for row in rows}


def take_chain(
    connection: Connection, chain: Chain, came: Sequence[Came], oldest: int, keys: KeyRegistry | None
) -> Part:
    """Store what follows on the chain's end of these messages, which come in the order of their numbers."""
    part = Part()
    mark, course = chain.end, Course(chain.round, chain.dealer)
    hashes = _stored_hashes(connection, chain.id, [each.message.seq for each in came if each.message.seq <= chain.mark])
    commits = stored_commits(connection, chain.id, {seq for each in came for seq in opens(each.message)})
    rows: list[dict[str, Any]] = []
    refused = False
    for each in came:
        message = each.message
        opened = {seq: commits[seq] for seq in opens(message) if seq in commits}
        judged = judge(mark, message, hashes.get(message.seq), opened, oldest, keys)
        part.outcomes[judged.outcome] += 1
        part.incidents += _incidents(judged, message)
        refused = refused or judged.outcome in ("fork", "unsound")
        if judged.outcome == "stored":
            if judged.missing:
                course = Course(None, None)
            columns, course = columns_of(message, each.payload, course)
            hash_ = bytes.fromhex(message.hash)
            rows.append({"chain": chain.id, "seq": message.seq, "hash": hash_, "body": each.payload} | asdict(columns))
            hashes[message.seq], commits[message.seq] = message.hash, message.data.get("commit", {})
            mark = judged.mark
        if judged.outcome in ("stored", "repeat") and not refused:
            part.confirmed = message.seq
    if part.outcomes["gap"] and not refused:
        part.gap = mark.last.seq + 1
    if rows:
        connection.execute(insert(RECORD), rows)
        _move(connection, chain.id, mark, course)
        part.incidents += _of_other_epochs(connection, chain, rows[0]["seq"])
    elif not mark.first:
        connection.execute(delete(CHAIN).where(CHAIN.c.id == chain.id))
    return part


def tell(connection: Connection, incidents: Sequence[Mapping[str, Any]]) -> None:
    """Note what was not noted before."""
    if incidents:
        now = round(time.time() * 1000)
        _insert_new(connection, INCIDENT, [{**each, "time": now} for each in incidents])


def known_chains(connection: Connection) -> list[Chain]:
    """Every epoch of every source that there are records of, as they began."""
    return [Chain(*row) for row in connection.execute(select(CHAIN).order_by(CHAIN.c.source, CHAIN.c.id))]


def stored_commits(connection: Connection, chain: int, numbers: Iterable[int]) -> dict[int, Mapping[str, str]]:
    """What those of these records that are stored commit to."""
    found: dict[int, Mapping[str, str]] = {}
    for some in _some(numbers):
        wanted = select(RECORD.c.seq, RECORD.c.body).where(RECORD.c.chain == chain, RECORD.c.seq.in_(some))
        found |= {seq: _commits_in(bytes(body)) for seq, body in connection.execute(wanted)}
    return found


def _commits_in(body: bytes) -> Mapping[str, str]:
    """None where the stored bytes were spoiled: then nothing can be opened by them."""
    try:
        found = read_message(body).data.get("commit")
    except Unsound:
        return {}
    return found if isinstance(found, dict) else {}


def _stored_hashes(connection: Connection, chain: int, numbers: Iterable[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for some in _some(numbers):
        wanted = select(RECORD.c.seq, RECORD.c.hash).where(RECORD.c.chain == chain, RECORD.c.seq.in_(some))
        found |= {seq: hash_.hex() for seq, hash_ in connection.execute(wanted)}
    return found


def _some(numbers: Iterable[int]) -> Iterator[list[int]]:
    left = iter(numbers)
    while some := list(islice(left, _AT_ONCE)):
        yield some


def _move(connection: Connection, chain: int, mark: Mark, course: Course) -> None:
    connection.execute(
        update(CHAIN)
        .where(CHAIN.c.id == chain)
        .values(
            first=mark.first,
            mark=mark.last.seq,
            hash=mark.last.hash,
            signed=mark.signed,
            signer=mark.signer,
            round=course.round,
            dealer=course.dealer,
        )
    )


def _incidents(judged: Judged, message: Message) -> Iterator[dict[str, Any]]:
    if judged.why is not None:
        yield _incident(message.source, message.epoch, judged.outcome, message.seq, judged.why)
    if judged.missing is not None:
        first, last = judged.missing
        why = f"the table has records {first} to {last} no more"
        yield _incident(message.source, message.epoch, "missing", first, why, last)


def _of_other_epochs(connection: Connection, chain: Chain, seq: int) -> Iterator[dict[str, Any]]:
    """What it means that this chain begins, or goes on, beside others of its source, which began before this batch."""
    begun = (CHAIN.c.source == chain.source, CHAIN.c.id != chain.id, CHAIN.c.mark > 0)
    others = select(CHAIN.c.id, CHAIN.c.epoch).where(*begun)
    near = connection.execute(others.order_by(CHAIN.c.id.desc()).limit(1)).first()
    if near is None:
        return
    if not chain.first:
        yield _incident(chain.source, chain.epoch, "new_epoch", seq, f"the epoch before it was {near.epoch}")
    elif near.id > chain.id and not _is_told(connection, chain, "two_tables"):
        why = f"it goes on, though epoch {near.epoch} began since: two tables have this name"
        yield _incident(chain.source, chain.epoch, "two_tables", seq, why)


def _is_told(connection: Connection, chain: Chain, what: str) -> bool:
    of = (INCIDENT.c.source == chain.source, INCIDENT.c.epoch == chain.epoch, INCIDENT.c.what == what)
    return connection.execute(select(INCIDENT.c.id).where(*of).limit(1)).first() is not None


def _incident(source: str, epoch: str, what: str, seq: int, why: str, through: int | None = None) -> dict[str, Any]:
    through = seq if through is None else through
    return {"source": source, "epoch": epoch, "what": what, "seq": seq, "through": through, "why": why}


def _insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """The rows that are not there yet."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(table).on_conflict_do_nothing(), [*rows])
