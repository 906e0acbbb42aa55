"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from simulators.stock import Stock
from simulators.stud import wrong_before, wrong_deal, wrong_play
from simulators.stud.acts import (
    CARD_LEAVES_DECK,
    Act,
    Boxed,
    Drawn,
    RoundVoided,
    TakenAway,
)
from simulators.stud.book import Book
from simulators.stud.layout import Layout
from simulators.stud.misdeals import CODES, Misdeal
from simulators.stud.rules import StudRules
from simulators.stud.wrong import Here, ShownBy, Temptation, Wrong

_TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    **wrong_before.TEMPTATIONS,
    **wrong_deal.TEMPTATIONS,
    **wrong_play.TEMPTATIONS,
}
_YIELDS: Final = 0.4


class RoundOver(Exception):
    """The round ended before its time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One act; `misdeal` where the violation can be seen at it."""

    act: Act
    misdeal: Misdeal | None = None


@dataclass(slots=True)
class Gate:
    """What one dealer has before him. `plan` is the misdeal of this round, `pending` one that was done and has not
    shown yet; `boxed` is the share (0-1) of cards that are found face up in the deck."""

    rules: StudRules
    rng: random.Random
    stock: Stock
    boxed: float = 0.0
    book: Book = field(default_factory=Book)
    layout: Layout = field(default_factory=Layout)
    boxes: tuple[int, ...] = ()
    plan: Misdeal | None = None
    pending: tuple[Misdeal, ShownBy] | None = None

    def chance(self, share: float) -> bool:
        """True in this share (0-1) of the cases."""
        return self.rng.random() < share

    @property
    def must_count(self) -> bool:
        """Whether the stub has to be counted before this round is over."""
        begun = self.book.begun if self.layout.is_open else self.book.begun + 1
        return begun >= self.rules.stub_count_rounds

    def do(self, act: Act) -> Iterator[Step]:
        """The act, or the planned misdeal in its place; RoundOver where the round does not go on after it."""
        wrong = self._tempted(act)
        if wrong:
            yield from self._misdeal(wrong)
        if wrong and wrong.then == "instead":
            return
        if isinstance(act, CARD_LEAVES_DECK):
            act = replace(act, card=self.stock.draw())
        yield self._taken(act)

    def draw(self, place: str) -> Iterator[Step]:
        """The next card goes there, face down; what lies face up in the deck is taken away before."""
        while self.chance(self.boxed) and not self.pending:
            rack = self.rng.choice(("burn", place))
            yield from self.do(Boxed(rack, *self.stock.next_cards(1)))
            if rack != "burn":
                yield from self.do(TakenAway(place))
        [card] = self.stock.next_cards(1)
        yield from self.do(Drawn(place, card, "down"))

    def void(self, reason: str) -> Iterator[Step]:
        """A supervisor ends the round."""
        yield self._taken(RoundVoided(reason))
        raise RoundOver

    def _tempted(self, act: Act) -> Wrong | None:
        if self.plan is None or not self.chance(_YIELDS):
            return None
        may_void = not self.must_count
        here = Here(self.rules, self.layout, self.book, act, self.stock, self.rng, self.boxes, may_void)
        wrong = _TEMPTATIONS[self.plan](here)
        return None if wrong and wrong.then in ("void", "over") and not may_void else wrong

    def _misdeal(self, wrong: Wrong) -> Iterator[Step]:
        misdeal, self.plan = self.plan, None
        if misdeal and wrong.shown_by:
            self.pending = misdeal, wrong.shown_by
        for number, act in enumerate(wrong.acts, start=1):
            step = self._taken(act)
            shows = number == len(wrong.acts) and not wrong.shown_by
            yield Step(act, misdeal) if shows else step
        if wrong.then == "void":
            yield from self.void(CODES[misdeal] if misdeal else "")
        if wrong.then == "over":
            raise RoundOver

    def _taken(self, act: Act) -> Step:
        self.layout.take(act)
        self.book.take(act)
        if self.pending and self.pending[1](act):
            (misdeal, _), self.pending = self.pending, None
            return Step(act, misdeal)
        return Step(act)
