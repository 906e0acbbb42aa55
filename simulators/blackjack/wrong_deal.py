"""Misdeals before the first signal: shuffle, burn, wagers, the first two cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.blackjack.acts import (
    Acted,
    Burned,
    Drawn,
    InsuranceOpened,
    RoundOpened,
    Shuffled,
    Stray,
    UpcardCalled,
    WagerChanged,
)
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong


def _first_card(here: Here) -> Wrong:
    return Wrong((RoundOpened(here.boxes), here.card(f"box:{here.boxes[0]}")))


def shuffle_overdue(here: Here) -> Wrong | None:
    return _first_card(here) if isinstance(here.due, Shuffled) and here.cut_card_out else None


def burn_missing(here: Here) -> Wrong | None:
    due = isinstance(here.due, Burned) and here.rules.least_burned > 0 and here.layout.burned == 0
    return _first_card(here) if due else None


def burn_count(here: Here) -> Wrong | None:
    due = isinstance(here.due, Burned) and here.rules.least_burned > 1 and here.layout.burned > 0
    return _first_card(here) if due else None


def burn_extra(here: Here) -> Wrong | None:
    allowed = here.rules.most_burned
    if not isinstance(here.due, RoundOpened) or not here.layout.loaded or allowed > 1:
        return None
    return Wrong(tuple(Burned(here.stock.draw()) for _ in range(allowed + 1 - here.layout.burned)), "go_on")


def draw_outside_round(here: Here) -> Wrong | None:
    return Wrong((Stray(here.stock.draw()),), "go_on") if isinstance(here.due, RoundOpened) else None


def box_limit(here: Here) -> Wrong | None:
    if not isinstance(here.due, RoundOpened):
        return None
    return Wrong((here.due, WagerChanged(here.rules.max_boxes + 1, "made")))


def wager_changed(here: Here) -> Wrong | None:
    if not (here.layout.is_dealt and isinstance(here.due, Acted)):
        return None
    return Wrong((WagerChanged(here.rng.choice(here.boxes), "raised"),), "go_on")


def shuffle_midround(here: Here) -> Wrong | None:
    return Wrong((Shuffled(),)) if here.layout.dealer and isinstance(here.due, Acted | Drawn) else None


def order(here: Here) -> Wrong | None:
    places = here.layout.due_in_deal
    if not isinstance(here.due, Drawn) or len(places) < 2 or places[1] in (places[0], "dealer"):
        return None
    return Wrong((here.card(places[1]),))


def face(here: Here) -> Wrong | None:
    if not (isinstance(here.due, Drawn) and here.layout.due_in_deal):
        return None
    faces = [face for _, face in here.layout.dealer]
    if here.due.to != "dealer" or here.method == "nd-no-hole":
        return Wrong((here.card(here.due.to, "down"),))
    return Wrong((here.card("dealer", faces[0]),)) if faces else None


def box_without_wager(here: Here) -> Wrong | None:
    empty = [box for box in range(1, here.rules.max_boxes + 1) if box not in here.boxes]
    if not (isinstance(here.due, Drawn) and here.layout.due_in_deal and empty):
        return None
    return Wrong((here.card(f"box:{here.rng.choice(empty)}"),))


def extra_card(here: Here) -> Wrong | None:
    full = [hand.place for hand in here.layout.in_play_order() if len(hand.cards) == 2]
    if not (here.layout.due_in_deal and isinstance(here.due, Drawn) and here.due.to != "dealer" and full):
        return None
    return Wrong((here.card(here.rng.choice(full)),))


def missing_card(here: Here) -> Wrong | None:
    is_last = here.layout.dealer and len(here.layout.due_in_deal) == 1
    offered = here.rules.insurance == "pre_peek_round" and here.layout.has_ace_up
    return Wrong((InsuranceOpened(),)) if is_last and offered and here.method == "nd-no-hole" else None


def hole_missing(here: Here) -> Wrong | None:
    is_last = here.layout.dealer and here.layout.due_in_deal == ["dealer"]
    hand = here.layout.at_turn()
    return Wrong(here.hit(hand)) if is_last and hand and here.layout.upcard else None


def hole_not_allowed(here: Here) -> Wrong | None:
    is_due = here.method == "nd-no-hole" and isinstance(here.due, UpcardCalled) and here.layout.at_turn() is not None
    return Wrong((here.card("dealer", "down"),)) if is_due else None


def call_missing(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    if not isinstance(here.due, UpcardCalled) or hand is None or here.layout.upcard_may_be_natural:
        return None
    return Wrong((UpcardCalled(made=False), *here.hit(hand)))


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.SHUFFLE_OVERDUE: shuffle_overdue,
    Misdeal.BURN_MISSING: burn_missing,
    Misdeal.BURN_COUNT: burn_count,
    Misdeal.BURN_EXTRA: burn_extra,
    Misdeal.DRAW_OUTSIDE_ROUND: draw_outside_round,
    Misdeal.BOX_LIMIT: box_limit,
    Misdeal.WAGER_CHANGED: wager_changed,
    Misdeal.SHUFFLE_MIDROUND: shuffle_midround,
    Misdeal.ORDER: order,
    Misdeal.FACE: face,
    Misdeal.BOX_WITHOUT_WAGER: box_without_wager,
    Misdeal.EXTRA_CARD: extra_card,
    Misdeal.MISSING_CARD: missing_card,
    Misdeal.HOLE_MISSING: hole_missing,
    Misdeal.HOLE_NOT_ALLOWED: hole_not_allowed,
    Misdeal.CALL_MISSING: call_missing,
}
