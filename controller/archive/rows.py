"""One epoch of the archive, as whoever looks at its rounds asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, func, select

from controller.archive.columns import OUTLASTING
from controller.archive.database import Database
from controller.archive.schema import INCIDENT, OUTLASTS, RECORD
from controller.archive.taking import Chain
from controller.journal_file import Row, row_proved
from protocols.records import Kind

AT_ONCE: Final = 200
"""So many rows are fetched together, and no more are held."""
_COLUMNS: Final = tuple(RECORD.c[name] for name in ("seq", "time", "kind", "n", "round", "body", "hash"))
_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class InArchive:
    """The records of a chain. What only the journal has of them, such as what is sealed, is not there."""

    database: Database
    connection: Connection
    chain: Chain

    def __str__(self) -> str:
        return f"{self.database}: {self.chain.source[1:]}, epoch {self.chain.epoch}"

    def missing_through(self) -> int:
        missing = (INCIDENT.c.source == self.chain.source, INCIDENT.c.epoch == self.chain.epoch)
        last = select(func.max(INCIDENT.c.through)).where(*missing, INCIDENT.c.what == "missing")
        return int(self.connection.scalar(last) or 0)

    def of_kinds(self, kinds: Sequence[Kind]) -> Iterator[Row]:
        return (row for row in self._rows(select(*_COLUMNS).order_by(RECORD.c.seq)) if row.kind in kinds)

    def of_rounds(self, first: int, last: int) -> Iterator[Row]:
        """All between the first and the last of them are read, in their order; rounds hardly overlap."""
        ends = select(func.min(RECORD.c.seq), func.max(RECORD.c.seq)).where(self._mine, _rounds(first, last))
        begins, ends_with = self.connection.execute(ends).one()
        if begins is not None:
            between = select(*_COLUMNS).where(RECORD.c.seq.between(begins, ends_with)).order_by(RECORD.c.seq)
            yield from (row for row in self._rows(between) if row.round is not None and first <= row.round <= last)

    def of_rounds_dealt(self, first: int, last: int, after: int) -> Iterator[Row]:
        end = after
        for row in self.of_rounds(first, last):
            if row.seq > after:
                end = row.seq
                if row.kind in ("header", "table"):
                    yield row
        following = select(*_COLUMNS).where(RECORD.c.seq > end, RECORD.c.kind == "table").order_by(RECORD.c.seq)
        yield from self._rows(following.limit(1))

    def rounds_told(self, since: datetime | None, until: datetime | None) -> list[int]:
        told = select(RECORD.c.round).distinct().where(self._mine, RECORD.c.round.is_not(None), *between(since, until))
        return list(self.connection.scalars(told.order_by(RECORD.c.round)))

    def rounds_dealt(self, after: int) -> tuple[int, int] | None:
        dealt = select(RECORD.c.round).where(
            self._mine, RECORD.c.round > 0, RECORD.c.kind == "table", RECORD.c.seq > after
        )
        first, last = (
            self.connection.scalar(dealt.order_by(each).limit(1)) for each in (RECORD.c.round, RECORD.c.round.desc())
        )
        return None if first is None or last is None else (first, last)

    def back(
        self, kinds: Sequence[Kind], texts: Sequence[str], before: int | None = None, after: int = 0
    ) -> Iterator[Row]:
        which = OUTLASTS if {*texts} <= {*OUTLASTING} else RECORD.c.kind.in_(kinds)
        wanted = select(*_COLUMNS).where(which, RECORD.c.seq > after)
        if before is not None:
            wanted = wanted.where(RECORD.c.seq < before)
        marks = [text.encode() for text in texts]
        for row in self._rows(wanted.order_by(RECORD.c.seq.desc())):
            if row.kind in kinds and any(mark in row.body for mark in marks):
                yield row

    @property
    def _mine(self) -> ColumnElement[bool]:
        return RECORD.c.chain == self.chain.id

    def _rows(self, wanted: Select[Any]) -> Iterator[Row]:
        with streamed(self.connection, wanted.where(self._mine)) as found:
            for seq, time, kind, n, round_, body, hash_ in found:
                yield row_proved((seq, "", 0, wall(time), kind, n, round_, bytes(body), None, bytes(hash_)))


def streamed(connection: Connection, wanted: Select[Any]) -> Any:
    """The result, of which a part at a time is held."""
    return connection.execute(wanted.execution_options(yield_per=AT_ONCE))


def between(since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """Made at or after the one and before the other."""
    begins = [] if since is None else [RECORD.c.time >= milliseconds(since)]
    return begins if until is None else [*begins, RECORD.c.time < milliseconds(until)]


def milliseconds(moment: datetime) -> int:
    return -(-(moment - _BEGINNING) // timedelta(milliseconds=1))


def wall(time: int) -> str:
    """RFC 3339, as tables write it."""
    told = (_BEGINNING + timedelta(milliseconds=time)).isoformat(timespec="milliseconds")
    return told.replace("+00:00", "Z")


def _rounds(first: int, last: int) -> ColumnElement[bool]:
    return RECORD.c.round.between(first, last)
