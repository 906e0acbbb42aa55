"""Misdeals of the players' hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.blackjack.acts import Acted, HoleTurned
from simulators.blackjack.hands import is_pair
from simulators.blackjack.layout import Hand
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong
from simulators.boxes.acts import Drawn, InsuranceOpened
from simulators.boxes.wrong import any_of


def _just_served(here: Here) -> Hand | None:
    """The hand to which the last card went."""
    last = here.layout.last
    return here.layout.hand_at(last.to) if isinstance(last, Drawn) and last.to.startswith("box") else None


def _just_said(here: Here, action: str) -> Hand | None:
    """The hand that just said so."""
    last = here.layout.last
    return here.layout.hand(last.box, last.hand) if isinstance(last, Acted) and last.action == action else None


def draw_without_signal(here: Here) -> Wrong | None:
    hand = here.hand
    return Wrong((here.card(hand.place),)) if hand else None


def hand_skipped(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None:
        return None
    later = [other for other in here.layout.in_play_order() if other.box > hand.box and not other.is_finished]
    return Wrong(here.hit(later[0])) if later else None


def draw_after_stand(here: Here) -> Wrong | None:
    hand = _just_said(here, "stand")
    return Wrong((here.card(hand.place),)) if hand and hand.total < 21 else None


def draw_after_surrender(here: Here) -> Wrong | None:
    hand = _just_said(here, "surrender")
    return Wrong((here.card(hand.place),)) if hand and here.rules.surrender == "late" else None


def draw_after_double(here: Here) -> Wrong | None:
    hand = _just_served(here)
    return Wrong((here.card(hand.place),)) if hand and hand.doubled and hand.total < 21 else None


def draw_after_bust(here: Here) -> Wrong | None:
    hand = _just_served(here)
    return Wrong((here.card(hand.place),)) if hand and hand.is_bust and not hand.doubled else None


def split_ace_extra(here: Here) -> Wrong | None:
    hand = _just_served(here)
    if not (hand and hand.split_ace and len(hand.cards) == 2) or is_pair(hand.cards, "rank"):
        return None
    others_wait = any(len(other.cards) < 2 for other in here.layout.hands[hand.box])
    at_split = here.rules.split_second_card == "at_split"
    return None if at_split and others_wait else Wrong(here.hit(hand))


def draw_on_blackjack(here: Here) -> Wrong | None:
    if not (here.is_play and isinstance(here.due, HoleTurned | Acted)):
        return None
    hands = list(here.layout.in_play_order())
    at = here.layout.at_turn()
    before = hands[: hands.index(at)] if at else hands
    return Wrong(here.hit(before[-1])) if before and before[-1].is_natural else None


def draw_on_21(here: Here) -> Wrong | None:
    match here.due:
        case Acted(action="stand", box=box, hand=letter) if here.rules.draw_on_21 == "violation":
            hand = here.layout.hand(box, letter)
            return Wrong(here.hit(hand)) if hand.total == 21 else None
    return None


def _may_be_split(here: Here, hand: Hand) -> bool:
    return len(hand.cards) == 2 and here.rules.may_become(len(here.layout.hands[hand.box]) + 1)


def split_not_pair(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None or not _may_be_split(here, hand) or is_pair(hand.cards, here.rules.pair):
        return None
    return Wrong((Acted(hand.box, "split", hand.letter),))


def split_limit(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None or _may_be_split(here, hand) or not is_pair(hand.cards, here.rules.pair):
        return None
    return Wrong((Acted(hand.box, "split", hand.letter),))


def split_order(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None:
        return None
    of_box = here.layout.hands[hand.box]
    later = of_box[of_box.index(hand) + 1 :]
    return Wrong((here.card(later[0].place),)) if later else None


def double_not_offered(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None:
        return None
    forbidden = hand.letter is not None and not here.rules.double_after_split
    if len(hand.cards) < 3 and not forbidden:
        return None
    return Wrong((Acted(hand.box, "double", hand.letter), here.card(hand.place)))


def surrender_not_offered(here: Here) -> Wrong | None:
    hand = here.hand
    if hand is None:
        return None
    first_two = len(hand.cards) == 2 and hand.letter is None
    offered = {"none": False, "late": first_two, "early": first_two and not here.layout.has_drawn}
    if offered[here.rules.surrender]:
        return None
    return Wrong((Acted(hand.box, "surrender", hand.letter), here.card(hand.place)))


def insurance_not_offered(here: Here) -> Wrong | None:
    if here.rules.insurance != "none" or not here.is_first_signal:
        return None
    return Wrong((here.rng.choice((InsuranceOpened(), Acted(here.boxes[0], "insure"))),))


def dealer_played_early(here: Here) -> Wrong | None:
    if here.hand is None:
        return None
    hole = here.layout.hole
    if hole:
        return Wrong((HoleTurned(hole),))
    return Wrong((here.card("dealer"),)) if here.layout.played else None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.DRAW_WITHOUT_SIGNAL: draw_without_signal,
    Misdeal.HAND_SKIPPED: hand_skipped,
    Misdeal.DRAW_AFTER_STAND: draw_after_stand,
    Misdeal.DRAW_AFTER_SURRENDER: draw_after_surrender,
    Misdeal.DRAW_AFTER_DOUBLE: draw_after_double,
    Misdeal.DRAW_AFTER_BUST: draw_after_bust,
    Misdeal.SPLIT_ACE_EXTRA: split_ace_extra,
    Misdeal.DRAW_ON_BLACKJACK: draw_on_blackjack,
    Misdeal.DRAW_ON_21: draw_on_21,
    Misdeal.SPLIT_NOT_PAIR: split_not_pair,
    Misdeal.SPLIT_LIMIT: split_limit,
    Misdeal.SPLIT_ORDER: split_order,
    Misdeal.ACTION_NOT_OFFERED: any_of(double_not_offered, surrender_not_offered, insurance_not_offered),
    Misdeal.DEALER_PLAYED_EARLY: dealer_played_early,
}
