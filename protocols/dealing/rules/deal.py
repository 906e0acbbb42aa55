"""Rules of the deal in blackjack: wagers, the two cards of each hand, the dealer's cards, insurance."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    beyond_deal,
    card_of_play,
    cards,
    dealer_draws_of,
    dealer_share,
    dealt_in,
    finished,
    play_of,
    players_served,
    upcard_kind,
)
from protocols.dealing.due.blackjack import deal_place, face_due, short
from protocols.dealing.rules.finding import SETTLING, Finding, Moment, on
from protocols.dealing.rules.hands import of_play, settles, waiting
from protocols.dealing.rules.shoe import boxed_card
from protocols.dealing.table import Draw, Round
from protocols.events import (
    CardDrawn,
    HoleRevealed,
    InsuranceClosed,
    InsuranceOpened,
    PlayerActed,
    ReaderPeeked,
    RoundOpened,
    WagerChanged,
)
from protocols.places import box_number
from protocols.verdicts import Outcome


def _to_place(moment: Moment) -> Draw | None:
    return moment.draw if moment.to_hand else None


def _waits_for_a_box(seen: Round) -> bool:
    return deal_place(seen) not in (None, "dealer")


@on(CardDrawn)
def box_without_wager(moment: Moment) -> Finding | None:
    draw, play = _to_place(moment), play_of(moment.before.round)
    box = box_number(draw.place) if draw and draw.place else None
    if box is None or play.boxes is None or box in play.boxes:
        return None
    return Finding(f"box {box} has no wager")


@on(CardDrawn, when=of_play)
def extra_card(moment: Moment) -> Finding | None:
    draw, seen = _to_place(moment), moment.before.round
    if draw is None or draw.place is None or not beyond_deal(seen, draw.place):
        return None
    no_hole = dealer_share(seen) == 1
    if play_of(seen).acted and not (no_hole and draw.place == "dealer"):
        return None
    no_dealer_card = no_hole and not dealer_draws_of(seen) and draw.place != "dealer"
    if not (_waits_for_a_box(seen) or no_dealer_card):
        return None
    return Finding(f"{short(seen, draw.place)} has its cards of the deal already")


@on(ReaderPeeked, HoleRevealed, *SETTLING)
@on(CardDrawn, when=of_play)
def hole_missing(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not _hole_is_missing(seen) or "hole_missing" in seen.reported:
        return None
    further = of_play(moment) and (play_of(seen).acted or not _waits_for_a_box(seen))
    if further or isinstance(moment.event, ReaderPeeked | HoleRevealed) or settles(moment):
        return Finding("the dealer has no hole card")
    return None


def _hole_is_missing(seen: Round) -> bool:
    dealt = dealer_draws_of(seen)
    return seen.opened and seen.begun and dealer_share(seen) == 2 and len(dealt) < 2


@on(CardDrawn)
def hole_not_allowed(moment: Moment) -> Finding | None:
    draw, seen = _to_place(moment), moment.before.round
    if draw is None or draw.place != "dealer" or not _second_without_hole(moment):
        return None
    lies_down = draw.face == "down" and _may_wait(moment)
    if not lies_down and not (draw.face is None and not play_of(seen).acted and waiting(moment)):
        return None
    return Finding("in this method the dealer gets no hole card")


def _may_wait(moment: Moment) -> bool:
    """Whether a hand may be unfinished."""
    setting, seen = moment.setting, moment.before.round
    return any(not hand.void and finished(setting, seen, hand) is not True for hand in dealt_in(seen))


def _second_without_hole(moment: Moment) -> bool:
    seen = moment.before.round
    return dealer_share(seen) == 1 and len(dealer_draws_of(seen)) == 1 and not _waits_for_a_box(seen)


@on(CardDrawn)
def order(moment: Moment) -> Finding | None:
    draw, seen = _to_place(moment), moment.before.round
    if "order" in seen.reported:
        return None
    if boxed := boxed_card(moment):
        return boxed
    if draw is None or draw.place is None or of_play(moment):
        return None
    box = box_number(draw.place)
    if box and play_of(seen).boxes is None and not play_of(seen).of_box(box):
        late = not _in_first_pass(seen, box)
        return Finding(f"box {box} was passed over in the first pass") if late else None
    due = deal_place(seen)
    if due is None or due == draw.place:
        return None
    return Finding(f"the next card goes to {short(seen, due)}")


def _in_first_pass(seen: Round, box: int) -> bool:
    """Whether a box of which nobody told can still join: only boxes before it have a card, and that only one."""
    if dealer_draws_of(seen):
        return False
    return all(hand.box < box and len(cards(seen, hand)) == 1 for hand in play_of(seen).hands)


@on(CardDrawn)
def face(moment: Moment) -> Finding | None:
    draw, event = moment.draw, moment.event
    if draw is None or not isinstance(event, CardDrawn) or event.face is None or draw.outside or draw.boxed:
        return None
    due = face_due(moment.setting, moment.before, draw.place)
    if due is None or due == event.face or not moment.to_hand:
        return None
    return Finding(f"this card has to lie face {due}")


@on(PlayerActed, InsuranceOpened, InsuranceClosed, ReaderPeeked, HoleRevealed, *SETTLING)
@on(CardDrawn, when=of_play)
def missing_card(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not seen.opened or not seen.begun or seen.reported & {"order", "missing_card", "hole_missing"}:
        return None
    if not (_later_step(moment) or settles(moment)):
        return None
    if not players_served(seen):
        short_of = next(hand for hand in dealt_in(seen) if len(cards(seen, hand)) < 2 and not hand.split)
        return Finding(f"box {short_of.box} has no second card")
    if dealer_share(seen) == 1 and not dealer_draws_of(seen):
        return Finding("the dealer has no card")
    return None


def _later_step(moment: Moment) -> bool:
    event = moment.event
    if isinstance(event, PlayerActed):
        return event.action in ("split", "insure")
    if of_play(moment):
        return play_of(moment.before.round).acted
    return event.name in ("insurance.opened", "insurance.closed", "reader.peeked", "hole.revealed")


@on(RoundOpened, WagerChanged)
def box_limit(moment: Moment) -> Finding | None:
    event, most = moment.event, int(moment.setting.options["max_boxes"])
    boxes = event.boxes or () if isinstance(event, RoundOpened) else ()
    if isinstance(event, WagerChanged) and event.change != "taken_back":
        boxes = (event.box,)
    if max(boxes, default=0) <= most:
        return None
    return Finding(f"this table has {most} boxes")


def _insures(moment: Moment) -> PlayerActed | InsuranceOpened | None:
    event = moment.event
    if isinstance(event, InsuranceOpened) or (isinstance(event, PlayerActed) and event.action == "insure"):
        return event
    return None


@on(PlayerActed, InsuranceOpened)
def insurance_without_ace(moment: Moment) -> Finding | None:
    if _insures(moment) is None:
        return None
    seen = moment.before.round
    kind = upcard_kind(moment.setting, seen)
    if kind == "ace":
        return None
    unknown = kind is None and any(draw.place in ("dealer", None) for draw in seen.hands)
    inferred = seen.disputed and not moment.setting.sees("positions")
    outcome: Outcome = "unobservable" if unknown or inferred else "violation"
    return Finding("insurance is offered against an ace only", outcome)


@on(PlayerActed, InsuranceOpened)
def insurance_late(moment: Moment) -> Finding | None:
    event, play = _insures(moment), play_of(moment.before.round)
    if event is None:
        return None
    finished_peek = any(peek != "error" for peek in play.results)
    dealer_shows = play.hole_up or len(dealer_draws_of(moment.before.round)) > dealer_share(moment.before.round)
    if play.insurance == "closed" or finished_peek or dealer_shows:
        return Finding("insurance is closed")
    if moment.setting.options["insurance"] == "pre_peek_round":
        return Finding("insurance comes before the first card of play") if card_of_play(moment.before.round) else None
    hands = play.of_box(event.box) if isinstance(event, PlayerActed) else ()
    acted = any(hand.stood or hand.split or len(cards(moment.before.round, hand)) > 2 for hand in hands)
    return Finding(f"box {hands[0].box} has played already") if acted else None


@on(PlayerActed, InsuranceOpened)
def insurance_not_offered(moment: Moment) -> Finding | None:
    if _insures(moment) is None or moment.setting.options["insurance"] != "none":
        return None
    return Finding("this table offers no insurance")
