"""The count of punto banco and its table of third cards (procedures 8.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from protocols.cards import Card
from simulators.acts import Side, Winner

_TENS: Final = "TJQK"
_BANKER_DRAWS_ON: Final[Mapping[int, frozenset[int]]] = {
    0: frozenset(range(10)),
    1: frozenset(range(10)),
    2: frozenset(range(10)),
    3: frozenset(range(10)) - {8},
    4: frozenset(range(2, 8)),
    5: frozenset(range(4, 8)),
    6: frozenset({6, 7}),
    7: frozenset(),
}


def pips(card: Card) -> int:
    """Ace 1, tens and pictures 10: how many cards a first card burns."""
    return 1 if card.rank == "A" else 10 if card.rank in _TENS else int(card.rank)


def total(hand: Sequence[Card]) -> int:
    """The last digit of the sum, 0-9."""
    return sum(pips(card) for card in hand) % 10


def is_natural(player: Sequence[Card], banker: Sequence[Card]) -> bool:
    """Whether one of the two hands of two cards counts 8 or 9."""
    return total(player) >= 8 or total(banker) >= 8


def thirds_due(player: Sequence[Card], banker: Sequence[Card], following: Card) -> tuple[Side, ...]:
    """Who draws a third card, in order, when `following` is the next card in the shoe; the hands have two each."""
    if is_natural(player, banker):
        return ()
    if total(player) >= 6:
        return ("banker",) if total(banker) <= 5 else ()
    banker_draws = total([following]) in _BANKER_DRAWS_ON[total(banker)]
    return ("player", "banker") if banker_draws else ("player",)


def winner(player: Sequence[Card], banker: Sequence[Card]) -> Winner:
    """Who is nearer to nine."""
    difference = total(player) - total(banker)
    return "tie" if difference == 0 else "player" if difference > 0 else "banker"


def is_pair(hand: Sequence[Card]) -> bool:
    """Whether the first two cards have one rank."""
    return hand[0].rank == hand[1].rank
