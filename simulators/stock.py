"""The cards in the shoe, with the cutting card among them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from protocols.cards import RANKS, SUITS, Card


class Stock:
    """Shuffled decks with a cutting card before the last `behind` cards."""

    def __init__(self, rng: random.Random, decks: int, behind: int) -> None:
        self._cards = [Card(rank, suit) for _ in range(decks) for suit in SUITS for rank in RANKS]
        rng.shuffle(self._cards)
        self._behind = behind
        self._cutting_card_inside = True

    def __len__(self) -> int:
        return len(self._cards)

    def cutting_card_follows(self, cards: int = 0) -> bool:
        """Whether the cutting card is what comes after `cards` more cards."""
        return self._cutting_card_inside and len(self._cards) - cards == self._behind

    def take_cutting_card(self) -> None:
        """The cutting card is out."""
        self._cutting_card_inside = False

    def draw(self) -> Card:
        """The next card."""
        return self._cards.pop()

    def next_cards(self, count: int) -> Sequence[Card]:
        """The next cards in order, left in the shoe."""
        return self._cards[: -count - 1 : -1]

    def refill(self, rng: random.Random, cards: Iterable[Card]) -> None:
        """The empty shoe gets these cards, shuffled."""
        self._cards = list(cards)
        rng.shuffle(self._cards)
