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
    """Asked for again and again, it still lets what is new have its turn: what is asked for while something goes out
    waits until that is through and something new could go out too."""

    _now: list[Range] = field(default_factory=list)
    _later: list[Range] = field(default_factory=list)
    _new_had_its_turn: bool = True

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
        if not self._now and self._new_had_its_turn:
            self._now, self._later = self._later, []
        self._now = [Range(each.first, min(each.last, through)) for each in self._now if each.first <= through]
        self._new_had_its_turn = False
        return self._now[0] if self._now else None

    def sent(self, through: int) -> None:
        """The records up to this one are on their way."""
        self._now = [Range(max(each.first, through + 1), each.last) for each in self._now if each.last > through]

    def new_goes_out(self) -> bool:
        """What is new has its turn; whether something waits for the next one."""
        self._new_had_its_turn = True
        return bool(self._later)

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
