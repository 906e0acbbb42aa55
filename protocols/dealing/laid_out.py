"""Where the cards of a round lie, as people name the places, and in the order of the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from protocols.cards import Card
from protocols.dealing.table import Draw, Round, State
from protocols.places import box_number

_PLACES: Final = ("dealer", "player", "banker", "box", "community", "burn", "outside", "unknown")


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards that lie at a place, in the order in which they came; None for one that lies face down or was not
    read."""

    place: str
    cards: tuple[Card | None, ...]


def shown_round(state: State) -> Round | None:
    """The round whose cards lie on the table: the open one, else the last one; None before the first."""
    return state.round if state.round.opened else state.previous


def hands(state: State) -> tuple[Hand, ...]:
    """What lies on the table, from what everybody at it can see; a round's cards stay until the next one opens."""
    seen = shown_round(state)
    if seen is None:
        return ()
    of_hands = hand_places(seen)
    carried = {draw.origin for draw in state.round.draws if draw.number is None and seen is not state.round}
    lying: dict[str, list[Card | None]] = {}
    for draw in seen.draws:
        if not draw.gone and draw.origin not in carried:
            lying.setdefault(place_of(draw, of_hands), []).append(_seen(draw))
    places = in_order([*(named(hand, of_hands) for hand in of_hands), *lying])
    return tuple(Hand(place, tuple(lying[place])) for place in places if place in lying)


def _seen(draw: Draw) -> Card | None:
    return draw.card if isinstance(draw.card, Card) else None


def wagered(seen: Round) -> Iterable[int] | None:
    """The boxes with a wager; None where that was not observed."""
    return seen.boxes if seen.play is None or seen.boxes is not None else seen.play.boxes


def hand_places(seen: Round) -> tuple[str, ...]:
    """The places of the round's hands, each with its full name, whether cards lie there or not."""
    if seen.play is not None:
        return tuple(hand.place for hand in seen.play.hands)
    return tuple(f"box:{box}" for box in wagered(seen) or ())


def place_of(draw: Draw, of_hands: Sequence[str]) -> str:
    """Where a card lies: a place, `outside` of every hand, or `unknown`; `of_hands`: the places of the hands."""
    if draw.outside:
        return "outside"
    return named(draw.place or ("burn" if draw.boxed else "unknown"), of_hands)


def named(place: str, of_hands: Sequence[str]) -> str:
    """`box:3` for the only hand of a box, `box:3/b` where there are more."""
    box = place.split("/")[0]
    return place if sum(hand.split("/")[0] == box for hand in of_hands) > 1 else box


def in_order(places: Iterable[str]) -> tuple[str, ...]:
    """Each once: the dealer's side, the boxes with their hands as they lie, then what is nobody's."""
    once = list(dict.fromkeys(places))
    return tuple(sorted(once, key=lambda place: (_PLACES.index(place.split(":")[0]), box_number(place) or 0)))
