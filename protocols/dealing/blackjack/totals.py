"""What cards count in blackjack. An unread card may be any card, so a hand has a set of totals that it may have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from protocols.cards import RANKS, Card

Read = Card | None
"""A card, or None where its value is not known to all."""

_TENS: Final = "TJQK"
TWENTY_ONE: Final = 21


class Total(NamedTuple):
    """The best total of a hand, and whether an ace in it counts eleven."""

    points: int
    soft: bool


def value(rank: str) -> int:
    """What a rank counts: an ace one, pictures ten."""
    return 1 if rank == "A" else 10 if rank in _TENS else int(rank)


def totals(cards: Iterable[Read]) -> frozenset[Total]:
    """Every total that these cards may make."""
    sums: frozenset[tuple[int, bool]] = frozenset({(0, False)})
    for card in cards:
        ranks = RANKS if card is None else card.rank
        sums = frozenset((points + value(rank), ace or rank == "A") for points, ace in sums for rank in ranks)
    return frozenset(_best(points, ace) for points, ace in sums)


def _best(points: int, ace: bool) -> Total:
    return Total(points + 10, True) if ace and points + 10 <= TWENTY_ONE else Total(points, False)


def bust(cards: Iterable[Read]) -> bool | None:
    """Whether the hand is over 21; None where that is not certain."""
    return _certain(total.points > TWENTY_ONE for total in totals(cards))


def is_21(cards: Iterable[Read]) -> bool | None:
    """Whether the hand counts 21; None where that is not certain."""
    return _certain(total.points == TWENTY_ONE for total in totals(cards))


def natural(cards: tuple[Read, ...]) -> bool | None:
    """Whether an ace and a ten-value card are all of the hand; None where that is not certain."""
    return is_21(cards) if len(cards) == 2 else False


def pair(first: Read, second: Read, by: str) -> bool | None:
    """Whether two cards are a pair by `rank` or by `value`; None where that is not certain."""
    if first is None or second is None:
        return None
    return first.rank == second.rank if by == "rank" else value(first.rank) == value(second.rank)


def dealer_draws(cards: tuple[Read, ...], soft_17: str) -> bool | None:
    """Whether the dealer takes a further card; None where that is not certain."""
    return _certain(
        total.points < 17 or (total.points == 17 and total.soft and soft_17 == "hit") for total in totals(cards)
    )


def _certain(answers: Iterable[bool]) -> bool | None:
    seen = frozenset(answers)
    return next(iter(seen)) if len(seen) == 1 else None
