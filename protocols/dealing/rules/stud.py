"""Rules of stud: the deal, the streets, the community cards, what a hand wins."""

from __future__ import annotations

from protocols.dealing.rules.finding import SETTLING, Finding, Moment, on
from protocols.dealing.rules.shoe import boxed_card
from protocols.dealing.stud.hands import (
    all_turned,
    between_stacks,
    could_be,
    deal_of,
    draws_at,
    due_places,
    is_out,
    may_win,
    missing_places,
    shape_of,
    street_of,
    stud_of,
    turned_card,
    unfinished,
    waiting,
)
from protocols.dealing.stud.play import Box
from protocols.dealing.table import Draw, Round
from protocols.events import (
    CardDrawn,
    CardsCollected,
    CommunityRevealed,
    HandSettled,
    PlayerActed,
    RoundClosed,
    RoundOpened,
    ShoeEmptied,
    ShoeFaulted,
    StubCounted,
    StubDiscarded,
)
from protocols.hidden import known_as
from protocols.places import box_number
from protocols.verdicts import Outcome


def _dealt(moment: Moment) -> Draw | None:
    return moment.draw if moment.to_hand else None


def _box_of(moment: Moment, place: str | None) -> Box | None:
    number = box_number(place) if place else None
    return stud_of(moment.before.round).box(number) if number else None


def _bets(moment: Moment) -> PlayerActed | None:
    event = moment.event
    return event if isinstance(event, PlayerActed) and event.action == "bet" else None


@on(CardDrawn, PlayerActed)
def box_without_wager(moment: Moment) -> Finding | None:
    draw, bet, boxes = _dealt(moment), _bets(moment), moment.before.round.boxes
    box = box_number(draw.place or "") if draw else bet.box if bet else None
    if box is None or boxes is None or box in boxes:
        return None
    return Finding(f"box {box} has no wager")


@on(CardDrawn)
def extra_card(moment: Moment) -> Finding | None:
    draw, seen = _dealt(moment), moment.before.round
    if draw is None:
        return None
    if draw.place is None:
        done = seen.boxes is not None and not due_places(moment.setting, seen)
        return Finding("every place has its cards already") if done else None
    most, box = shape_of(moment.setting, seen).full(draw.place), _box_of(moment, draw.place)
    if most is None or len(draws_at(seen, draw.place)) < most or (box and box.folded):
        return None
    return Finding(f"{draw.place} has its cards already")


@on(CardDrawn)
def draw_after_fold(moment: Moment) -> Finding | None:
    draw = _dealt(moment)
    box = _box_of(moment, draw.place) if draw else None
    if box is None or not box.folded:
        return None
    return Finding(f"box {box.number} has folded")


@on(CardDrawn)
def community_from_shoe(moment: Moment) -> Finding | None:
    draw, seen = _dealt(moment), moment.before.round
    if draw is None or draw.place is None or not draw.place.startswith("community"):
        return None
    if deal_of(moment.setting).boxes_from != "shoe" or stud_of(seen).in_hand:
        return None
    return Finding("the cards are taken out of the shoe before the community cards are dealt")


@on(CardDrawn)
def order(moment: Moment) -> Finding | None:
    draw, seen = _dealt(moment), moment.before.round
    if "order" in seen.reported:
        return None
    if boxed := boxed_card(moment):
        return boxed
    due = due_places(moment.setting, seen) if "missing_card" not in seen.reported else ()
    if draw is None or draw.place is None or not due or draw.place in due:
        return None
    most = shape_of(moment.setting, seen).full(draw.place)
    if most is None or len(draws_at(seen, draw.place)) >= most:
        return None
    return Finding(f"the next card goes to {' or '.join(due)}")


@on(CardDrawn)
def face(moment: Moment) -> Finding | None:
    draw, event = _dealt(moment), moment.event
    due = deal_of(moment.setting).face
    if draw is None or not isinstance(event, CardDrawn) or event.face in (None, due):
        return None
    return Finding(f"this card has to lie face {due}")


@on(PlayerActed, CommunityRevealed, ShoeEmptied, StubDiscarded, StubCounted, *SETTLING)
def missing_card(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not seen.opened or "missing_card" in seen.reported or not _later_step(moment):
        return None
    missing = missing_places(moment.setting, seen)
    if isinstance(moment.event, ShoeEmptied):
        missing = tuple(place for place in missing if box_number(place))
    return Finding(f"the deal is not complete: {', '.join(missing)}") if missing else None


def _later_step(moment: Moment) -> bool:
    """Whether the event comes only once all cards are dealt; in a round without a card the end shows nothing."""
    event = moment.event
    if isinstance(event, PlayerActed | CommunityRevealed | HandSettled):
        return True
    if isinstance(event, ShoeEmptied):
        return event.reason == "to_hand" and between_stacks(moment.setting, moment.before.round)
    ends = isinstance(event, StubDiscarded | StubCounted | CardsCollected | RoundClosed | RoundOpened)
    return ends and moment.before.round.begun


@on(PlayerActed, *SETTLING)
def hand_skipped(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if isinstance(event, PlayerActed):
        return _out_of_turn(moment, event)
    if not _over_hands(moment):
        return None
    left = unfinished(moment.setting, seen) or _paid_too_early(moment)
    if not left:
        return None
    ends = isinstance(event, RoundClosed | RoundOpened)
    nobody_bet = ends and not stud_of(seen).acted
    outcome: Outcome = "unobservable" if nobody_bet else "violation"
    return Finding(f"box {left[0].number} has not bet on every street and not folded", outcome)


def _out_of_turn(moment: Moment, event: PlayerActed) -> Finding | None:
    setting, seen = moment.setting, moment.before.round
    box, first = stud_of(seen).box(event.box), next(iter(waiting(setting, seen)), None)
    if box is None or is_out(setting, seen, box):
        return None
    street = street_of(setting, seen, event, box)
    late = box.acted <= street < stud_of(seen).street
    if first is not None and first.number != box.number and not late:
        return Finding(f"it is the turn of box {first.number}")
    if street < box.acted and "reveal_order" not in seen.reported and setting.sees("signals"):
        return Finding(f"box {box.number} has bet on this street already")
    return None


def _over_hands(moment: Moment) -> bool:
    """Whether the event comes only once every hand has bet on all streets or folded."""
    event, seen = moment.event, moment.before.round
    if isinstance(event, RoundClosed | RoundOpened):
        return seen.opened and seen.begun
    if isinstance(event, CardsCollected):
        box = _box_of(moment, event.from_)
        return seen.begun and (box is None or not (box.settled or is_out(moment.setting, seen, box)))
    return isinstance(event, HandSettled) and _stayed(moment, event)


def _paid_too_early(moment: Moment) -> tuple[Box, ...]:
    """The hand that is settled where bets are not observed, with a street to come on which it cannot have bet."""
    event, stud = moment.event, stud_of(moment.before.round)
    last = len(deal_of(moment.setting).streets) - 1
    if not isinstance(event, HandSettled) or moment.setting.sees("signals") or stud.street >= last:
        return ()
    return tuple(box for box in stud.boxes if box.number == event.box)


def _stayed(moment: Moment, event: HandSettled) -> bool:
    """Whether the hand that is settled is not out of the round; where folds are not observed its result may tell."""
    box = stud_of(moment.before.round).box(event.box)
    if box is None or is_out(moment.setting, moment.before.round, box):
        return False
    return moment.setting.sees("signals") or event.result in ("win", "push")


@on(PlayerActed)
def wager_after_fold(moment: Moment) -> Finding | None:
    bet = _bets(moment)
    box = stud_of(moment.before.round).box(bet.box) if bet else None
    return Finding(f"box {box.number} has folded") if box and box.folded else None


@on(PlayerActed)
def wager_range(moment: Moment) -> Finding | None:
    bet, multiples = _bets(moment), deal_of(moment.setting).multiples
    if bet is None or bet.multiple is None or bet.multiple in multiples:
        return None
    return Finding(f"the bet is {bet.multiple} times the ante, it may be {', '.join(map(str, multiples))}")


@on(CommunityRevealed)
def reveal_early(moment: Moment) -> Finding | None:
    event, seen = moment.event, moment.before.round
    if not isinstance(event, CommunityRevealed) or event.street in stud_of(seen).turned:
        return None
    left = waiting(moment.setting, seen)
    return Finding(f"box {left[0].number} has not acted on this street") if left else None


@on(CommunityRevealed, PlayerActed, HandSettled)
def reveal_order(moment: Moment) -> Finding | None:
    event, seen, setting = moment.event, moment.before.round, moment.setting
    stud, streets = stud_of(seen), deal_of(setting).streets
    if isinstance(event, CommunityRevealed):
        due = next((street for street in streets if street not in stud.turned), None)
        late = "reveal_order" in seen.reported and event.street not in stud.turned
        return None if event.street == due or late else Finding(_next_to_turn(due))
    if bet := _bets(moment):
        box = stud.box(bet.box)
        if box is None or is_out(setting, seen, box) or street_of(setting, seen, bet, box) <= stud.street:
            return None
        return Finding("the community card of the street before is not turned")
    if isinstance(event, HandSettled) and _stayed(moment, event) and not all_turned(setting, seen):
        return Finding("the community cards are not all turned")
    return None


def _next_to_turn(street: int | None) -> str:
    return "the community cards are all turned" if street is None else f"community:{street} is turned next"


@on(CommunityRevealed)
def reader_mismatch(moment: Moment) -> Finding | None:
    """A community card that is turned and is not the one that was drawn."""
    event = moment.event
    draw = turned_card(moment.before.round, event) if isinstance(event, CommunityRevealed) else None
    if draw is None or not isinstance(event, CommunityRevealed) or could_be(draw, event.card):
        return None
    now, was = known_as(event.card), known_as(draw.card)
    return Finding(f"the card turned is {now}, it was drawn as {was}")


def settlement_wrong(moment: Moment) -> Finding | None:
    for before, after in ((moment.before.round, moment.same_round), (moment.before.previous, moment.after.previous)):
        if before is after or not (before and after and before.number == after.number):
            continue
        if found := _wrongly_settled(moment, before, after):
            return found
    return None


def _wrongly_settled(moment: Moment, before: Round, after: Round) -> Finding | None:
    """A result that the cards exclude since this event, and did not exclude before."""
    for box in stud_of(after).boxes:
        if box.result is None:
            continue
        was, now = stud_of(before).box(box.number), may_win(moment.setting, after, box)
        if was and was.result == box.result:
            could = may_win(moment.setting, before, was)
            if could == now or box.result not in could:
                continue
        if box.result not in now:
            return Finding(f"box {box.number}: the cards say {' or '.join(sorted(now))}", round=after.number)
        if len(now) > 1 and isinstance(moment.event, HandSettled):
            return Finding(f"what box {box.number} wins is not known yet", "unobservable")
    return None


@on(CardDrawn, ShoeFaulted)
def round_void(moment: Moment) -> Finding | None:
    stud = stud_of(moment.before.round)
    if isinstance(moment.event, ShoeFaulted):
        void = stud_of(moment.same_round).void and not stud.void
        return Finding("the shoe failed between two stacks: the round is void", "warning") if void else None
    if not isinstance(moment.event, CardDrawn) or not stud.void or "round_void" in moment.before.round.reported:
        return None
    return Finding("the round is void, no card may be drawn in it")
