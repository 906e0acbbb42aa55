"""What five cards win in stud, on every reading of those that are not known."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from protocols.cards import RANKS, SUITS, Card

ANY_RESULT: Final = frozenset({"win", "push", "lose"})
_RUN: Final = RANKS + RANKS[0]
_STRAIGHTS: Final = frozenset(frozenset(_RUN[low : low + 5]) for low in range(len(_RUN) - 4))
_OF_A_KIND: Final = len(SUITS)


@lru_cache(maxsize=1 << 14)
def results(cards: tuple[Card | None, ...], winning: str, pushing: str) -> frozenset[str]:
    """What a hand of five may win: `winning`, `pushing` the ranks of which a single pair wins or pushes."""
    known = Counter(card.rank for card in cards if card)
    found: set[str] = set()
    for others in combinations_with_replacement(RANKS, len(cards) - known.total()):
        ranks = known + Counter(others)
        if max(ranks.values()) <= _OF_A_KIND:
            found |= _results(ranks, _may_be_flush(cards), winning, pushing)
    return frozenset(found)


def _results(ranks: Counter[str], flush: frozenset[bool], winning: str, pushing: str) -> frozenset[str]:
    pairs = [rank for rank, count in ranks.items() if count > 1]
    if not pairs:
        won = {True} if frozenset(ranks) in _STRAIGHTS else flush
        return frozenset("win" if each else "lose" for each in won)
    if len(pairs) > 1 or ranks[pairs[0]] > 2 or pairs[0] in winning:
        return frozenset({"win"})
    return frozenset({"push" if pairs[0] in pushing else "lose"})


def _may_be_flush(cards: tuple[Card | None, ...]) -> frozenset[bool]:
    """Whether the cards are of one suit; both where that hangs on a suit that is not known."""
    suits = [card.suit if card else None for card in cards]
    if len({suit for suit in suits if suit}) > 1:
        return frozenset({False})
    return frozenset({True, False}) if None in suits else frozenset({True})
