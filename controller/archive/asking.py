"""Which records the archive asks for, and when: not more often than each half second of one epoch of a table, and where
nothing comes of it ever more rarely. Pure; `now` is any clock in seconds that only goes forward."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from controller.archive.heard import Told
from controller.archive.taking import Of

_MOST: Final = 10_000
_SHORTEST_S: Final = 0.5
_LONGEST_S: Final = 600.0
_Value = TypeVar("_Value")


@dataclass(slots=True)
class _Idle:
    """A table that says that it has more than is stored: how far it was when that was seen, and when it is asked."""

    mark: int
    ask_at: float
    pause_s: float


@dataclass(slots=True)
class Asking:
    """`idle_s`: so long a table may be ahead of what is stored, while nothing of it comes, before it is asked.

    However many tables are invented, only the last few thousand are remembered."""

    idle_s: float = 10.0
    oldest: OrderedDict[Of, int] = field(default_factory=OrderedDict)
    _marks: OrderedDict[Of, int] = field(default_factory=OrderedDict)
    _gaps: OrderedDict[Of, int] = field(default_factory=OrderedDict)
    _asked_at: OrderedDict[Of, float] = field(default_factory=OrderedDict)
    _idle: OrderedDict[Of, _Idle] = field(default_factory=OrderedDict)

    def knows(self, marks: Mapping[Of, int]) -> None:
        """So far it is stored."""
        for of, mark in marks.items():
            _put(self._marks, of, max(mark, self._marks.get(of, 0)))

    def took(self, marks: Mapping[Of, int], gaps: Mapping[Of, int]) -> None:
        """What became of a batch: up to where it is stored, and which record is missing."""
        self.knows(marks)
        for of in marks:
            self._gaps.pop(of, None)
        for of, first in gaps.items():
            _put(self._gaps, of, first)

    def told(self, told: Told, now: float) -> None:
        """A table has said how its journal is."""
        if told.oldest > 1:
            _put(self.oldest, told.of, told.oldest)
        mark, seen = self._marks.get(told.of, 0), self._idle.get(told.of)
        if told.last <= mark:
            self._idle.pop(told.of, None)
        elif seen is None or seen.mark != mark:
            _put(self._idle, told.of, _Idle(mark, now + self.idle_s, self.idle_s))
        elif now >= seen.ask_at:
            seen.pause_s = min(_LONGEST_S, 2 * seen.pause_s)
            seen.ask_at = now + seen.pause_s
            _put(self._gaps, told.of, mark + 1)

    def due(self, now: float) -> Iterable[tuple[Of, int]]:
        """What is to be asked for now; each once."""
        found = [(of, first) for of, first in self._gaps.items() if now >= self._asked_at.get(of, 0.0) + _SHORTEST_S]
        for of, _ in found:
            del self._gaps[of]
            _put(self._asked_at, of, now)
        return found

    @property
    def waits(self) -> bool:
        """Whether something is to be asked for later."""
        return bool(self._gaps)


def _put(kept: OrderedDict[Of, _Value], of: Of, value: _Value) -> None:
    """At the cost of the one that was changed least lately."""
    kept[of] = value
    kept.move_to_end(of)
    if len(kept) > _MOST:
        kept.popitem(last=False)
