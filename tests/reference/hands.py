"""The hands of a box and the dealer's, as plain lists of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

TENS = "TJQK"


def worth(rank: str) -> int:
    """What a card counts, an ace one."""
    return 1 if rank == "A" else 10 if rank in TENS else int(rank)


def total(ranks: Sequence[str]) -> tuple[int, bool]:
    """The points of a hand, and whether an ace counts eleven in it."""
    points = sum(map(worth, ranks))
    return (points + 10, True) if "A" in ranks and points <= 11 else (points, False)


def makes_natural(ranks: Sequence[str]) -> bool:
    return len(ranks) == 2 and total(ranks)[0] == 21


def must_draw(ranks: Sequence[str], soft_17: str) -> bool:
    """Whether the dealer draws to these cards."""
    points, soft = total(ranks)
    return points < 17 or (points == 17 and soft and soft_17 == "hit")


@dataclass(slots=True, eq=False)
class Hand:
    """`asked`: the signal that no card has followed yet; `stood`: `in_turn`, `early` or empty; `doubled`: the double is
    the signal in force; `void`: the last signal is not offered for this hand."""

    letter: str = "a"
    ranks: list[str] = field(default_factory=list)
    asked: str = ""
    stood: str = ""
    doubled: bool = False
    doubled_at: int = 0
    surrendered: bool = False
    void: bool = False
    split: bool = False
    split_aces: bool = False

    @property
    def natural(self) -> bool:
        return not self.split and makes_natural(self.ranks)

    @property
    def bust(self) -> bool:
        return total(self.ranks)[0] > 21

    @property
    def got_its_double(self) -> bool:
        return self.doubled and len(self.ranks) > self.doubled_at
