"""What a line could not use, as device records: what is new since the last time, where anything is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from protocols.records import DeviceReported

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Tally:
    """Of one device; the counters, whole numbers, begin anew with each line. Times are the monotonic clock in ns."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._counted: Mapping[str, int] = {}
        self._told_ns = 0

    def begin(self, now: int) -> None:
        """A new line was opened."""
        self._counted, self._told_ns = {}, now

    def is_due(self, now: int, every_ns: int) -> bool:
        """Whether the last telling was that long ago."""
        return now - self._told_ns >= every_ns

    def told(self, counters: DataclassInstance, now: int) -> tuple[DeviceReported, ...]:
        """The record of what was counted since the last time."""
        totals = asdict(counters)
        new = {name: total - self._counted.get(name, 0) for name, total in totals.items()}
        self._counted, self._told_ns = totals, now
        return (DeviceReported(self._device, "counters", new),) if any(new.values()) else ()
