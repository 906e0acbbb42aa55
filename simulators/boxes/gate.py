"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from simulators.boxes.misdeals import Fault
from simulators.boxes.wrong import Wrong
from simulators.stock import Stock

A = TypeVar("A")
"""The acts of a game; RoundVoided is one of every game's."""
Told = TypeVar("Told", covariant=True)
F = TypeVar("F", bound=Fault)


class RoundOver(Exception):
    """The round ended before its time."""


@dataclass(frozen=True, slots=True)
class Step(Generic[Told]):
    """One act; `misdeal` where the violation can be seen at it."""

    act: Told
    misdeal: Fault | None = None


class Gate(ABC, Generic[A, F]):
    """What one dealer has before him. `plan` is the misdeal of this round, `pending` one that was done and has not
    shown yet."""

    def __init__(self, rng: random.Random, stock: Stock) -> None:
        self.rng = rng
        self.stock = stock
        self.boxes: tuple[int, ...] = ()
        self.plan: F | None = None
        self.pending: tuple[F, Callable[[A], bool]] | None = None

    def chance(self, share: float) -> bool:
        """True in this share (0-1) of the cases."""
        return self.rng.random() < share

    def do(self, act: A, misdeal: F | None = None) -> Iterator[Step[A]]:
        """The act, in which `misdeal` shows, or the planned misdeal in its place; RoundOver where the round does not
        go on after it."""
        wrong = self.tempted(act)
        if wrong:
            yield from self.err(wrong)
        if wrong and wrong.then == "instead":
            return
        yield self.done(self.drawn(act), misdeal)

    def void(self, reason: str) -> Iterator[Step[A]]:
        """A supervisor ends the round."""
        yield self.done(self.voided(reason))
        raise RoundOver

    def err(self, wrong: Wrong[A]) -> Iterator[Step[A]]:
        """The planned misdeal is done."""
        misdeal, self.plan = self.plan, None
        if misdeal and wrong.shown_by:
            self.pending = misdeal, wrong.shown_by
        for number, act in enumerate(wrong.acts):
            yield self.done(act, misdeal if number == wrong.blamed_act else None)
        if wrong.then == "void":
            yield from self.void(misdeal.code if misdeal else "")
        if wrong.then == "over":
            raise RoundOver

    def done(self, act: A, misdeal: F | None = None) -> Step[A]:
        """The act happens."""
        self.enter(act)
        if misdeal is None and self.pending and self.pending[1](act):
            (misdeal, _), self.pending = self.pending, None
        return Step(act, misdeal)

    @abstractmethod
    def tempted(self, act: A) -> Wrong[A] | None:
        """What the dealer does wrongly where this act is due."""

    @abstractmethod
    def drawn(self, act: A) -> A:
        """The act with the card that is next in the stock now, where a card leaves it."""

    @abstractmethod
    def enter(self, act: A) -> None:
        """Enter what happens into the books."""

    @abstractmethod
    def voided(self, reason: str) -> A:
        """The act by which a round is voided."""
