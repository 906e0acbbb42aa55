"""What surveillance asks of the archive, across tables: found by index, read as it comes, never held as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, select

from controller.archive.columns import LONGEST
from controller.archive.database import Database
from controller.archive.rows import InArchive, between, milliseconds, streamed, wall
from controller.archive.schema import CHAIN, FAULTY, INCIDENT, NOT_OK, RECORD
from controller.archive.shifts import shift_of
from controller.archive.taking import Chain, known_chains
from controller.rounds.listing import Summary, Wanted, listed
from protocols.errors import ShoewatchError
from protocols.floor.evidence import read_message

What = Literal["violations", "faults", "fallbacks"]

_TYPES: Final = {
    "faults": ("shoe.faulted", "reader.faulted", "lost"),
    "fallbacks": ("reader.faulted", "reader.restored", "method.selected"),
}
_COUNTED: Final = ("violation", "warning")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which records are wanted: of these sources, such as `/riverside/bj-07`, all where there are none; made at or
    after `since` and before `until`; with this code, rule, dealer."""

    sources: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None
    code: str | None = None
    rule: str | None = None
    dealer: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A record that was asked for; `detail`: what it says in words, where it does."""

    time: str
    table: str
    epoch: str
    seq: int
    round: int | None
    type: str | None
    outcome: str | None
    code: str | None
    rule: str | None
    dealer: str | None
    detail: str | None


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A round, and of which table and epoch it is."""

    table: str
    epoch: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class Incident:
    """What the archive refused, or misses, from record `seq` to `through`; `time`: when it found it."""

    time: str
    table: str
    epoch: str
    seq: int
    through: int
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Count:
    """How often a code was told in the shift that began on this `day` at `shift`, on the clock of this place."""

    day: date
    shift: time
    outcome: str
    code: str | None
    count: int


def chains_asked(connection: Connection, sources: Sequence[str]) -> list[Chain]:
    """The epochs of these sources, of all where there are none; ShoewatchError where one is not known."""
    known = known_chains(connection)
    names = {each.source for each in known}
    for source in sources:
        if source not in names:
            there = ", ".join(sorted(each[1:] for each in names)) or "none"
            raise ShoewatchError(f"the archive has no table {source[1:]} (it has: {there})")
    return [each for each in known if not sources or each.source in sources]


def found(connection: Connection, what: What, asked: Asked) -> Iterator[Found]:
    """In the order of time."""
    with streamed(connection, statement(connection, what, asked)) as rows:
        for row in rows:
            yield Found(
                wall(row.time),
                row.source[1:],
                row.epoch,
                row.seq,
                row.round,
                row.type,
                row.outcome,
                row.code,
                row.rule,
                row.dealer,
                _detail(bytes(row.body)),
            )


def statement(connection: Connection, what: What, asked: Asked) -> Select[Any]:
    """What is asked of the database."""
    which = and_(NOT_OK, RECORD.c.outcome == "violation") if what == "violations" else _of_types(_TYPES[what])
    columns = ("time", "seq", "round", "type", "outcome", "code", "rule", "dealer", "body")
    return (
        select(CHAIN.c.source, CHAIN.c.epoch, *(RECORD.c[name] for name in columns))
        .join(CHAIN, CHAIN.c.id == RECORD.c.chain)
        .where(which, *_limits(connection, asked))
        .order_by(RECORD.c.time, RECORD.c.chain, RECORD.c.seq)
    )


def rounds(database: Database, connection: Connection, asked: Asked, wanted: Wanted) -> Iterator[FoundRound]:
    """Table by table, epoch by epoch, in order."""
    for chain in chains_asked(connection, asked.sources):
        among = None
        if asked.code or asked.rule or asked.dealer:
            among = list(connection.scalars(rounds_with(chain, asked)))
        for summary in listed(InArchive(database, connection, chain), wanted, among):
            yield FoundRound(chain.source[1:], chain.epoch, summary)


def rounds_with(chain: Chain, asked: Asked) -> Select[Any]:
    """The rounds with a record of this code, rule and dealer."""
    named = _named(asked)
    if asked.code or asked.rule:
        named = [NOT_OK, *named]
    limits = [*named, *between(asked.since, asked.until)]
    told = select(RECORD.c.round).distinct().where(RECORD.c.chain == chain.id, RECORD.c.round.is_not(None), *limits)
    return told.order_by(RECORD.c.round)


def incidents(connection: Connection, asked: Asked) -> Iterator[Incident]:
    """In the order in which they were found."""
    wanted = select(INCIDENT).order_by(INCIDENT.c.time, INCIDENT.c.id)
    if asked.sources:
        wanted = wanted.where(INCIDENT.c.source.in_(asked.sources))
    if asked.since is not None:
        wanted = wanted.where(INCIDENT.c.time >= milliseconds(asked.since))
    if asked.until is not None:
        wanted = wanted.where(INCIDENT.c.time < milliseconds(asked.until))
    with streamed(connection, wanted) as rows:
        for row in rows:
            yield Incident(wall(row.time), row.source[1:], row.epoch, row.seq, row.through, row.what, row.why)


def counts(connection: Connection, asked: Asked, starts: Sequence[time]) -> list[Count]:
    """Of violations and warnings, by shift, then outcome and code."""
    told: Counter[tuple[date, time, str, str | None]] = Counter()
    with streamed(connection, counted(connection, asked)) as rows:
        for at, outcome, code in rows:
            told[*shift_of(at, starts, datetime.astimezone), outcome, code] += 1
    ordered = sorted(told.items(), key=lambda each: (each[0][:3], each[0][3] or ""))
    return [Count(*of, number) for of, number in ordered]


def counted(connection: Connection, asked: Asked) -> Select[Any]:
    """What is asked of the database for the counts."""
    which = and_(NOT_OK, RECORD.c.outcome.in_(_COUNTED))
    limits = _limits(connection, asked)
    return select(RECORD.c.time, RECORD.c.outcome, RECORD.c.code).where(which, *limits)


def _limits(
    connection: Connection,
    asked: Asked,
) -> list[ColumnElement[bool]]:
    limits = [*_named(asked), *between(asked.since, asked.until)]
    if asked.sources:
        limits.append(RECORD.c.chain.in_([each.id for each in chains_asked(connection, asked.sources)]))
    return limits


def _named(asked: Asked) -> list[ColumnElement[bool]]:
    given = {"code": asked.code, "rule": asked.rule, "dealer": asked.dealer}
    return [RECORD.c[name] == value[:LONGEST] for name, value in given.items() if value is not None]


def _of_types(types: Sequence[str]) -> ColumnElement[bool]:
    return and_(FAULTY, RECORD.c.type.in_(types))


def _detail(body: bytes) -> str | None:
    data = read_message(body).data
    verdict, event = data.get("verdict") or {}, data.get("event") or {}
    told = verdict.get("detail") or event.get("reason") or event.get("procedure") or data.get("detail")
    return told if isinstance(told, str) else None
