"""The gate that every act of a dealer passes: the act that is due happens, or the planned misdeal in its place."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from simulators.acts import CuttingCard, Face
from simulators.blackjack import wrong_deal, wrong_end, wrong_peek, wrong_play
from simulators.blackjack.acts import (
    CARD_LEAVES_SHOE,
    Act,
    Boxed,
    Method,
    Procedure,
    ReaderFailed,
    ShoeEmptied,
    Shuffled,
    Trouble,
)
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.procedures import CUSTOMS
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.shoe_book import ShoeBook
from simulators.blackjack.wrong import Here, Temptation
from simulators.boxes import gate as boxes
from simulators.boxes.acts import Burned, Drawn, MethodSelected, RoundVoided
from simulators.boxes.gate import RoundOver
from simulators.boxes.wrong import Wrong
from simulators.stock import Stock

_TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    **wrong_deal.TEMPTATIONS,
    **wrong_peek.TEMPTATIONS,
    **wrong_play.TEMPTATIONS,
    **wrong_end.TEMPTATIONS,
}
Steps = Iterator[boxes.Step[Act]]
_YIELDS: Final = 0.6
_NEAR_CUTTING_CARD: Final = 4
_NEAR_THE_END: Final = 8
_TELLS_WHERE: Final = 0.5


class Gate(boxes.Gate[Act, Misdeal]):
    """The gate of a dealer of blackjack. `reader_out` says whether the reader is out of use, `selected` names the
    procedure whose method a supervisor chose then; `boxed` is the share (0-1) of cards that are found face up in the
    shoe."""

    def __init__(self, rules: BlackjackRules, rng: random.Random, boxed: float) -> None:
        super().__init__(rng, Stock(rng, decks=0, behind=0))
        self.rules = rules
        self.boxed = boxed
        self.book = ShoeBook()
        self.layout = Layout()
        self.cut_card_out = True
        self.cut_card_just_shown = False
        self.reader_out = False
        self.selected: str | None = None

    @property
    def method(self) -> Method:
        """By which method this round is dealt as things lie now (procedures 2.4)."""
        if not self.reader_out:
            return self.rules.custom.method
        wanted = self.selected or self.rules.fallback
        return next((CUSTOMS[other].method for other in self.reachable() if other == wanted), "no-peek")

    @property
    def may_peek(self) -> bool:
        """Whether the reader may be used, the upcard apart."""
        return self.rules.uses_reader and not self.reader_out

    def reachable(self) -> tuple[Procedure, ...]:
        """The procedures whose method can take over from the reader with the dealer's cards that are out."""
        faces = [face for _, face in self.layout.dealer]
        return ("nd-no-peek", "nd-no-hole") if faces in ([], ["up"]) else ("nd-no-peek",)

    def draw(self, place: str, face: Face = "up", misdeal: Misdeal | None = None) -> Steps:
        """The next card goes there, after what comes before it: the cutting card, a card that lies face up."""
        while True:
            yield from self._reach_for_card(place)
            if not (self.layout.dealt and self.chance(self.boxed)):
                break
            yield from self.do(Boxed(*self.stock.next_cards(1)))
        [card] = self.stock.next_cards(1)
        yield from self.do(Drawn(place, card, face), misdeal)

    def burn(self) -> Steps:
        """The next card is burned."""
        if self.stock.cutting_card_follows():
            yield from self.show_cutting_card(None)
        yield from self.do(Burned(*self.stock.next_cards(1)))

    def show_cutting_card(self, place: str | None) -> Steps:
        """The cutting card comes out before the card for this place (None: for none)."""
        self.stock.take_cutting_card()
        self.cut_card_out = self.cut_card_just_shown = True
        self.book.cut_at = place
        yield boxes.Step(CuttingCard(place if self.chance(_TELLS_WHERE) else None))

    def lose_reader(self, trouble: Trouble, *, choose: bool) -> Steps:
        """The reader fails; with `choose` a supervisor names the method."""
        yield self.done(ReaderFailed(trouble))
        if choose:
            yield self.done(MethodSelected(self.rng.choice(self.reachable())))

    def _reach_for_card(self, place: str) -> Steps:
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

    def tempted(self, act: Act) -> Wrong[Act] | None:
        coming = any(self.stock.cutting_card_follows(cards) for cards in range(_NEAR_CUTTING_CARD))
        near = coming or (self.cut_card_just_shown and isinstance(act, CARD_LEAVES_SHOE))
        temptation = _TEMPTATIONS.get(self.plan) if self.plan else None
        if temptation is None or near or len(self.stock) < _NEAR_THE_END:
            return None
        return temptation(self._here(act)) if self.chance(_YIELDS) else None

    def err(self, wrong: Wrong[Act]) -> Steps:
        """The planned misdeal is done; a method that is chosen wrongly does not take over."""
        selected = self.selected
        for step in super().err(wrong):
            self.selected = selected
            yield step

    def drawn(self, act: Act) -> Act:
        return replace(act, card=self.stock.draw()) if isinstance(act, CARD_LEAVES_SHOE) else act

    def enter(self, act: Act) -> None:
        match act:
            case ReaderFailed():
                self.reader_out = True
            case MethodSelected(procedure=procedure):
                self.selected = procedure
            case Drawn() if not self.layout.dealt:
                self.book.begin_to_deal(self.rules)
        self.cut_card_just_shown = False
        self.layout.take(act)
        self.book.take(act)

    def voided(self, reason: str) -> Act:
        return RoundVoided(reason)

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
