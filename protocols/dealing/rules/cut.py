"""Rules of the cut that all games share: who is offered it, where the cutting card goes, how deep it lay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocols.dealing.model import Cut, CuttingCard, Seat
from protocols.dealing.rules.finding import Finding, Moment, on
from protocols.dealing.stock import CARDS_IN_DECK
from protocols.events import CardsCut, CutCardPlaced, CutCardReached
from protocols.places import box_number
from protocols.verdicts import Outcome

_HALF_A_CARD: Final = 0.5
_ABOUT: Final = 10
"""Cards by which a cutting card may lie elsewhere than it was said without a word: it is put there by hand."""
_EVERY_BOX: Final = 99
_NO_PLAYER: Final = 0


@on(CardsCut)
def cutter_wrong(moment: Moment) -> Finding | None:
    event, cut = moment.event, moment.setting.procedure.cut
    seats = _seats(moment, cut) if isinstance(event, CardsCut) else frozenset()
    if not isinstance(event, CardsCut) or not seats:
        return None
    if event.by == "dealer" and cut.nobody == "supervisor":
        return Finding("the dealer does not cut; where every player refuses, a supervisor does")
    occupied = _occupied(moment, event)
    boxes = _every_box(moment) if occupied is None else sorted(occupied)
    firsts = {first for seat in seats for first in _firsts(moment, seat, boxes)}
    passed_over = [_passed_over(event, _clockwise(boxes, first), sure=occupied is not None) for first in firsts]
    if all(boxes == () for boxes in passed_over):
        return None
    if () in passed_over or None in passed_over:
        return Finding("who has to be offered the cut first is not known", "unobservable")
    wrong = next(boxes for boxes in passed_over if boxes)[0]
    if wrong == _NO_PLAYER:
        return Finding(f"box {box_number(event.by or '')} has no player, {event.by} cannot cut")
    return Finding(f"box {wrong} should have been offered the cut first")


def _seats(moment: Moment, cut: Cut) -> frozenset[Seat]:
    """The seats of which one has to be asked first; none where the procedure does not say."""
    seen = moment.before.round
    if cut.first is not None:
        return frozenset({cut.first})
    dealt = seen.opened and seen.begun
    return frozenset(seat for seat in _by_occasion(moment, cut) if seat is not None and not dealt)


def _by_occasion(moment: Moment, cut: Cut) -> set[Seat | None]:
    told = moment.before.cutting
    if told.new_cards and cut.new_cards is not None:
        return {cut.new_cards}
    if told.unknown:
        return {cut.start, cut.new_cards, cut.on_box, cut.on_dealer, cut.house}
    if told.shown:
        on_dealer, on_box = told.at == "dealer", box_number(told.at or "") is not None
        return {cut.on_dealer} if on_dealer else {cut.on_box} if on_box else {cut.on_box, cut.on_dealer}
    return {cut.start if told.start or cut.house is None else cut.house}


def _firsts(moment: Moment, seat: Seat, boxes: Sequence[int]) -> Sequence[int]:
    """The boxes that may be those of the seat; a box without a player passes to the next one clockwise."""
    if not boxes:
        return (_NO_PLAYER,)
    if seat == "far_left":
        return boxes[:1]
    if seat == "far_right":
        return boxes[-1:]
    box = box_number(moment.before.cutting.at or "") if seat == "that_box" else None
    return boxes if box is None else (min((other for other in boxes if other >= box), default=boxes[0]),)


def _clockwise(boxes: Sequence[int], first: int) -> tuple[int, ...]:
    return (*(box for box in boxes if box >= first), *(box for box in boxes if box < first))


def _passed_over(event: CardsCut, order: tuple[int, ...], *, sure: bool) -> tuple[int, ...] | None:
    """The boxes of `order` that should have been asked before the cutter; None: not known.

    `sure`: all of these boxes have a player, and no other."""
    cutter = box_number(event.by or "")
    if event.by is None:
        return None
    if cutter is not None and cutter not in order:
        return (_NO_PLAYER,) if sure else None
    before = order if cutter is None else order[: order.index(cutter)]
    left = tuple(box for box in before if box not in (event.refused or ()))
    return left if not left or (sure and event.refused is not None) else None


def _every_box(moment: Moment) -> Sequence[int]:
    return range(1, int(moment.setting.options.get("max_boxes", _EVERY_BOX)) + 1)


def _occupied(moment: Moment, event: CardsCut) -> frozenset[int] | None:
    """The boxes with a player: as told, else those of the last round; None where not known."""
    if event.occupied is not None:
        return frozenset(event.occupied)
    last = moment.before.round if moment.before.round.opened else moment.before.previous
    return (last.boxes or None) if last else None


@on(CutCardPlaced)
def cutcard_position(moment: Moment) -> Finding | None:
    event, place = moment.event, moment.setting.procedure.cutting_card
    if not isinstance(event, CutCardPlaced):
        return None
    least, most = _range(place, event.decks)
    back = event.decks_from_back
    if least <= back <= most:
        return None
    outcome: Outcome | None = _as_directed(event, place.directed_share) if place.directed_share else "violation"
    if outcome is None:
        return None
    at = f"the cutting card lies {back * CARDS_IN_DECK:.0f} cards from the back"
    belongs = f"{least * CARDS_IN_DECK:.0f} to {most * CARDS_IN_DECK:.0f}" if most < event.decks else "further in"
    return Finding(f"{at}, it belongs {place.cards_from_back or belongs} from there", outcome)


def _range(place: CuttingCard, decks: int) -> tuple[float, float]:
    """The least and the most decks from the back that are right among so many decks."""
    if place.cards_from_back is not None:
        most = place.cards_from_back
        return (most - _HALF_A_CARD) / CARDS_IN_DECK, (most + _HALF_A_CARD) / CARDS_IN_DECK
    if place.decks is not None:
        return place.decks - place.about, place.decks + place.about
    least = place.at_least_decks or (place.at_least_share or 0.0) * decks
    return least - place.about, float("inf")


def _as_directed(event: CutCardPlaced, share: float) -> Outcome | None:
    """What a place is that needs a manager's direction, of which an inspector was told."""
    if event.decks_from_back > event.decks * share or event.inspector_notified is False:
        return "violation"
    return None if event.directed_by is not None and event.inspector_notified else "unobservable"


def cutting_card_depth(moment: Moment) -> str | None:
    """How many cards came before a cutting card that shows, where that is certain and not about what was placed."""
    if not isinstance(moment.event, CutCardReached):
        return None
    shoe = moment.before.shoe
    if shoe.behind is None or not (shoe.counted and moment.setting.sees("shuffle")):
        return None
    said = shoe.decks * CARDS_IN_DECK - shoe.behind
    if abs(shoe.stock.drawn - said) <= _ABOUT:
        return None
    return f"the cutting card shows before card {shoe.stock.drawn + 1}, it was placed before card {said + 1}"
