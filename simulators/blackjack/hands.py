"""Counting a hand of blackjack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from protocols.cards import Card

_TENS: Final = "TJQK"


def points(card: Card) -> int:
    """Ace 1, tens and pictures 10."""
    return 1 if card.rank == "A" else 10 if card.rank in _TENS else int(card.rank)


def total(cards: Sequence[Card]) -> int:
    """The best count: an ace is 11 where that does not bust."""
    return _low(cards) + (10 if is_soft(cards) else 0)


def is_soft(cards: Sequence[Card]) -> bool:
    """Whether an ace counts 11."""
    return any(card.rank == "A" for card in cards) and _low(cards) <= 11


def is_natural(cards: Sequence[Card]) -> bool:
    """Ace and ten, whatever the hand came from."""
    return len(cards) == 2 and total(cards) == 21


def is_pair(cards: Sequence[Card], by: Literal["value", "rank"]) -> bool:
    """Whether two cards can be split."""
    if len(cards) != 2:
        return False
    first, second = cards
    return first.rank == second.rank if by == "rank" else points(first) == points(second)


def dealer_draws(cards: Sequence[Card], soft_17: Literal["stand", "hit"]) -> bool:
    """Whether the dealer's hand wants another card."""
    count = total(cards)
    return count < 17 or (count == 17 and soft_17 == "hit" and is_soft(cards))


def _low(cards: Sequence[Card]) -> int:
    return sum(points(card) for card in cards)
