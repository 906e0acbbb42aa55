"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from simulators.boxes import gate as boxes
from simulators.boxes.acts import Drawn, RoundVoided, TakenAway
from simulators.boxes.wrong import Wrong
from simulators.stock import Stock
from simulators.stud import wrong_before, wrong_deal, wrong_play
from simulators.stud.acts import CARD_LEAVES_DECK, Act, Boxed
from simulators.stud.book import Book
from simulators.stud.layout import Layout
from simulators.stud.misdeals import Misdeal
from simulators.stud.rules import StudRules
from simulators.stud.wrong import Here, Temptation

_TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    **wrong_before.TEMPTATIONS,
    **wrong_deal.TEMPTATIONS,
    **wrong_play.TEMPTATIONS,
}
Steps = Iterator[boxes.Step[Act]]
_YIELDS: Final = 0.4


class Gate(boxes.Gate[Act, Misdeal]):
    """The gate of a dealer of stud; `boxed` is the share (0-1) of cards that are found face up in the deck."""

    def __init__(self, rules: StudRules, rng: random.Random, stock: Stock, boxed: float, book: Book) -> None:
        super().__init__(rng, stock)
        self.rules = rules
        self.boxed = boxed
        self.book = book
        self.layout = Layout()

    @property
    def must_count(self) -> bool:
        """Whether the stub has to be counted before this round is over."""
        begun = self.book.begun if self.layout.is_open else self.book.begun + 1
        return begun >= self.rules.stub_count_rounds

    def draw(self, place: str) -> Steps:
        """The next card goes there, face down; what lies face up in the deck is taken away before."""
        while self.chance(self.boxed) and not self.pending:
            rack = self.rng.choice(("burn", place))
            yield from self.do(Boxed(rack, *self.stock.next_cards(1)))
            if rack != "burn":
                yield from self.do(TakenAway(place))
        [card] = self.stock.next_cards(1)
        yield from self.do(Drawn(place, card, "down"))

    def tempted(self, act: Act) -> Wrong[Act] | None:
        if self.plan is None or not self.chance(_YIELDS):
            return None
        may_void = not self.must_count
        here = Here(self.rules, self.layout, self.book, act, self.stock, self.rng, self.boxes, may_void)
        wrong = _TEMPTATIONS[self.plan](here)
        return None if wrong and wrong.then in ("void", "over") and not may_void else wrong

    def drawn(self, act: Act) -> Act:
        return replace(act, card=self.stock.draw()) if isinstance(act, CARD_LEAVES_DECK) else act

    def enter(self, act: Act) -> None:
        self.layout.take(act)
        self.book.take(act)

    def voided(self, reason: str) -> Act:
        return RoundVoided(reason)
