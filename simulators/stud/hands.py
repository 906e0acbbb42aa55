"""What a hand of five cards is worth in Mississippi stud (procedures 6, payouts)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from protocols.cards import Card
from simulators.boxes.acts import Outcome

_HIGH_PAIRS: Final = frozenset("JQKA")
_MIDDLE_PAIRS: Final = frozenset("6789T")
_STRAIGHTS: Final = frozenset(frozenset("A23456789TJQKA"[low : low + 5]) for low in range(10))


def outcome(cards: Sequence[Card]) -> Outcome:
    """What a player gets who did not fold: a pair of jacks or anything better wins, one of sixes to tens pushes."""
    ranks = Counter(card.rank for card in cards)
    if _is_better_than_a_pair(cards, ranks):
        return "win"
    pair = {rank for rank, count in ranks.items() if count == 2}
    return "win" if pair & _HIGH_PAIRS else "push" if pair & _MIDDLE_PAIRS else "lose"


def _is_better_than_a_pair(cards: Sequence[Card], ranks: Counter[str]) -> bool:
    flush = len(ranks) == 5 and len({card.suit for card in cards}) == 1
    return len(ranks) < 4 or frozenset(ranks) in _STRAIGHTS or flush
