"""What every dealer does alike: round after round out of steps, some of them with one named misdeal."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from typing import Generic, TypeVar

from simulators.boxes.gate import RoundOver, Step
from simulators.boxes.misdeals import Fault, named
from simulators.rounds import Round

A = TypeVar("A")
F = TypeVar("F", bound=Fault)


class Dealer(ABC, Generic[A, F]):
    """Deals round after round without end; the same seed deals the same cards in the same way.

    `rate` is the share of rounds (0-1) in which one of `misdeals` is tried, as far as the cards allow one."""

    def __init__(self, rng: random.Random, rate: float, misdeals: Collection[F]) -> None:
        self._rng = rng
        self._rate = rate
        self._misdeals = named(misdeals)

    def __iter__(self) -> Iterator[Round[A]]:
        return self

    def __next__(self) -> Round[A]:
        steps = list(self.steps())
        acts = tuple(step.act for step in steps)
        for number, step in enumerate(steps):
            if step.misdeal:
                return Round(acts, step.misdeal, number, step.misdeal.code)
        return Round(acts)

    def steps(self) -> Iterator[Step[A]]:
        """The next round, act by act as it is asked for; `reader_is_out` may be told between two."""
        try:
            yield from self._round()
        except RoundOver:
            return

    @abstractmethod
    def _round(self) -> Iterator[Step[A]]:
        """The next round with what comes before it; RoundOver where it ends before its time."""

    def reader_is_out(self) -> None:
        """The table cannot use its reader from here on, where the game knows one."""

    def _errs(self) -> bool:
        """Whether a misdeal is tried in this round."""
        return bool(self._misdeals) and self._rng.random() < self._rate
