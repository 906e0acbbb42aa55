"""Whether the records of each table come without gap and unchanged, as a reader of MQTT can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocols.floor.messages import digest
from protocols.records import NO_HASH


@dataclass(frozen=True, slots=True)
class _Link:
    epoch: str
    seq: int
    hash: str


class Chains:
    """The last record that was seen of every table."""

    def __init__(self) -> None:
        self._last: dict[str, _Link] = {}

    def take(self, message: Mapping[str, Any], body: bytes) -> str | None:
        """What is wrong between this record and the one before it, None where nothing is."""
        source, epoch, seq = message.get("source"), message.get("epoch"), message.get("seq")
        if not isinstance(source, str) or not isinstance(epoch, str) or not isinstance(seq, int):
            return "a record without source, epoch or seq"
        last = self._last.get(source)
        if last and last.epoch == epoch and seq <= last.seq:
            return f"{source[1:]} #{seq} is repeated (last was #{last.seq})"
        self._last[source] = _Link(epoch, seq, digest(body))
        return _problem(source[1:], last, epoch, seq, str(message.get("prev")))


def _problem(table: str, last: _Link | None, epoch: str, seq: int, prev: str) -> str | None:
    if last is None:
        return None
    if last.epoch != epoch:
        last = _Link(epoch, 0, NO_HASH)
    if seq != last.seq + 1:
        return f"{table}: records {last.seq + 1} to {seq - 1} are missing"
    if prev != last.hash:
        return f"{table} #{seq}: the chain is broken, the record before it is not the one that was sent here"
    return None
