"""Rules of the deal in blackjack: wagers, the two cards of each hand, the dealer's cards, insurance."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    cards,
    deal_complete,
    dealer_draws_of,
    dealer_share,
    dealt_in,
    play_of,
    upcard_kind,
)
from protocols.dealing.due.blackjack import deal_place, face_due, short
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.rules.hands import settles, waiting
from protocols.dealing.rules.shoe import boxed_card
from protocols.dealing.table import Draw, Round
from protocols.events import (
    CardDrawn,
    HoleRevealed,
    InsuranceOpened,
    PlayerActed,
    ReaderPeeked,
    RoundOpened,
    WagerChanged,
)
from protocols.places import box_number


def _to_place(moment: Moment) -> Draw | None:
    return moment.draw if moment.to_hand else None


def _held(seen: Round, place: str | None) -> int:
    return sum(draw.place == place for draw in seen.hands)


def _waits_for_a_box(seen: Round) -> bool:
    return deal_place(seen) not in (None, "dealer")


def box_without_wager(moment: Moment) -> Finding | None:
    draw, play = _to_place(moment), play_of(moment.before.round)
    box = box_number(draw.place) if draw and draw.place else None
    if box is None or play.boxes is None or box in play.boxes:
        return None
    return Finding(f"box {box} has no wager", event=moment.number)


def extra_card(moment: Moment) -> Finding | None:
    draw, seen = _to_place(moment), moment.before.round
    if draw is None or play_of(seen).acted:
        return None
    no_dealer_card = dealer_share(seen) == 1 and not dealer_draws_of(seen)
    if not (_waits_for_a_box(seen) or (no_dealer_card and draw.place != "dealer")):
        return None
    share = dealer_share(seen) if draw.place == "dealer" else 2
    if _held(seen, draw.place) < share or (draw.place != "dealer" and box_number(draw.place or "") is None):
        return None
    return Finding(f"{short(seen, draw.place or '')} has its cards of the deal already", event=moment.number)


def hole_missing(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not _hole_is_missing(seen) or "hole_missing" in seen.reported:
        return None
    draw = _to_place(moment)
    further = draw is not None and draw.place != "dealer" and _held(seen, draw.place) >= 2
    if further or isinstance(moment.event, ReaderPeeked | HoleRevealed) or settles(moment):
        return Finding("the dealer has no hole card", event=moment.number if draw else None)
    return None


def _hole_is_missing(seen: Round) -> bool:
    dealt = dealer_draws_of(seen)
    return seen.opened and seen.begun and dealer_share(seen) == 2 and len(dealt) < 2 and not _waits_for_a_box(seen)


def hole_not_allowed(moment: Moment) -> Finding | None:
    draw, seen = _to_place(moment), moment.before.round
    if draw is None or draw.place != "dealer" or not _second_without_hole(moment):
        return None
    down = draw.face == "down" or (draw.face is None and not play_of(seen).acted)
    if not down or not waiting(moment):
        return None
    return Finding("in this method the dealer gets no hole card", event=moment.number)


def _second_without_hole(moment: Moment) -> bool:
    seen = moment.before.round
    return dealer_share(seen) == 1 and len(dealer_draws_of(seen)) == 1 and not _waits_for_a_box(seen)


def order(moment: Moment) -> Finding | None:
    if isinstance(moment.event, CardDrawn) and (boxed := boxed_card(moment)):
        return boxed
    draw, seen = _to_place(moment), moment.before.round
    due = deal_place(seen)
    if draw is None or due is None or draw.place in (due, None) or play_of(seen).acted:
        return None
    share = dealer_share(seen) if draw.place == "dealer" else 2
    if _held(seen, draw.place) >= share or (due == "dealer" and not cards_at(seen, draw.place)):
        return None
    return Finding(f"the next card goes to {short(seen, due)}", event=moment.number)


def cards_at(seen: Round, place: str | None) -> int:
    return _held(seen, place)


def face(moment: Moment) -> Finding | None:
    draw, event = moment.draw, moment.event
    if draw is None or not isinstance(event, CardDrawn) or event.face is None or draw.outside or draw.boxed:
        return None
    due = face_due(moment.setting, moment.before, draw.place)
    if due is None or due == event.face or not moment.to_hand:
        return None
    return Finding(f"this card has to lie face {due}", event=moment.number)


def missing_card(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not seen.opened or not seen.begun or seen.reported & {"order", "missing_card", "hole_missing"}:
        return None
    if not (_later_step(moment) or settles(moment)):
        return None
    short_of = [hand for hand in dealt_in(seen) if len(cards(seen, hand)) == 1 and not hand.split]
    if short_of:
        return Finding(f"box {short_of[0].box} has no second card")
    if dealer_share(seen) == 1 and not dealer_draws_of(seen):
        return Finding("the dealer has no card")
    return None


def _later_step(moment: Moment) -> bool:
    event = moment.event
    if isinstance(event, PlayerActed):
        return event.action in ("split", "insure")
    return event.name in ("insurance.opened", "insurance.closed", "reader.peeked", "hole.revealed")


def box_limit(moment: Moment) -> Finding | None:
    event, most = moment.event, int(moment.setting.options["max_boxes"])
    boxes = event.boxes or () if isinstance(event, RoundOpened) else ()
    if isinstance(event, WagerChanged) and event.change != "taken_back":
        boxes = (event.box,)
    if len(set(boxes)) <= most and max(boxes, default=0) <= most:
        return None
    return Finding(f"this table has {most} boxes")


def _insures(moment: Moment) -> PlayerActed | InsuranceOpened | None:
    event = moment.event
    if isinstance(event, InsuranceOpened) or (isinstance(event, PlayerActed) and event.action == "insure"):
        return event
    return None


def insurance_without_ace(moment: Moment) -> Finding | None:
    if _insures(moment) is None:
        return None
    seen = moment.before.round
    kind = upcard_kind(moment.setting, seen)
    if kind == "ace":
        return None
    unknown = kind is None and bool(dealer_draws_of(seen))
    return Finding("insurance is offered against an ace only", "unobservable" if unknown else "violation")


def insurance_late(moment: Moment) -> Finding | None:
    event, play = _insures(moment), play_of(moment.before.round)
    if event is None:
        return None
    finished_peek = any(peek != "error" for peek in play.peeks)
    if play.insurance == "closed" or finished_peek:
        return Finding("insurance is closed")
    if moment.setting.options["insurance"] == "pre_peek_round":
        return Finding("insurance comes before the first card of play") if _card_of_play(moment) else None
    hands = play.of_box(event.box) if isinstance(event, PlayerActed) else ()
    acted = any(hand.stood or hand.split or len(cards(moment.before.round, hand)) > 2 for hand in hands)
    return Finding(f"box {hands[0].box} has played already") if acted else None


def _card_of_play(moment: Moment) -> bool:
    seen = moment.before.round
    more = any(len(cards(seen, hand)) > 2 or hand.split for hand in play_of(seen).hands)
    return deal_complete(seen) and (more or len(dealer_draws_of(seen)) > dealer_share(seen))


def insurance_not_offered(moment: Moment) -> Finding | None:
    if _insures(moment) is None or moment.setting.options["insurance"] != "none":
        return None
    return Finding("this table offers no insurance")
