"""Misdeals of insurance, reader and hole card before the dealer's own play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.blackjack.acts import Acted, HoleLooked, HoleTurned, InsuranceClosed
from simulators.blackjack.hands import is_natural
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong
from simulators.boxes.acts import InsuranceOpened, MethodSelected, Peeked
from simulators.boxes.wrong import any_of


def insurance_without_ace(here: Here) -> Wrong | None:
    offers = here.rules.insurance != "none" and not here.layout.has_ace_up
    return Wrong((InsuranceOpened(),)) if offers and here.is_first_signal else None


def insurance_after_its_round(here: Here) -> Wrong | None:
    tardy = [box for box in here.boxes if box not in here.layout.insured]
    over = here.rules.insurance == "pre_peek_round" and here.layout.insurance == "closed"
    return Wrong((Acted(tardy[0], "insure"),)) if over and tardy else None


def insurance_after_own_turn(here: Here) -> Wrong | None:
    if here.rules.insurance != "at_turn" or not (here.layout.has_ace_up and here.is_play and here.layout.is_dealt):
        return None
    tardy = [box for box in here.layout.boxes if box not in here.layout.insured and _has_played(here, box)]
    return Wrong((Acted(here.rng.choice(tardy), "insure"),)) if tardy else None


def _has_played(here: Here, box: int) -> bool:
    """Whether the box has drawn, split or stood."""
    first, *others = here.layout.hands[box]
    return bool(others) or len(first.cards) > 2 or first.stood


def peek_forbidden_upcard(here: Here) -> Wrong | None:
    is_low = here.may_peek and not here.layout.upcard_may_be_natural
    return Wrong((Peeked("no_natural"),)) if is_low and here.is_first_signal else None


def peek_device_not_approved(here: Here) -> Wrong | None:
    natural = is_natural(here.layout.dealer_cards)
    return Wrong((Peeked("natural" if natural else "no_natural"),)) if here.is_first_signal else None


def peek_before_insurance_closed(here: Here) -> Wrong | None:
    too_early = here.may_peek and here.rules.insurance == "pre_peek_round" and isinstance(here.due, InsuranceClosed)
    return Wrong((Peeked("no_natural"),)) if too_early else None


def peek_missing(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    first = here.must_peek and isinstance(here.due, Peeked) and here.layout.peek is None
    return Wrong(here.hit(hand)) if first and hand else None


def peek_repeated(here: Here) -> Wrong | None:
    done = here.may_peek and here.layout.peek == "no_natural" and isinstance(here.due, Acted)
    return Wrong((Peeked("no_natural"),)) if done else None


def peek_in_no_peek_mode(here: Here) -> Wrong | None:
    may_not = here.method != "peek" and here.layout.upcard_may_be_natural
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
    never = not here.rules.custom.looks and here.is_play and isinstance(here.due, HoleTurned) and not here.reader_out
    return Wrong((HoleLooked(),)) if here.has_hole_card and (here.hand or never) else None


def method_without_need(here: Here) -> Wrong | None:
    return Wrong((MethodSelected("nd-no-peek"),)) if not here.reader_out and here.is_first_signal else None


def method_too_late(here: Here) -> Wrong | None:
    """The dealer has two cards."""
    late = here.reader_out and here.method == "no-peek" and here.is_first_signal
    return Wrong((MethodSelected("nd-no-hole"),)) if late else None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.INSURANCE_WITHOUT_ACE: insurance_without_ace,
    Misdeal.INSURANCE_LATE: any_of(insurance_after_its_round, insurance_after_own_turn),
    Misdeal.PEEK_FORBIDDEN_UPCARD: peek_forbidden_upcard,
    Misdeal.PEEK_DEVICE_NOT_APPROVED: peek_device_not_approved,
    Misdeal.PEEK_BEFORE_INSURANCE_CLOSED: peek_before_insurance_closed,
    Misdeal.PEEK_MISSING: peek_missing,
    Misdeal.PEEK_REPEATED: peek_repeated,
    Misdeal.PEEK_IN_NO_PEEK_MODE: peek_in_no_peek_mode,
    Misdeal.READER_MISMATCH: reader_mismatch,
    Misdeal.DRAW_AFTER_DEALER_NATURAL: draw_after_dealer_natural,
    Misdeal.LOOK_AT_HOLE: look_at_hole,
    Misdeal.METHOD_UNREACHABLE: any_of(method_without_need, method_too_late),
}
