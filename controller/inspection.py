"""How long a floorperson's inspection of the reader holds: until the next gaming day begins.

It is counted on the monotonic clock from the moment of the inspection, so that a step of the wall clock neither ends
nor prolongs it; only after a start of the machine is there nothing but the wall clock to go by."""

from __future__ import annotations

import json
import time as clock
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

from controller.journal_file import read_back

_S: Final = timedelta(seconds=1)
_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Moment:
    """When something was: the machine's start, its monotonic clock in ns, and the wall clock, with its zone."""

    boot: str
    mono_ns: int
    wall: datetime

    @classmethod
    def now(cls, boot: str) -> Moment:
        """Now, in the machine's own zone."""
        return cls(boot, clock.monotonic_ns(), _wall())


@dataclass(frozen=True, slots=True)
class Inspection:
    """The one that holds until this monotonic time of this start of the machine; gaming days begin at `day_starts`."""

    day_starts: time
    holds_until: int

    @classmethod
    def recalled(cls, day_starts: time, last: Moment | None, now: Moment) -> Inspection:
        """What is left of the last one: nothing where there was none, where its day is over, or where the wall clock
        is behind it after a start of the machine."""
        if last is None:
            return cls(day_starts, now.mono_ns)
        ends = _next_start(last.wall, day_starts)
        if last.boot == now.boot:
            return cls(day_starts, last.mono_ns + _ns(ends - last.wall))
        left = ends - now.wall if last.wall <= now.wall else timedelta()
        return cls(day_starts, now.mono_ns + max(0, _ns(left)))

    def renewed(self, mono_ns: int, wall: datetime | None = None) -> Inspection:
        """A new one, made just now."""
        wall = wall or _wall()
        return Inspection(self.day_starts, mono_ns + _ns(_next_start(wall, self.day_starts) - wall))


def last_inspection(path: Path) -> Moment | None:
    """When the journal says that the reader was inspected last."""
    for row in read_back(path, ("input",), ['"inspected":{']):
        if "inspected" in json.loads(row.body)["data"]:
            return Moment(row.boot, row.mono_ns, datetime.fromisoformat(row.wall).astimezone())
    return None


def _wall() -> datetime:
    return datetime.fromtimestamp(clock.time()).astimezone()


def _next_start(wall: datetime, day_starts: time) -> datetime:
    """The first start of a gaming day after `wall`, by the clock of the place, also where its zone's time changes."""
    today = wall.astimezone().date()
    starts = (datetime.combine(today + timedelta(days=days), day_starts).astimezone() for days in (0, 1))
    return next(start for start in starts if start > wall)


def _ns(span: timedelta) -> int:
    return int(span / _S * _NS)
