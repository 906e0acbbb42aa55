"""Punto banco on the table's bookkeeping: where a card goes, how it lies, when it is turned."""

from __future__ import annotations

from typing import Final, cast, get_args

from protocols.cards import Card
from protocols.dealing.baccarat import (
    BreachCode,
    Coup,
    Drawn,
    Judgement,
    Side,
    burn_points,
    judge,
    next_of_deal,
    points,
)
from protocols.dealing.frozen import once
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round, State, goes_to_hand
from protocols.events import Face, TableEvent

FINISHING: Final = ("result.reported", "hand.settled", "cards.collected", "round.closed")
"""What comes only after the last card of a coup; `round.opened` too where a coup is open."""

_BREACHES: Final = frozenset(get_args(BreachCode))

BURNS_BY_FIRST_CARD: Final = frozenset(range(2, 12))


@once
def coup_of(seen: Round) -> Coup:
    """The coup as it lies: cards whose value is not known to all count as unknown."""
    cards = tuple(
        [
            Drawn(cast("Side | None", draw.place), points(draw.card) if isinstance(draw.card, Card) else None)
            for draw in seen.hands
        ]
    )
    return Coup(cards, seen.finished, seen.winner)


@once
def judged(seen: Round) -> Judgement | None:
    """The coup on every reading, or None where its four cards are not out or it is not judged."""
    if seen.blind or seen.disputed or not seen.opened or seen.reported & _BREACHES:
        return None
    coup = coup_of(seen)
    return judge(coup) if coup.complete else None


def uncertain(seen: Round) -> bool:
    """Whether the coup is wrong on some readings of its cards and right on others."""
    judgement = judged(seen)
    return judgement is not None and judgement.legal > 0 and bool(judgement.breaches)


def burn_counts(first: Card | None) -> frozenset[int]:
    """How many cards are burned in all, given the first of them."""
    return frozenset({1 + burn_points(first)}) if first else BURNS_BY_FIRST_CARD


def place_due(state: State) -> str | None:
    """Where the next card goes, None where that is not certain."""
    burn = state.shoe.burn
    if burn.wanted and (burn.in_round or not state.round.opened):
        return "burn"
    if not state.round.opened:
        return None
    coup = coup_of(state.round)
    if not coup.complete:
        return next_of_deal(coup.sides)
    judgement = judged(state.round)
    return next(iter(judgement.due)) if judgement and len(judgement.due) == 1 else None


def face_due(setting: Setting, state: State, place: str | None) -> Face | None:
    """How the next card has to lie at this place, None where either is right."""
    if place == "burn":
        burn = state.shoe.burn
        first = burn.wanted and burn.burned == 0 and not burn.unknown
        return setting.procedure.burn.first_face if first else None
    if place is None:
        return None
    if coup_of(state.round).complete:
        return "up"
    style = setting.options["deal_faces"]
    if style == "either":
        faces = {draw.face for draw in state.round.hands if draw.face}
        return faces.pop() if len(faces) == 1 else None
    return "down" if style == "down" else "up"


def lies_down(setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:
    """Whether a card that comes now may lie face down, so that its value is nobody's yet."""
    if face is not None:
        return face == "down"
    if outside:
        return True
    return face_due(setting, state, place) != "up"


def waits_for_turning(setting: Setting, seen: Round) -> bool:
    """Whether the four cards are known to lie face down and nobody has turned them."""
    if seen.turned:
        return False
    return any(_is_down(setting, draw) for draw in seen.hands[:4])


def _is_down(setting: Setting, draw: Draw) -> bool:
    return draw.face == "down" or (draw.face is None and setting.options["deal_faces"] == "down")


def turns(setting: Setting, state: State, event: TableEvent) -> bool:
    """Whether this event comes only when the cards in the hands are turned."""
    if not state.round.opened:
        return False
    if goes_to_hand(setting, state, event):
        return coup_of(state.round).complete
    return event.name in ("hands.turned", "round.opened", *FINISHING)
