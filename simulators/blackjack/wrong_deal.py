"""Misdeals before the first signal: shuffle, burn, wagers, the first two cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from simulators.blackjack.acts import Acted, Called, Cut, CutCardPlaced, Shuffled
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong
from simulators.boxes.acts import Burned, CardsReplaced, Drawn, InsuranceOpened, RoundOpened, Stray, WagerChanged
from simulators.boxes.wrong import any_of


def shuffle_overdue(here: Here) -> Wrong | None:
    """A new dealer burns all the same: a burn that is missing would show first."""
    late = here.due == Shuffled() and here.cut_card_out and not isinstance(here.layout.last, CardsReplaced)
    owed = here.book.fewest_burns(here.rules) - here.book.burned
    return Wrong((*(here.burned() for _ in range(owed)), *here.first_card())) if late else None


def burn_missing(here: Here) -> Wrong | None:
    due = isinstance(here.due, Burned) and here.book.fewest_burns(here.rules) > 0 and here.book.burned == 0
    return Wrong(here.first_card()) if due else None


def burned_too_few(here: Here) -> Wrong | None:
    due = here.book.fewest_burns(here.rules) > here.book.burned > 0
    return Wrong(here.first_card()) if isinstance(here.due, Burned) and due else None


def burned_too_many(here: Here) -> Wrong | None:
    only_loaded = here.book.loaded and not here.book.new_dealers and here.rules.least_burned > 1
    return Wrong((here.burned(),), "go_on") if isinstance(here.due, RoundOpened) and only_loaded else None


def burn_extra(here: Here) -> Wrong | None:
    """Where one dealer relieves another who has not burned, nobody says whether both burn."""
    allowed = here.book.most_burns(here.rules)
    if not isinstance(here.due, RoundOpened) or allowed > 1 or here.book.owing or here.book.new_dealers > 1:
        return None
    return Wrong(tuple(here.burned() for _ in range(allowed + 1 - here.book.burned)), "go_on")


def nmb_missing(here: Here) -> Wrong | None:
    if here.due != Called("no_more_bets"):
        return None
    return Wrong((Called("no_more_bets", made=False), here.card(f"box:{here.boxes[0]}")))


def cutter_wrong(here: Here) -> Wrong | None:
    if not (isinstance(here.due, Cut) and here.due.claim):
        return None
    others = [box for box in here.due.occupied if box != here.due.claim]
    if not others:
        return None
    return Wrong((replace(here.due, by=f"box:{here.rng.choice(others)}", unwilling=()),), "instead")


def cutcard_position(here: Here) -> Wrong | None:
    """Where a direction makes another place right, it is certainly wrong only if no inspector was told of one."""
    if not isinstance(here.due, CutCardPlaced):
        return None
    decks = here.due.decks
    if not here.rules.custom.by_direction:
        return Wrong((CutCardPlaced(0.4, decks),), "instead")
    places = [0.4, decks / 2] if decks > 4 else [0.4]
    ways = [
        CutCardPlaced(place, decks, directed, inspector_notified=False)
        for place in places
        for directed in (True, False)
    ]
    too_far = CutCardPlaced(decks / 2 + 0.5, decks, directed=True, inspector_notified=True)
    return Wrong((here.rng.choice([*ways, too_far]),), "instead")


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
    if here.due.to != "dealer" or here.method == "no-hole":
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
    offered = here.rules.insurance != "none" and here.layout.has_ace_up
    return Wrong((InsuranceOpened(),)) if is_last and offered and here.method == "no-hole" else None


def hole_missing(here: Here) -> Wrong | None:
    """Where nothing else comes before play the hole card is dealt after the card that came too early."""
    is_last = here.layout.dealer and here.layout.due_in_deal == ["dealer"]
    hand = here.layout.at_turn()
    if not (is_last and hand and here.layout.upcard):
        return None
    made_good = not here.layout.upcard_may_be_natural and here.rules.surrender != "early"
    return Wrong(here.hit(hand), "go_on" if made_good else "void")


def hole_not_allowed(here: Here) -> Wrong | None:
    is_deal_over = here.method == "no-hole" and here.layout.is_dealt and len(here.layout.dealer) == 1
    is_due = is_deal_over and isinstance(here.due, Acted | Called) and not here.layout.played
    return Wrong((here.card("dealer", "down"),)) if is_due and here.layout.at_turn() is not None else None


def upcard_not_called(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    if here.due != Called("upcard") or hand is None or here.layout.upcard_may_be_natural:
        return None
    return Wrong((Called("upcard", made=False), *here.hit(hand)))


def total_not_called(here: Here) -> Wrong | None:
    hand = here.layout.at_turn()
    if not (isinstance(here.due, Called) and here.due.call == "total" and here.rules.demands("total") and here.is_play):
        return None
    if hand is None or hand.box != here.due.box or hand.total >= 21 or len(hand.cards) < 2:
        return None
    at_split = here.rules.split_second_card == "at_split"
    if at_split and any(len(other.cards) < 2 for other in here.layout.hands[hand.box]):
        return None
    return Wrong((replace(here.due, made=False), *here.hit(hand)))


def inventory(here: Here) -> Wrong | None:
    """A card of which all were seen already comes once more."""
    gone = here.book.missing_somewhere(here.rules.decks)
    if not (gone and isinstance(here.due, Drawn) and here.due.face == "up"):
        return None
    here.book.spoiled = True
    here.stock.draw()
    return Wrong((replace(here.due, card=here.rng.choice(gone)),))


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.SHUFFLE_OVERDUE: shuffle_overdue,
    Misdeal.BURN_MISSING: burn_missing,
    Misdeal.BURN_COUNT: any_of(burned_too_few, burned_too_many),
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
    Misdeal.NMB_MISSING: nmb_missing,
    Misdeal.CALL_MISSING: any_of(upcard_not_called, total_not_called),
    Misdeal.CUTTER_WRONG: cutter_wrong,
    Misdeal.CUTCARD_POSITION: cutcard_position,
    Misdeal.INVENTORY: inventory,
}
