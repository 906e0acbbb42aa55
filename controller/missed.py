"""What somebody missed and asked for: which records go out once more. Ranges of numbers are kept, never records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

MOST: Final = 10_000
"""As many records can wait to go out again, a few seconds of a broker's time."""
_MOST_RANGES: Final = 16


class Range(NamedTuple):
    """Records by number, both ends included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


@dataclass(slots=True)
class Missed:
    """However often somebody asks, what is new has its turn: what is asked for while something goes out waits until
    that is through, and all that is new has gone out too."""

    _now: list[Range] = field(default_factory=list)
    _later: list[Range] = field(default_factory=list)
    _new_is_out: bool = True

    def ask(self, asked: Range) -> Range | None:
        """How much of it will go out; None where too much waits already."""
        if any(each.first <= asked.first and asked.last <= each.last for each in (*self._now, *self._later)):
            return asked
        size = min(asked.size, MOST - sum(each.size for each in self._later))
        granted = Range(asked.first, asked.first + size - 1)
        later = merged([*self._later, granted])
        if size <= 0 or len(later) > _MOST_RANGES:
            return None
        self._later = later
        return granted

    def next(self, through: int) -> Range | None:
        """What is to go out now, of the records up to `through`: what lies behind goes out anyway."""
        if not self._now and self._new_is_out:
            self._now, self._later = self._later, []
        self._now = [Range(each.first, min(each.last, through)) for each in self._now if each.first <= through]
        if not self._now:
            return None
        self._new_is_out = False
        return self._now[0]

    def sent(self, through: int) -> None:
        """The records up to this one are on their way."""
        self._now = [Range(max(each.first, through + 1), each.last) for each in self._now if each.last > through]

    def new_goes_out(self, *, all_of_it: bool) -> bool:
        """What is new goes out; whether something waits for its turn now."""
        self._new_is_out = all_of_it
        return all_of_it and bool(self._later)

    def unanswered(self, numbers: Iterable[int]) -> None:
        """These were on their way when the connection was lost."""
        self._now = merged([*self._now, *(Range(each, each) for each in numbers)])


def merged(ranges: Iterable[Range]) -> list[Range]:
    """In order, those that touch made one."""
    made: list[Range] = []
    for each in sorted(ranges):
        if made and each.first <= made[-1].last + 1:
            made[-1] = Range(made[-1].first, max(made[-1].last, each.last))
        else:
            made.append(each)
    return made
