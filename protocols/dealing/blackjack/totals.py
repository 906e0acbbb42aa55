"""What cards count in blackjack. An unread card may be any card, so a hand has a set of totals that it may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from protocols.cards import RANKS, Card

Read = Card | None
"""A card, or None where its value is not known to all."""
Ranks = tuple[str | None, ...]
"""The ranks of cards; None for one whose value is not known to all."""

_TENS: Final = "TJQK"
TWENTY_ONE: Final = 21


class Total(NamedTuple):
    """The best total of a hand, and whether an ace in it counts eleven."""

    points: int
    soft: bool


def value(rank: str) -> int:
    """What a rank counts: an ace one, pictures ten."""
    return 1 if rank == "A" else 10 if rank in _TENS else int(rank)


class Count(NamedTuple):
    """What a player's hand counts: every total that it may make, where no card came to one over 21 or to a natural;
    whether it is over 21, whether it is 21, None where that is not certain."""

    totals: frozenset[Total]
    bust: bool | None
    is_21: bool | None


def count(cards: Iterable[Read], *, split: bool) -> Count:
    """What these cards count; `split`: the hand comes from a split, so that two cards are no natural."""
    return _count(ranks_of(cards), split)


def ranks_of(cards: Iterable[Read]) -> Ranks:
    return tuple([None if card is None else card.rank for card in cards])


@lru_cache(maxsize=1 << 16)
def _count(ranks: Ranks, split: bool) -> Count:
    found = totals(
        ranks,
        lambda total, held: total.points < TWENTY_ONE or (total.points == TWENTY_ONE and (split or held != 2)),
    )
    over, exact = (total.points > TWENTY_ONE for total in found), (total.points == TWENTY_ONE for total in found)
    return Count(found, _certain(over), _certain(exact))


def totals(ranks: Ranks, drawn_on: Callable[[Total, int], bool]) -> frozenset[Total]:
    """Every total that these cards may make, each of them drawn where `drawn_on` says so of the total before it and the
    number of cards in it.

    Cards that may not be drawn on any reading make what they make."""
    sums: frozenset[tuple[int, bool]] = frozenset({(0, False)})
    for held, rank in enumerate(ranks):
        if len(sums) > 1:
            sums = frozenset(each for each in sums if drawn_on(best(*each), held)) or sums
        sums = frozenset((points + value(r), ace or r == "A") for points, ace in sums for r in rank or RANKS)
    return frozenset(best(points, ace) for points, ace in sums)


def best(points: int, ace: bool) -> Total:
    """What points with aces counted as one make, given whether there is an ace."""
    return Total(points + 10, True) if ace and points + 10 <= TWENTY_ONE else Total(points, False)


def bust(cards: Iterable[Read], *, split: bool) -> bool | None:
    """Whether a player's hand is over 21; None where that is not certain."""
    return count(cards, split=split).bust


def is_21(cards: Iterable[Read], *, split: bool) -> bool | None:
    """Whether a player's hand counts 21; None where that is not certain."""
    return count(cards, split=split).is_21


def natural(cards: tuple[Read, ...]) -> bool | None:
    """Whether an ace and a ten-value card are all of the hand; None where that is not certain."""
    return is_21(cards, split=False) if len(cards) == 2 else False


def pair(first: Read, second: Read, by: str) -> bool | None:
    """Whether two cards are a pair by `rank` or by `value`; None where that is not certain."""
    if first is None or second is None:
        return None
    return first.rank == second.rank if by == "rank" else value(first.rank) == value(second.rank)


def played_totals(cards: Iterable[Read], *, split: bool) -> frozenset[Total]:
    """Every total that a player's cards may make, where none came to a hand over 21 or to a natural."""
    return count(cards, split=split).totals


def dealer_draws(cards: tuple[Read, ...], soft_17: str) -> bool | None:
    """Whether the dealer takes a further card; None where that is not certain."""
    return _dealers(ranks_of(cards), soft_17).draws


def dealer_totals(cards: tuple[Read, ...], soft_17: str) -> frozenset[Total]:
    """Every total that the dealer's cards may make, where each was due when it was drawn."""
    return _dealers(ranks_of(cards), soft_17).totals


def dealer_stands_on(cards: tuple[Read, ...], soft_17: str) -> frozenset[Total]:
    """Those of them on which the dealer draws no more."""
    return frozenset(total for total in dealer_totals(cards, soft_17) if not _asks(total, soft_17))


class _Dealers(NamedTuple):
    totals: frozenset[Total]
    draws: bool | None


@lru_cache(maxsize=1 << 14)
def _dealers(ranks: Ranks, soft_17: str) -> _Dealers:
    found = totals(ranks, lambda total, _: _asks(total, soft_17))
    return _Dealers(found, _certain(_asks(total, soft_17) for total in found))


def _asks(total: Total, soft_17: str) -> bool:
    return total.points < 17 or (total.points == 17 and total.soft and soft_17 == "hit")


def _certain(answers: Iterable[bool]) -> bool | None:
    seen = frozenset(answers)
    return next(iter(seen)) if len(seen) == 1 else None
