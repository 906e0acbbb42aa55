"""Whether the records of each table come without gap and unchanged, as a reader of MQTT can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocols.floor.chain import START, Link
from protocols.floor.messages import digest


@dataclass(frozen=True, slots=True)
class _Last:
    epoch: str
    link: Link


class Chains:
    """The last record that was seen of every table."""

    def __init__(self) -> None:
        self._last: dict[str, _Last] = {}

    def take(self, message: Mapping[str, Any], body: bytes) -> str | None:
        """What is wrong between this record and the one before it, None where nothing is."""
        source, epoch, seq = message.get("source"), message.get("epoch"), message.get("seq")
        if not isinstance(source, str) or not isinstance(epoch, str) or not isinstance(seq, int):
            return "a record without source, epoch or seq"
        last = self._last.get(source)
        if last and last.epoch == epoch and seq <= last.link.seq:
            return f"{source[1:]} #{seq} is repeated (last was #{last.link.seq})"
        self._last[source] = _Last(epoch, Link(seq, digest(body)))
        if last is None:
            return None
        before = last.link if last.epoch == epoch else START
        problem = before.break_before(seq, message.get("prev"))
        return f"{source[1:]}: {problem}" if problem else None
