"""Misdeals of insurance, reader and hole card before the dealer's own play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.blackjack.acts import (
    Acted,
    HoleLooked,
    HoleTurned,
    InsuranceClosed,
    InsuranceOpened,
    MethodSelected,
    Peeked,
)
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong


def insurance_without_ace(here: Here) -> Wrong | None:
    offers = here.rules.insurance != "none" and not here.layout.has_ace_up
    return Wrong((InsuranceOpened(),)) if offers and here.is_first_signal else None


def insurance_late(here: Here) -> Wrong | None:
    tardy = [box for box in here.boxes if box not in here.layout.insured]
    return Wrong((Acted(tardy[0], "insure"),)) if here.layout.insurance == "closed" and tardy else None


def peek_forbidden_upcard(here: Here) -> Wrong | None:
    is_low = here.method == "nd-card-reader" and not here.layout.upcard_may_be_natural
    return Wrong((Peeked("no_natural"),)) if is_low and here.is_first_signal else None


def peek_before_insurance_closed(here: Here) -> Wrong | None:
    too_early = here.method == "nd-card-reader" and isinstance(here.due, InsuranceClosed)
    return Wrong((Peeked("no_natural"),)) if too_early else None


def peek_missing(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    first = isinstance(here.due, Peeked) and here.layout.peek is None
    return Wrong(here.hit(hand)) if first and hand else None


def peek_repeated(here: Here) -> Wrong | None:
    done = here.method == "nd-card-reader" and here.layout.peek == "no_natural" and isinstance(here.due, Acted)
    return Wrong((Peeked("no_natural"),)) if done else None


def peek_in_no_peek_mode(here: Here) -> Wrong | None:
    may_not = here.method != "nd-card-reader" and here.layout.upcard_may_be_natural
    return Wrong((Peeked("no_natural"),)) if may_not and here.is_first_signal else None


def reader_mismatch(here: Here) -> Wrong | None:
    if not isinstance(here.due, Peeked) or here.due.result == "error" or here.layout.hole is None:
        return None
    turned = HoleTurned(here.layout.hole)
    if here.due.result != "natural":
        return Wrong((Peeked("natural"), turned))
    stands = [Acted(hand.box, "stand") for hand in here.layout.in_play_order() if not hand.is_finished]
    return Wrong((Peeked("no_natural"), *stands, turned))


def draw_after_dealer_natural(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    found = here.layout.peek == "natural" and isinstance(here.due, HoleTurned)
    return Wrong((here.card(hand.place),)) if found and hand else None


def look_at_hole(here: Here) -> Wrong | None:
    return Wrong((HoleLooked(),)) if here.has_hole_card and here.hand else None


def method_unreachable(here: Here) -> Wrong | None:
    healthy = here.method == here.rules.procedure
    return Wrong((MethodSelected("nd-no-peek"),)) if healthy and here.is_first_signal else None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.INSURANCE_WITHOUT_ACE: insurance_without_ace,
    Misdeal.INSURANCE_LATE: insurance_late,
    Misdeal.PEEK_FORBIDDEN_UPCARD: peek_forbidden_upcard,
    Misdeal.PEEK_BEFORE_INSURANCE_CLOSED: peek_before_insurance_closed,
    Misdeal.PEEK_MISSING: peek_missing,
    Misdeal.PEEK_REPEATED: peek_repeated,
    Misdeal.PEEK_IN_NO_PEEK_MODE: peek_in_no_peek_mode,
    Misdeal.READER_MISMATCH: reader_mismatch,
    Misdeal.DRAW_AFTER_DEALER_NATURAL: draw_after_dealer_natural,
    Misdeal.LOOK_AT_HOLE: look_at_hole,
    Misdeal.METHOD_UNREACHABLE: method_unreachable,
}
