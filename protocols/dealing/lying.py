"""The cards of a round by the place where they lie, so that nobody looks through all of them for each question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from protocols.cards import Card
from protocols.dealing.blackjack.totals import Count, Read, count
from protocols.dealing.frozen import derived

if TYPE_CHECKING:
    from protocols.dealing.table import Draw


@dataclass(frozen=True)
class Held:
    """The cards at one place, in the order in which they came there."""

    draws: tuple[Draw, ...] = ()

    @derived("draws")
    def cards(self) -> tuple[Read, ...]:
        """Their values; None for one whose value is not known to all."""
        return tuple([draw.card if isinstance(draw.card, Card) else None for draw in self.draws])

    def counted(self, *, split: bool) -> Count:
        """What they count in blackjack; `split`: as a hand that comes from a split."""
        return self._split_count if split else self._count

    @derived("draws")
    def _count(self) -> Count:
        return count(self.cards, split=False)

    @derived("draws")
    def _split_count(self) -> Count:
        return count(self.cards, split=True)

    @derived("draws")
    def sound(self) -> tuple[Read, ...]:
        """The values of those that were not drawn in error."""
        if not any(draw.false for draw in self.draws):
            return self.cards
        return Held(tuple([draw for draw in self.draws if not draw.false])).cards


_NOTHING: Final = Held()


@dataclass(frozen=True)
class Lying:
    """The cards in `hands`, in the order in which they came there, and by place; the `first` that went to a hand,
    wherever it is now; how many are `numbered`; whether any was found face up in the shoe (`boxed`)."""

    hands: tuple[Draw, ...]
    places: Mapping[str | None, Held]
    first: Draw | None
    numbered: int
    boxed: bool

    def at(self, place: str | None) -> Held:
        """The cards at this place."""
        return self.places.get(place, _NOTHING)

    def plus(self, draw: Draw) -> Lying:
        """The same with one more card."""
        numbered = self.numbered + (draw.number is not None)
        if not draw.to_hand:
            return Lying(self.hands, self.places, self.first, numbered, self.boxed or draw.boxed)
        first = self.first or draw
        if draw.gone:
            return Lying(self.hands, self.places, first, numbered, self.boxed)
        held = Held((*self.at(draw.place).draws, draw))
        return Lying((*self.hands, draw), {**self.places, draw.place: held}, first, numbered, self.boxed)


def lying(draws: tuple[Draw, ...]) -> Lying:
    """These cards, as they lie."""
    first = next((draw for draw in draws if draw.to_hand), None)
    hands = tuple([draw for draw in draws if draw.to_hand and not draw.gone])
    by_place: dict[str | None, list[Draw]] = {}
    for draw in hands:
        by_place.setdefault(draw.place, []).append(draw)
    places = {place: Held(tuple(held)) for place, held in by_place.items()}
    numbered, boxed = sum(draw.number is not None for draw in draws), any(draw.boxed for draw in draws)
    return Lying(hands, places, first, numbered, boxed)
