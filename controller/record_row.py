"""A record as it is stored: its message, chained to the one before, and the clocks beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controller.clock import Clock
from controller.journal_file import Row
from protocols.floor.messages import Source, digest, message
from protocols.records import Kind


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record comes in its chain: its number, the hash (64 hex digits) of the one before, and its round."""

    seq: int
    prev: str
    round: int | None


def record_row(
    source: Source,
    place: Place,
    kind: Kind,
    fields: Mapping[str, Any],
    clock: Clock,
    mono_ns: int,
    *,
    n: int | None = None,
    sealed: bytes | None = None,
) -> Row:
    """The row of a record made now. `fields`: its data; `sealed`: what only the journal keeps."""
    wall = clock.wall()
    body = message(source, place.seq, place.prev, wall, kind, fields, sealed)
    hash_ = bytes.fromhex(digest(body))
    return Row(place.seq, clock.boot, mono_ns, wall, kind, n, place.round, body, sealed, hash_)
