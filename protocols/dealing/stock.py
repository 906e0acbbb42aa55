"""What has left the shoe, card by card. The counts are lower bounds: a card that was not seen may be any card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocols.cards import RANKS, SUITS, Card
from protocols.dealing.frozen import once_in

_KINDS: Final = tuple(Card(rank, suit) for rank in RANKS for suit in (*SUITS, None))
_INDEX: Final = {card: index for index, card in enumerate(_KINDS)}
_SUITS: Final = len(SUITS)
CARDS_IN_DECK: Final = len(RANKS) * _SUITS
_KINDS_A_RANK: Final = _SUITS + 1


@dataclass(frozen=True)
class Stock:
    """`seen[i]` cards of kind i whose value is known, `drawn` cards in all, read or not."""

    seen: tuple[int, ...] = (0,) * len(_KINDS)
    drawn: int = 0

    def draw(self, cards: int = 1) -> Stock:
        """So many cards have left the shoe."""
        return Stock(self.seen, self.drawn + cards)

    def see(self, card: Card, instead_of: Card | None = None) -> Stock:
        """The value of one drawn card is known; `instead_of`: it was counted as that before."""
        seen = list(self.seen)
        if instead_of is not None:
            seen[_INDEX[instead_of]] -= 1
        seen[_INDEX[card]] += 1
        return Stock(tuple(seen), self.drawn)

    def overdrawn(self, decks: int) -> frozenset[str]:
        """What cannot have come from `decks` decks, as phrases; a card that came too often is none of its rank's."""
        if not _too_many(decks, self):
            return frozenset()
        found = set()
        if self.drawn > decks * CARDS_IN_DECK:
            found.add(f"card {self.drawn} of {decks * CARDS_IN_DECK}")
        for position, rank in enumerate(RANKS):
            counts = self.seen[position * _KINDS_A_RANK : (position + 1) * _KINDS_A_RANK]
            of_rank = sum(min(count, decks) for count in counts[:_SUITS]) + counts[_SUITS]
            if of_rank > decks * _SUITS:
                found.add(f"{of_rank} cards of rank {rank}, {decks} decks hold {decks * _SUITS}")
            for suit, count in zip(SUITS, counts, strict=False):
                if count > decks:
                    found.add(f"{rank}{suit} {count} times, {decks} decks hold it {decks} times")
        return frozenset(found)


@once_in
def _too_many(decks: int, stock: Stock) -> bool:
    """Whether anything may be more than `decks` decks hold; one look is enough where all suits are known."""
    if stock.drawn > decks * CARDS_IN_DECK:
        return True
    if not any(stock.seen[_SUITS::_KINDS_A_RANK]):
        return max(stock.seen) > decks
    suits = [stock.seen[suit::_KINDS_A_RANK] for suit in range(_KINDS_A_RANK)]
    return max(map(max, suits[:_SUITS])) > decks or max(map(sum, zip(*suits, strict=True))) > decks * _SUITS
