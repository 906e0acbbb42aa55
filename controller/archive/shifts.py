"""The shifts of a day: pure."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta

from protocols.errors import ShoewatchError, quoted


def read_shifts(text: str) -> tuple[time, ...]:
    """The times at which shifts begin, `06:00,14:00,22:00`, in order; ShoewatchError where it names none."""
    try:
        found = {time.fromisoformat(each.strip()) for each in text.split(",")}
    except ValueError:
        found = set()
    if not found or any(each.tzinfo or each.second or each.microsecond for each in found):
        raise ShoewatchError(f'{quoted(text)} names no shifts (right would be "06:00,14:00,22:00")')
    return tuple(sorted(found))


def shift_of(milliseconds: int, starts: Sequence[time], local: Callable[[datetime], datetime]) -> tuple[date, time]:
    """The day and the time at which the shift began that this moment, of UTC since 1970, falls into; `local` tells it
    on the clock of the place."""
    there = local(datetime.fromtimestamp(milliseconds / 1000, UTC))
    before = bisect(starts, there.time())
    if before:
        return there.date(), starts[before - 1]
    return there.date() - timedelta(days=1), starts[-1]
