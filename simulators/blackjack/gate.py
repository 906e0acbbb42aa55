"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from simulators.acts import CuttingCard, Face
from simulators.blackjack import wrong_deal, wrong_end, wrong_peek, wrong_play
from simulators.blackjack.acts import (
    CARD_LEAVES_SHOE,
    Act,
    Drawn,
    Method,
    MethodSelected,
    ReaderFailed,
    RoundVoided,
    Trouble,
)
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.wrong import Here, Temptation, Wrong
from simulators.stock import Stock

_TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    **wrong_deal.TEMPTATIONS,
    **wrong_peek.TEMPTATIONS,
    **wrong_play.TEMPTATIONS,
    **wrong_end.TEMPTATIONS,
}
_YIELDS: Final = 0.6
_NEAR_CUTTING_CARD: Final = 4


class RoundOver(Exception):
    """The round ended before its time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One act; `misdeal` where the violation can be seen at it."""

    act: Act
    misdeal: Misdeal | None = None


@dataclass(slots=True)
class Gate:
    """What one dealer has before him. `plan` is the misdeal of this round, `reader_out` whether the reader is out of
    use, `selected` the method that a supervisor named then."""

    rules: BlackjackRules
    rng: random.Random
    stock: Stock
    layout: Layout
    boxes: tuple[int, ...] = ()
    plan: Misdeal | None = None
    cut_card_out: bool = False
    reader_out: bool = False
    selected: Method | None = None

    @property
    def method(self) -> Method:
        """By which method this round is dealt as things lie now (procedures 2.4)."""
        if not self.reader_out:
            return self.rules.procedure
        wanted = self.selected or self.rules.fallback
        return wanted if wanted in self.reachable() else "nd-no-peek"

    def reachable(self) -> tuple[Method, ...]:
        """The methods that can take over from the reader with the dealer's cards that are out."""
        faces = [face for _, face in self.layout.dealer]
        return ("nd-no-peek", "nd-no-hole") if faces in ([], ["up"]) else ("nd-no-peek",)

    def do(self, act: Act) -> Iterator[Step]:
        """The act, or the planned misdeal in its place; RoundOver where the round does not go on after it."""
        wrong = self._tempted(act)
        if wrong:
            yield from self._misdeal(wrong)
        if isinstance(act, CARD_LEAVES_SHOE):
            self.stock.draw()
        yield self._taken(Step(act))

    def draw(self, place: str, face: Face = "up") -> Iterator[Step]:
        """The next card goes there, after the cutting card where that comes first."""
        if self.stock.cutting_card_follows():
            yield from self.show_cutting_card()
        [card] = self.stock.next_cards(1)
        yield from self.do(Drawn(place, card, face))

    def show_cutting_card(self) -> Iterator[Step]:
        """The cutting card comes out."""
        self.stock.take_cutting_card()
        self.cut_card_out = True
        yield Step(CuttingCard())

    def lose_reader(self, trouble: Trouble, *, choose: bool) -> Iterator[Step]:
        """The reader fails; with `choose` a supervisor names the method."""
        yield self._taken(Step(ReaderFailed(trouble)))
        if choose:
            yield self._taken(Step(MethodSelected(self.rng.choice(self.reachable()))))

    def _tempted(self, act: Act) -> Wrong | None:
        if self.plan is None or any(self.stock.cutting_card_follows(cards) for cards in range(_NEAR_CUTTING_CARD)):
            return None
        here = Here(self.rules, self.method, self.layout, act, self.stock, self.rng, self.boxes, self.cut_card_out)
        return _TEMPTATIONS[self.plan](here) if self.rng.random() < _YIELDS else None

    def _misdeal(self, wrong: Wrong) -> Iterator[Step]:
        misdeal, self.plan = self.plan, None
        selected = self.selected
        for number, act in enumerate(wrong.acts):
            step = self._taken(Step(act, misdeal if number == wrong.blamed_act else None))
            self.selected = selected
            yield step
        if wrong.then == "void":
            yield Step(RoundVoided(misdeal.value if misdeal else ""))
        if wrong.then != "go_on":
            raise RoundOver

    def _taken(self, step: Step) -> Step:
        match step.act:
            case ReaderFailed():
                self.reader_out = True
            case MethodSelected(procedure=procedure):
                self.selected = procedure
        self.layout.take(step.act)
        return step
