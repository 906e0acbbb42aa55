"""The dealer's wrong acts, one function a misdeal: what is done here instead of the act that is due."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulators.acts import Face
from simulators.blackjack.acts import Act, Acted, Drawn, Method
from simulators.blackjack.layout import Hand, Layout
from simulators.blackjack.rules import BlackjackRules
from simulators.stock import Stock


@dataclass(frozen=True, slots=True)
class Here:
    """The moment before `due`: `method` is in force, `boxes` are those with a wager, `cut_card_out` says whether
    the cutting card has shown."""

    rules: BlackjackRules
    method: Method
    layout: Layout
    due: Act
    stock: Stock
    rng: random.Random
    boxes: tuple[int, ...]
    cut_card_out: bool

    def card(self, place: str, face: Face = "up") -> Drawn:
        """The next card goes there."""
        return Drawn(place, self.stock.draw(), face)

    def hit(self, hand: Hand) -> tuple[Act, ...]:
        """The hand signals for a card and gets it."""
        return Acted(hand.box, "hit", hand.letter), self.card(hand.place)

    @property
    def is_play(self) -> bool:
        """Whether the deal, insurance and the peek are over, and the dealer has not begun."""
        waits_for_peek = self.method == "nd-card-reader" and self.layout.upcard_may_be_natural
        peeked = not waits_for_peek or self.layout.peek == "no_natural"
        return self.layout.is_dealt and peeked and self.layout.insurance != "open" and not self.layout.turned

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


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is done; the violation shows at the act number `blamed` (default the last).

    After it the round is voided, or over, or it goes on with the act that was due."""

    acts: tuple[Act, ...]
    then: Literal["void", "over", "go_on"] = "void"
    blamed: int = -1

    @property
    def blamed_act(self) -> int:
        """Counted from 0."""
        return self.blamed % len(self.acts)


Temptation = Callable[[Here], Wrong | None]
"""What the dealer does wrongly here; None where the misdeal cannot be done here."""
