"""How old the records of a journal are, whatever somebody has done to the wall clock."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, Final

from controller.clock import Clock
from controller.journal_schema import JournalError

Old = Callable[[sqlite3.Connection], int]
"""The number of the last record of those that are all old, 0 where the first is not."""

_MOST_NS: Final = 2**63 - 1
_SECOND_NS: Final = 10**9
_DAY_NS: Final = 24 * 60 * 60 * _SECOND_NS
DOUBTED_NS: Final = 7 * _DAY_NS
"""For so long a running computer may have a wrong wall clock, and still nothing goes too early."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Now:
    """The clocks at one moment: of which boot `mono_ns` is, and the wall clock."""

    boot: str
    mono_ns: int
    wall: datetime


def now() -> Now:
    return Now(Clock().boot, time.monotonic_ns(), datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Records of one boot, of a day at most, by whose wall clock no second was lost or gained.

    `begins_ns`, `ends_ns`: how long computers ran until then, since the journal's first boot; `ahead_ns`: how far the
    wall clock, since 1970, was ahead of that. Rightly it is more from boot to boot, by what they were switched off."""

    first: int
    begins_ns: int
    ends_ns: int
    ahead_ns: int


def made_before(moment: datetime) -> Old:
    """Old is what was made before this moment. When that was is reckoned back, on the monotonic clock, from the last
    record of its boot: by then the wall clock has been set, if it ever was."""

    def last(connection: sqlite3.Connection) -> int:
        firsts = []
        boots = connection.execute("SELECT boot, max(seq) FROM record GROUP BY boot").fetchall()
        for boot, end in boots:
            found = connection.execute("SELECT boot, mono_ns, wall FROM record WHERE seq = ?", (end,)).fetchone()
            then = _clock(end, found)
            younger_ns = then.mono_ns - (then.wall - moment) // timedelta(microseconds=1) * 1000
            select = "SELECT min(seq) FROM record WHERE boot = ? AND mono_ns >= ?"
            firsts.append(connection.execute(select, (boot, max(-_MOST_NS, min(younger_ns, _MOST_NS)))).fetchone()[0])
        return min((first - 1 for first in firsts if first is not None), default=_last(connection))

    return last


def older_than(days: int, at: Now) -> Old:
    """Old is what computers have run for so many days since. The time that they were off between counts too, but only
    as far as no wall clock of the `DOUBTED_NS` after a record, or before now, denies it."""

    def last(connection: sqlite3.Connection) -> int:
        stretches = [*_stretches(connection, at)]
        end = stretches[-1].ends_ns
        ahead_ns = min(each.ahead_ns for each in stretches if each.ends_ns >= end - DOUBTED_NS)
        for place, each in enumerate(stretches):
            off_ns = ahead_ns - max(near.ahead_ns for near in _soon(stretches[place:]))
            if end - each.ends_ns + max(0, off_ns) < days * _DAY_NS:
                return each.first - 1
        return _last(connection)

    return last


def _soon(stretches: Sequence[_Stretch]) -> Iterable[_Stretch]:
    """The first and those that follow it closely."""
    until = stretches[0].ends_ns + DOUBTED_NS
    return takewhile(lambda each: each.begins_ns <= until, stretches)


def _stretches(connection: sqlite3.Connection, at: Now) -> Iterator[_Stretch]:
    """In order; the last one ends now."""
    last: _Stretch | None = None
    boot, mono_ns, ran_ns = "", 0, 0
    for seq, each in _clocks(connection, at):
        ran_ns += max(0, each.mono_ns - (mono_ns if each.boot == boot else 0))
        ahead_ns = (each.wall - _EPOCH) // timedelta(microseconds=1) * 1000 - ran_ns
        going_on = last and each.boot == boot and ran_ns - last.begins_ns < _DAY_NS
        if last and going_on and abs(ahead_ns - last.ahead_ns) < _SECOND_NS:
            last = replace(last, ends_ns=ran_ns)
        else:
            if last:
                yield last
            last = _Stretch(seq, ran_ns, ran_ns, ahead_ns)
        boot, mono_ns = each.boot, each.mono_ns
    if last:
        yield last


def _clocks(connection: sqlite3.Connection, at: Now) -> Iterator[tuple[int, Now]]:
    for seq, *clock in connection.execute("SELECT seq, boot, mono_ns, wall FROM record ORDER BY seq"):
        yield seq, _clock(seq, clock)
    yield _last(connection) + 1, at


def _clock(seq: int, columns: Sequence[Any]) -> Now:
    """Boot, monotonic and wall clock of a record."""
    boot, mono_ns, wall = columns
    try:
        return Now(str(boot), int(mono_ns), datetime.fromisoformat(wall).astimezone(UTC))
    except (ValueError, TypeError, OverflowError):
        raise JournalError(f"record {seq} of the journal is damaged: it does not say when it was made") from None


def _last(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("SELECT coalesce(max(seq), 0) FROM record").fetchone()[0]
    return found
