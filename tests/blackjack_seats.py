"""The cards of blackjack counted a second time, and one hand as a watcher sees it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from protocols.cards import Card


def counts(cards: Iterable[Card]) -> list[int]:
    """Every count that the cards can have, without those that bust, lowest first."""
    found = {0}
    for card in cards:
        values = (1, 11) if card.rank == "A" else (10,) if card.rank in "TJQK" else (int(card.rank),)
        found = {count + value for count in found for value in values}
    return sorted(count for count in found if count <= 21)


def best(cards: Iterable[Card]) -> int:
    """22 stands for a bust."""
    return max(counts(cards), default=22)


def is_soft(cards: list[Card]) -> bool:
    hard = sum(1 if card.rank == "A" else 10 if card.rank in "TJQK" else int(card.rank) for card in cards)
    return best(cards) != hard


def is_blackjack_hand(cards: list[Card]) -> bool:
    return len(cards) == 2 and best(cards) == 21


@dataclass
class Seat:
    """One hand as the watcher of a round sees it."""

    name: str
    cards: list[Card] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    whole: bool = True
    aces: bool = False

    @property
    def natural(self) -> bool:
        return self.whole and is_blackjack_hand(self.cards)

    @property
    def needs_nothing(self) -> bool:
        over = self.natural or best(self.cards) > 21 or bool({"stand", "surrender"} & set(self.said))
        return over or ("double" in self.said and len(self.cards) == 3) or (self.aces and len(self.cards) == 2)
