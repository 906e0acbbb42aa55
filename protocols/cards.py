"""A card as a table log writes it: a rank, and a suit where it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocols.errors import quoted

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"


@dataclass(frozen=True, slots=True)
class Card:
    """One card; `suit` is None where only the rank is known. A card that was not read is None, never a Card."""

    rank: str
    suit: str | None = None

    def __post_init__(self) -> None:
        if self.rank not in RANKS or len(self.rank) != 1:
            raise ValueError(f"{quoted(self.rank)} is no rank (one of {RANKS})")
        if self.suit is not None and (self.suit not in SUITS or len(self.suit) != 1):
            raise ValueError(f"{quoted(self.suit)} is no suit (one of {SUITS})")

    @classmethod
    def parse(cls, text: str) -> Card:
        """`"Kh"` or `"K"`; ValueError for anything else."""
        if len(text) not in (1, 2):
            raise ValueError(f'{quoted(text)} is no card (rank {RANKS}, then a suit {SUITS} where known: "Kh", "T")')
        return cls(text[0], text[1:] or None)

    def __str__(self) -> str:
        return self.rank + (self.suit or "")

    def could_be(self, other: Card) -> bool:
        """Whether both may be readings of one card: same rank, no two different suits."""
        return self.rank == other.rank and (self.suit is None or other.suit is None or self.suit == other.suit)
