"""Questions about a round of stud: what its deal is, whose turn it is, what a hand holds."""

from __future__ import annotations

from functools import lru_cache

from protocols.cards import Card
from protocols.dealing.frozen import once_in, replace
from protocols.dealing.model import StudDeal
from protocols.dealing.setting import Setting
from protocols.dealing.stud.deal import PATTERNS, Layout, Shape, layouts
from protocols.dealing.stud.play import Box, Stud
from protocols.dealing.stud.ranks import ANY_RESULT, results
from protocols.dealing.table import Draw, Round, State
from protocols.events import CardField, CommunityRevealed, PlayerActed
from protocols.hidden import known_as


def stud_of(seen: Round) -> Stud:
    """What was done in the round; every round of stud has it."""
    assert seen.stud is not None
    return seen.stud


def with_stud(state: State, stud: Stud) -> State:
    return replace(state, round=replace(state.round, stud=stud))


def deal_of(setting: Setting) -> StudDeal:
    """How the procedure deals; every document of stud says it."""
    assert setting.procedure.stud is not None
    return setting.procedure.stud


@once_in
def shape_of(setting: Setting, seen: Round) -> Shape:
    return _shape(seen.boxes, int(setting.options["max_boxes"]), deal_of(setting))


@lru_cache(maxsize=256)
def _shape(boxes: frozenset[int] | None, most: int, deal: StudDeal) -> Shape:
    community = tuple(f"community:{street}" for street in deal.streets)
    numbers = range(1, most + 1) if boxes is None else sorted(boxes)
    return Shape(tuple(numbers), boxes is not None, deal.hand_cards, community)


@once_in
def layouts_of(setting: Setting, seen: Round) -> tuple[Layout, ...]:
    """The deal as it lies, by each pattern that it may follow."""
    places = tuple(draw.place for draw in seen.hands)
    return layouts(PATTERNS[str(setting.options["deal_pattern"])], shape_of(setting, seen), places)


@once_in
def due_places(setting: Setting, seen: Round) -> tuple[str, ...]:
    """The places that the deal's next card may go to; empty once the deal is over."""
    return tuple(dict.fromkeys(place for layout in layouts_of(setting, seen) for place in layout.due))


def missing_places(setting: Setting, seen: Round) -> tuple[str, ...]:
    """The places that lack a card by every pattern and were not passed over."""
    first, *others = layouts_of(setting, seen)
    return tuple(place for place in first.missing if all(place in layout.missing for layout in others))


def between_stacks(setting: Setting, seen: Round) -> bool:
    """Whether the shoe has begun to give the boxes their stacks and is not done with it."""
    from_shoe = deal_of(setting).boxes_from == "shoe" and not stud_of(seen).in_hand
    if not (from_shoe and seen.opened and seen.begun):
        return False
    return any(place.startswith("box") for place in layouts_of(setting, seen)[0].missing)


def draws_at(seen: Round, place: str) -> tuple[Draw, ...]:
    return seen.lying.at(place).draws


def is_out(setting: Setting, seen: Round, box: Box) -> bool:
    """Whether the box has folded, or is dead: the deal went past it and it has no card."""
    return box.folded or _is_dead(setting, seen, box)


def _is_dead(setting: Setting, seen: Round, box: Box) -> bool:
    passed_over = setting.sees("positions") and bool(seen.reported & {"order", "missing_card"})
    return passed_over and not draws_at(seen, box.place)


def live(setting: Setting, seen: Round) -> tuple[Box, ...]:
    """The boxes that are still in the round, in the order of their turns."""
    return tuple(box for box in stud_of(seen).boxes if not is_out(setting, seen, box))


@once_in
def waiting(setting: Setting, seen: Round) -> tuple[Box, ...]:
    """The boxes that have to act on the street that is being bet on, in the order of their turns.

    One that was passed over before is not waited for any more."""
    stud = stud_of(seen)
    if not setting.sees("signals") or stud.street >= len(deal_of(setting).streets):
        return ()
    return tuple(box for box in live(setting, seen) if box.acted == stud.street)


def unfinished(setting: Setting, seen: Round) -> tuple[Box, ...]:
    """The boxes that have not bet on every street although nobody passed them over."""
    stud, streets = stud_of(seen), len(deal_of(setting).streets)
    if not setting.sees("signals"):
        return ()
    return tuple(box for box in live(setting, seen) if stud.street <= box.acted < streets)


def street_of(setting: Setting, seen: Round, event: PlayerActed, box: Box) -> int:
    """The street that an act is on: as told, else the one that is due for the box."""
    stud, streets = stud_of(seen), deal_of(setting).streets
    if event.street is not None:
        return streets.index(event.street)
    between = setting.sees("signals") and not waiting(setting, seen)
    due = box.acted if box.acted < stud.street else stud.street + between
    return min(due, len(streets) - 1)


def all_turned(setting: Setting, seen: Round) -> bool:
    """Whether every community card is turned."""
    return len(stud_of(seen).turned) == len(deal_of(setting).streets)


def over(setting: Setting, seen: Round) -> bool:
    """Whether every box that is known is out of the round or settled, and not all of them for want of cards."""
    played = any(box.folded or box.settled for box in stud_of(seen).boxes)
    return played and all(box.settled for box in live(setting, seen))


def turned_card(seen: Round, event: CommunityRevealed) -> Draw | None:
    """The card that is turned: where its place has more than one, the first that it can be."""
    draws = draws_at(seen, f"community:{event.street}")
    return next((draw for draw in draws if could_be(draw, event.card)), next(iter(draws), None))


def could_be(draw: Draw, told: CardField | None) -> bool:
    """Whether nothing that is known of the card, lying open or not, speaks against this value."""
    known, value = known_as(draw.card), known_as(told)
    return known is None or value is None or known.could_be(value)


def may_win(setting: Setting, seen: Round, box: Box) -> frozenset[str]:
    """What the box may win by its cards and the community's; where folds are not observed it may have folded."""
    if box.folded:
        return frozenset({"lose"})
    deal, shape = deal_of(setting), shape_of(setting, seen)
    held = [draw for place in (box.place, *shape.community) for draw in draws_at(seen, place)]
    if len(held) != deal.hand_cards + len(deal.streets):
        return ANY_RESULT
    cards = tuple(draw.card if isinstance(draw.card, Card) else None for draw in held)
    by_cards = results(cards, deal.winning_pairs, deal.pushing_pairs)
    return by_cards if setting.sees("signals") else by_cards | {"lose"}
