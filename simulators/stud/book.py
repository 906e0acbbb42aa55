"""What goes on from one round to the next: the count of the stub, the shuffle, the shoe's health."""

from __future__ import annotations

from dataclasses import dataclass

from simulators.acts import ShoeLoaded
from simulators.boxes.acts import Drawn, RoundClosed, RoundOpened
from simulators.stud.acts import Act, ShoeFaulted, ShoeRestored, Shuffled, StubCounted


@dataclass(slots=True)
class Book:
    """`begun` and `finished` count the rounds since the last count of the stub: the texts do not say whether a round
    that was voided is one of them, so a dealer who counts by the first is in time either way, and one who lets the
    second run out is late either way."""

    begun: int = 0
    finished: int = 0
    rounds: int = 0
    dealt: bool = False
    faulted: bool = False

    def must_count(self, limit: int) -> bool:
        """Whether the stub has to be counted in the round that was begun last."""
        return self.begun >= limit

    def runs_out(self, limit: int) -> bool:
        """Whether the next round comes too late once this one is finished without a count."""
        return self.finished + 1 >= limit

    def take(self, act: Act) -> None:
        """The act happens."""
        match act:
            case RoundOpened():
                self.rounds, self.begun = self.rounds + 1, self.begun + 1
            case RoundClosed():
                self.finished += 1
            case StubCounted():
                self.begun, self.finished = 0, -1
            case Shuffled() | ShoeLoaded():
                self.dealt = False
            case Drawn():
                self.dealt = True
            case ShoeFaulted() | ShoeRestored():
                self.faulted = isinstance(act, ShoeFaulted)
