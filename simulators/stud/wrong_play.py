"""Misdeals of the streets and of paying: turns, bets, community cards, results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from protocols.events import Street
from simulators.boxes.acts import InsuranceOpened, MethodSelected, Outcome, Peeked, RoundClosed, Settled
from simulators.boxes.wrong import any_of
from simulators.stud.acts import Acted, Turned
from simulators.stud.layout import STREETS
from simulators.stud.misdeals import Misdeal
from simulators.stud.wrong import Here, Temptation, Wrong


def acted_out_of_turn(here: Here) -> Wrong | None:
    street = _street(here)
    waiting = here.layout.waiting(street)[1:] if street else []
    if not isinstance(here.due, Acted) or not waiting:
        return None
    box = here.rng.choice(waiting)
    return here.maybe(here.rng.choice((Acted(box, "bet", street, 1), Acted(box, "fold", street))))


def closed_too_early(here: Here) -> Wrong | None:
    return Wrong((RoundClosed(),), "over") if isinstance(here.due, Acted) and here.layout.acted else None


def settled_too_early(here: Here) -> Wrong | None:
    if not isinstance(here.due, Acted):
        return None
    return Wrong((Settled(here.rng.choice(here.layout.live), "lose"),))


def draw_after_fold(here: Here) -> Wrong | None:
    folded = sorted(here.layout.folded)
    return here.maybe(here.card(f"box:{here.rng.choice(folded)}")) if here.in_round and folded else None


def wager_after_fold(here: Here) -> Wrong | None:
    street, folded = _street(here), sorted(here.layout.folded)
    if street is None or not folded:
        return None
    return here.maybe(Acted(here.rng.choice(folded), "bet", street, 1))


def wager_range(here: Here) -> Wrong | None:
    match here.due:
        case Acted(box=box, action="bet", street=street):
            return here.maybe(Acted(box, "bet", street, here.rng.choice((0, 4, 5, 10))), then="instead")
    return None


def reveal_early(here: Here) -> Wrong | None:
    street = _street(here)
    if street is None or not isinstance(here.due, Acted):
        return None
    return here.maybe(Turned(street, here.layout.cards[f"community:{street}"][0]))


def turned_out_of_order(here: Here) -> Wrong | None:
    match here.due:
        case Turned(street=street) if street != STREETS[-1] and here.layout.live:
            following = STREETS[STREETS.index(street) + 1]
            return Wrong((Turned(following, here.layout.cards[f"community:{following}"][0]),))
    return None


def bet_before_card(here: Here) -> Wrong | None:
    match here.due:
        case Turned(street=street) if street != STREETS[-1] and here.layout.live:
            following = STREETS[STREETS.index(street) + 1]
            return Wrong((Acted(here.layout.live[0], "bet", following, 1),))
    return None


def reader_mismatch(here: Here) -> Wrong | None:
    if not isinstance(here.due, Turned):
        return None
    others = [card for card in here.stock.next_cards(8) if card.rank != here.due.card.rank]
    return here.maybe(Turned(here.due.street, here.rng.choice(others)), then="instead")


def peek_in_no_peek_mode(here: Here) -> Wrong | None:
    return here.maybe(Peeked("no_natural")) if here.in_round else None


def insurance_without_ace(here: Here) -> Wrong | None:
    return here.maybe(InsuranceOpened()) if here.in_round else None


def method_unreachable(here: Here) -> Wrong | None:
    return here.maybe(MethodSelected("nd-no-peek")) if here.in_round else None


def settlement_wrong(here: Here) -> Wrong | None:
    if not isinstance(here.due, Settled):
        return None
    others = [result for result in get_args(Outcome) if result != here.due.result]
    return here.maybe(Settled(here.due.box, here.rng.choice(others)), then="instead")


def _street(here: Here) -> Street | None:
    match here.due:
        case Acted() | Turned():
            return next((street for street in STREETS if street not in here.layout.turned), None)
    return None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.HAND_SKIPPED: any_of(acted_out_of_turn, closed_too_early, settled_too_early),
    Misdeal.DRAW_AFTER_FOLD: draw_after_fold,
    Misdeal.WAGER_AFTER_FOLD: wager_after_fold,
    Misdeal.WAGER_RANGE: wager_range,
    Misdeal.REVEAL_EARLY: reveal_early,
    Misdeal.REVEAL_ORDER: any_of(turned_out_of_order, bet_before_card),
    Misdeal.READER_MISMATCH: reader_mismatch,
    Misdeal.PEEK_IN_NO_PEEK_MODE: peek_in_no_peek_mode,
    Misdeal.INSURANCE_WITHOUT_ACE: insurance_without_ace,
    Misdeal.METHOD_UNREACHABLE: method_unreachable,
    Misdeal.SETTLEMENT_WRONG: settlement_wrong,
}
