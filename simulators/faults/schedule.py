"""When the faults of a play strike."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from simulators.faults.menu import Fault


@dataclass(slots=True)
class Progress:
    """How far a play has come: the cards that have left the shoe, and the number of the round (0 before the first)."""

    cards: int = 0
    round: int = 0
    clock: Callable[[], float] = time.monotonic
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Since the play began."""
        return self.clock() - self._began


class Schedule:
    """The faults of one device; the same seed lets `p=` strike at the same occasions."""

    def __init__(self, faults: Iterable[Fault], progress: Progress, seed: int) -> None:
        self._faults = list(faults)
        self._idle = set(self._faults)
        self.progress = progress
        self._rng = random.Random(seed)

    def names(self) -> frozenset[str]:
        """What may still strike."""
        return frozenset(fault.name for fault in self._faults)

    def idle(self) -> frozenset[Fault]:
        """What has never struck yet."""
        return frozenset(self._idle)

    def take(self, names: Collection[str]) -> Fault | None:
        """The first fault of these names for which this is the occasion."""
        for fault in self._faults:
            if fault.name in names and self._is_due(fault):
                if fault.when.clock != "share":
                    self._faults.remove(fault)
                self._idle.discard(fault)
                return fault
        return None

    def _is_due(self, fault: Fault) -> bool:
        number = fault.when.number
        match fault.when.clock:
            case "card":
                return self.progress.cards >= number
            case "round":
                return self.progress.round >= number
            case "seconds":
                return self.progress.seconds >= number
            case "share":
                return self._rng.random() < number
            case "first":
                return True
