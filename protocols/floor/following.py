"""How a consumer follows one table's records: each once, in order, chained; what it has had is dropped, what it lacks
is named. A consumer keeps `Following.place` with what it made of the records, and goes on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from protocols.floor.chain import START, Link
from protocols.floor.messages import digest

_SCHEMA: Final = "urn:shoewatch:record:1"


@dataclass(frozen=True, slots=True)
class Place:
    """The last record that was taken."""

    epoch: str
    link: Link


@dataclass(frozen=True, slots=True)
class New:
    """The next record, to be taken; `epoch_began`: the first of a journal that takes the place of the one before."""

    record: Mapping[str, Any]
    epoch_began: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """A record that was taken before."""

    seq: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Records that are missing, to be asked for; the one that shows it is not taken, for it comes again behind them."""

    epoch: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that does not belong to the chain; it is not taken."""

    seq: int
    why: str


@dataclass(frozen=True, slots=True)
class NotOurs:
    """No record of this table."""

    why: str


Heard = New | Repeat | Gap | Broken | NotOurs


@dataclass(frozen=True, slots=True)
class _Record:
    fields: Mapping[str, Any]
    epoch: str
    link: Link

    @property
    def place(self) -> Place:
        return Place(self.epoch, self.link)


@dataclass(frozen=True, slots=True)
class Following:
    """Where a consumer of `source` (`/site/table`) stands. `place` None: nothing was taken yet, and the first record
    comes first, or with `anywhere` whichever comes. `left`: the epoch before this one, whose records are repeats."""

    source: str
    place: Place | None = None
    anywhere: bool = False
    left: str | None = None
    repeats: int = 0

    def take(self, body: bytes) -> tuple[Following, Heard]:
        """What this message is, and where the consumer stands with it."""
        record = _read(body, self.source)
        if isinstance(record, NotOurs):
            return self, record
        heard = self._judge(record)
        match heard:
            case New():
                return self._moved_to(record.place), heard
            case Repeat():
                return replace(self, repeats=self.repeats + 1), heard
        return self, heard

    def skip_to(self, body: bytes) -> Following:
        """Go on behind this record whatever is missing or broken before it."""
        record = _read(body, self.source)
        return self if isinstance(record, NotOurs) else self._moved_to(record.place)

    def lacks(self, epoch: str, last: int) -> Gap | None:
        """What is missing where the table says elsewhere that this is its last record: no later one may show it."""
        taken = self.place.link.seq if self.place and self.place.epoch == epoch else 0
        return Gap(epoch, taken + 1, last) if last > taken and epoch != self.left else None

    def _judge(self, record: _Record) -> Heard:
        seq, prev = record.link.seq, record.fields.get("prev")
        if record.epoch == self.left:
            return Repeat(seq)
        last, began = self._before(record)
        if last is None:
            return New(record.fields)
        if record.link == last:
            return Repeat(seq)
        if seq == last.seq:
            return Broken(seq, f"it is another record {seq} than the one before")
        if seq < last.seq:
            return Repeat(seq)
        if seq > last.seq + 1:
            return Gap(record.epoch, last.seq + 1, seq - 1)
        broken = last.break_before(seq, prev)
        return Broken(seq, broken) if broken else New(record.fields, began)

    def _before(self, record: _Record) -> tuple[Link | None, bool]:
        """What the record should follow, None where anything may come; whether it is the first of another epoch."""
        if self.place is None:
            return (None if self.anywhere else START), False
        same = self.place.epoch == record.epoch
        return (self.place.link, False) if same else (START, True)

    def _moved_to(self, place: Place) -> Following:
        leaves = self.place is not None and self.place.epoch != place.epoch
        return replace(self, place=place, left=self.place.epoch if self.place and leaves else self.left)


def _read(body: bytes, source: str) -> _Record | NotOurs:
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return NotOurs("it is no JSON")
    if not isinstance(fields, dict) or fields.get("dataschema") != _SCHEMA:
        return NotOurs(f"it is no record ({_SCHEMA})")
    if fields.get("source") != source:
        return NotOurs(f"its source is not {source}")
    epoch, seq = fields.get("epoch"), fields.get("seq")
    if not isinstance(epoch, str) or type(seq) is not int or seq < 1:
        return NotOurs("it has no epoch, or no number from 1 on")
    return _Record(fields, epoch, Link(seq, digest(body)))
