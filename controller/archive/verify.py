"""Whether the archive is what tables published: of each epoch of each table the first record that is not, and why.

The messages prove it, with what is known to be missing; every column is derived from them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from controller.archive.columns import Course, columns_of
from controller.archive.judging import opens
from controller.archive.rows import streamed
from controller.archive.schema import CHAIN, INCIDENT, RECORD
from controller.archive.taking import Chain, known_chains, stored_commits
from controller.journal_verify import Count, Problem, Verified, told
from protocols.floor.chain import Link
from protocols.floor.evidence import Evidence, Message, Unsound, read_message
from protocols.floor.messages import digest
from protocols.keys import KeyRegistry

_NAMED: Final = ("mark", "first", "hash", "signed", "signer", "round", "dealer")


def verify_archive(connection: Connection, keys: KeyRegistry | None = None) -> Iterator[Verified]:
    """Of each epoch of each table what its records prove, to the end or to the first that is not as it was."""
    for chain in known_chains(connection):
        evidence, count = Evidence(keys), Count()
        problem = None
        try:
            _read(connection, chain, evidence, count)
        except Unsound as error:
            problem = Problem(error.seq or count.at, str(error))
        yield told(chain.source, chain.epoch, evidence, count, problem)
    yield from _of_no_chain(connection)


def _read(connection: Connection, chain: Chain, evidence: Evidence, count: Count) -> None:
    """Every record in order; Unsound at the first that is not as it was published."""
    missing = dict(_missing(connection, chain))
    course = Course(1, None)
    with streamed(connection, select(RECORD).where(RECORD.c.chain == chain.id).order_by(RECORD.c.seq)) as rows:
        for row in rows:
            count.see(row.seq)
            message = _message_of(row, chain)
            if missing.get(evidence.last.seq + 1) == message.seq - 1:
                evidence.last = Link(message.seq - 1, message.prev)
                course = Course(None, None)
            _take(connection, chain, evidence, message)
            columns, course = columns_of(message, bytes(row.body), course)
            _check_columns(asdict(columns), row)
    _check_end(chain, evidence, count, course)


def _take(connection: Connection, chain: Chain, evidence: Evidence, message: Message) -> None:
    """The commitments are looked up as they are opened: all that were ever made would be too many to hold."""
    commits = stored_commits(connection, chain.id, opens(message))
    evidence.commits = {(seq, name): made for seq, names in commits.items() for name, made in names.items()}
    evidence.take(message)


def _message_of(row: Row[Any], chain: Chain) -> Message:
    body = bytes(row.body)
    if bytes(row.hash).hex() != digest(body):
        raise Unsound("its bytes do not match its hash")
    message = read_message(body)
    _check({"source": chain.source, "epoch": chain.epoch, "seq": row.seq}, message)
    return message


def _check(columns: Mapping[str, Any], message: Message) -> None:
    for name, value in columns.items():
        if value != getattr(message, name):
            raise Unsound(f"its {name} is {value!r} in the archive and {getattr(message, name)!r} in its message")


def _check_columns(derived: Mapping[str, Any], row: Row[Any]) -> None:
    for name, value in derived.items():
        found = row._mapping[name]
        if found != value:
            raise Unsound(f"its {name} is {found!r} in the archive and {value!r} by its message")


def _check_end(chain: Chain, evidence: Evidence, count: Count, course: Course) -> None:
    ended = (evidence.last.seq, count.first, evidence.last.hash, evidence.signed, evidence.signer)
    for name, found in zip(_NAMED, (*ended, course.round, course.dealer), strict=True):
        noted = getattr(chain, name)
        if name == "mark" and noted > evidence.last.seq:
            raise Unsound(f"it is missing: {noted} was stored, and confirmed to the table", evidence.last.seq + 1)
        if noted != found:
            raise Unsound(f"the {name} of the epoch is {noted!r} in the archive, and {found!r} by its records")


def _missing(connection: Connection, chain: Chain) -> Iterator[tuple[int, int]]:
    """The first and the last record of each part that no table had any more."""
    wanted = select(INCIDENT.c.seq, INCIDENT.c.through).where(
        INCIDENT.c.source == chain.source, INCIDENT.c.epoch == chain.epoch, INCIDENT.c.what == "missing"
    )
    yield from (tuple(row) for row in connection.execute(wanted))


def _of_no_chain(connection: Connection) -> Iterator[Verified]:
    """Records of an epoch that the archive does not know of."""
    behind, at = select(RECORD.c.chain).order_by(RECORD.c.chain).limit(1), None
    known = set(connection.scalars(select(CHAIN.c.id)))
    while (at := connection.scalar(behind if at is None else behind.where(RECORD.c.chain > at))) is not None:
        if at not in known:
            first = select(RECORD.c.seq).where(RECORD.c.chain == at).order_by(RECORD.c.seq).limit(1)
            seq = connection.scalar(first) or 0
            count = Count()
            count.see(seq)
            why = "its epoch is not among those that the archive knows"
            yield told("/unknown", str(at), Evidence(), count, Problem(seq, why))
