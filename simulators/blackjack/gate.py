"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from simulators.acts import CuttingCard, Face
from simulators.blackjack import wrong_deal, wrong_end, wrong_peek, wrong_play
from simulators.blackjack.acts import (
    CARD_LEAVES_SHOE,
    Act,
    Boxed,
    Burned,
    Drawn,
    Method,
    MethodSelected,
    Procedure,
    ReaderFailed,
    RoundVoided,
    ShoeEmptied,
    Shuffled,
    Trouble,
)
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import CODES, Misdeal
from simulators.blackjack.procedures import CUSTOMS
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.shoe_book import ShoeBook
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
_NEAR_THE_END: Final = 8
_TELLS_WHERE: Final = 0.5


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
    use, `selected` the procedure whose method a supervisor named then; `boxed` is the share (0-1) of cards that are
    found face up in the shoe."""

    rules: BlackjackRules
    rng: random.Random
    stock: Stock
    layout: Layout
    boxed: float = 0.0
    boxes: tuple[int, ...] = ()
    plan: Misdeal | None = None
    cut_card_out: bool = False
    cut_card_just_shown: bool = False
    reader_out: bool = False
    selected: Procedure | None = None
    book: ShoeBook = field(default_factory=ShoeBook)

    @property
    def method(self) -> Method:
        """By which method this round is dealt as things lie now (procedures 2.4)."""
        if not self.reader_out:
            return self.rules.custom.method
        wanted = self.selected or self.rules.fallback
        return CUSTOMS[wanted].method if wanted in self.reachable() else "no-peek"

    @property
    def may_peek(self) -> bool:
        """Whether the reader may be used, the upcard apart."""
        return self.rules.uses_reader and not self.reader_out

    def reachable(self) -> tuple[Procedure, ...]:
        """The procedures whose method can take over from the reader with the dealer's cards that are out."""
        faces = [face for _, face in self.layout.dealer]
        return ("nd-no-peek", "nd-no-hole") if faces in ([], ["up"]) else ("nd-no-peek",)

    def chance(self, share: float) -> bool:
        """True in this share (0-1) of the cases."""
        return self.rng.random() < share

    def do(self, act: Act, misdeal: Misdeal | None = None) -> Iterator[Step]:
        """The act, in which `misdeal` shows, or the planned misdeal in its place; RoundOver where the round does not
        go on after it."""
        wrong = self._tempted(act)
        if wrong:
            yield from self._misdeal(wrong)
        if wrong and wrong.then == "instead":
            return
        if isinstance(act, CARD_LEAVES_SHOE):
            act = replace(act, card=self.stock.draw())
        yield self._taken(Step(act, misdeal))

    def draw(self, place: str, face: Face = "up", misdeal: Misdeal | None = None) -> Iterator[Step]:
        """The next card goes there, after what comes before it: the cutting card, a card that lies face up."""
        while True:
            yield from self._reach_for_card(place)
            if not (self.layout.dealt and self.chance(self.boxed)):
                break
            yield from self.do(Boxed(*self.stock.next_cards(1)))
        [card] = self.stock.next_cards(1)
        yield from self.do(Drawn(place, card, face), misdeal)

    def burn(self) -> Iterator[Step]:
        """The next card is burned."""
        if self.stock.cutting_card_follows():
            yield from self.show_cutting_card(None)
        yield from self.do(Burned(*self.stock.next_cards(1)))

    def show_cutting_card(self, place: str | None) -> Iterator[Step]:
        """The cutting card comes out before the card for this place (None: for none)."""
        self.stock.take_cutting_card()
        self.cut_card_out = self.cut_card_just_shown = True
        self.book.cut_at = place
        yield Step(CuttingCard(place if self.chance(_TELLS_WHERE) else None))

    def lose_reader(self, trouble: Trouble, *, choose: bool) -> Iterator[Step]:
        """The reader fails; with `choose` a supervisor names the method."""
        yield self._taken(Step(ReaderFailed(trouble)))
        if choose:
            yield self._taken(Step(MethodSelected(self.rng.choice(self.reachable()))))

    def _reach_for_card(self, place: str) -> Iterator[Step]:
        """The cards that ran out are made up from the discards; without any the round is void (procedures 7.4)."""
        if self.stock.cutting_card_follows():
            yield from self.show_cutting_card(place)
        if len(self.stock):
            return
        yield from self.do(ShoeEmptied())
        if not self.book.rack:
            yield from self.do(RoundVoided("no cards are left"))
            raise RoundOver
        self.stock.refill(self.rng, self.book.rack)
        yield from self.do(Shuffled("discards"))

    def _tempted(self, act: Act) -> Wrong | None:
        coming = any(self.stock.cutting_card_follows(cards) for cards in range(_NEAR_CUTTING_CARD))
        near = coming or (self.cut_card_just_shown and isinstance(act, CARD_LEAVES_SHOE))
        temptation = _TEMPTATIONS.get(self.plan) if self.plan else None
        if temptation is None or near or len(self.stock) < _NEAR_THE_END:
            return None
        return temptation(self._here(act)) if self.chance(_YIELDS) else None

    def _here(self, due: Act) -> Here:
        return Here(
            self.rules,
            self.method,
            self.layout,
            due,
            self.stock,
            self.rng,
            self.boxes,
            self.book,
            cut_card_out=self.cut_card_out,
            reader_out=self.reader_out,
        )

    def _misdeal(self, wrong: Wrong) -> Iterator[Step]:
        misdeal, self.plan = self.plan, None
        selected = self.selected
        for number, act in enumerate(wrong.acts):
            step = self._taken(Step(act, misdeal if number == wrong.blamed_act else None))
            self.selected = selected
            yield step
        if wrong.then == "void":
            yield self._taken(Step(RoundVoided(CODES[misdeal] if misdeal else "")))
        if wrong.then in ("void", "over"):
            raise RoundOver

    def _taken(self, step: Step) -> Step:
        match step.act:
            case ReaderFailed():
                self.reader_out = True
            case MethodSelected(procedure=procedure):
                self.selected = procedure
            case Drawn() if not self.layout.dealt:
                self.book.begin_to_deal(self.rules)
        self.cut_card_just_shown = False
        self.layout.take(step.act)
        self.book.take(step.act)
        return step
