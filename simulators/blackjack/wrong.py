"""The dealer's wrong acts, one function a misdeal: what is done here instead of the act that is due."""

from __future__ import annotations

import random
from dataclasses import dataclass

from simulators.acts import Face
from simulators.blackjack.acts import Act, Acted, Called, Method
from simulators.blackjack.layout import Hand, Layout
from simulators.blackjack.rules import BlackjackRules
from simulators.blackjack.shoe_book import ShoeBook
from simulators.boxes import wrong
from simulators.boxes.acts import Burned, Drawn, RoundOpened
from simulators.stock import Stock


@dataclass(frozen=True, slots=True)
class Here:
    """The moment before `due`: `method` is in force, `boxes` are those with a wager, `cut_card_out` says whether
    the cutting card has shown, `reader_out` whether the reader is out of use."""

    rules: BlackjackRules
    method: Method
    layout: Layout
    due: Act
    stock: Stock
    rng: random.Random
    boxes: tuple[int, ...]
    book: ShoeBook
    cut_card_out: bool
    reader_out: bool

    def card(self, place: str, face: Face = "up") -> Drawn:
        """The next card goes there."""
        return Drawn(place, self.stock.draw(), face)

    def burned(self) -> Burned:
        """The next card is burned."""
        return Burned(self.stock.draw())

    def first_card(self) -> tuple[Act, ...]:
        """The round is opened, where it is not open yet, and its first card dealt."""
        called = (Called("no_more_bets"),) if self.rules.demands("no_more_bets") else ()
        opened = () if self.layout.is_open else (RoundOpened(self.boxes), *called)
        return *opened, self.card(f"box:{self.boxes[0]}")

    def hit(self, hand: Hand) -> tuple[Act, ...]:
        """The hand signals for a card and gets it."""
        return Acted(hand.box, "hit", hand.letter), self.card(hand.place)

    @property
    def is_play(self) -> bool:
        """Whether the players' turns have begun, and the dealer's has not."""
        return self.layout.in_play and not self.layout.turned

    @property
    def may_peek(self) -> bool:
        """Whether the reader may be used, the upcard apart."""
        return self.rules.uses_reader and not self.reader_out

    @property
    def must_peek(self) -> bool:
        """Whether the reader has to be used under this upcard."""
        return self.may_peek and self.rules.peek == "required" and self.layout.upcard_may_be_natural

    @property
    def hand(self) -> Hand | None:
        """The hand whose turn it is to signal, where it still can take a card."""
        match self.due:
            case Acted(box=box, hand=letter, action="hit" | "stand" | "double" | "split") if self.is_play:
                hand = self.layout.hand(box, letter)
                return hand if hand.total < 21 else None
        return None

    @property
    def is_first_signal(self) -> bool:
        """Whether play begins with the act that is due."""
        return self.hand is not None and not self.layout.played

    @property
    def has_hole_card(self) -> bool:
        return self.layout.hole is not None


class Wrong(wrong.Wrong[Act]):
    """A wrong act of this game."""

    __slots__ = ()


Temptation = wrong.Temptation[Here, Act]
