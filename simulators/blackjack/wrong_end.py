"""Misdeals of the dealer's own hand, of paying and taking in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.blackjack.acts import HoleTurned
from simulators.blackjack.hands import dealer_draws, is_natural, total
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.wrong import Here, Temptation, Wrong
from simulators.boxes.acts import Collected, Drawn, Outcome, RoundClosed, Settled, TakenAway

_OTHER: dict[Outcome, Outcome] = {"win": "lose", "lose": "win", "push": "lose", "natural": "lose"}


def _dealer_is_done(here: Here) -> bool:
    """Whether the dealer has played and nothing is paid yet."""
    last_was_dealers = isinstance(here.layout.last, HoleTurned) or (
        isinstance(here.layout.last, Drawn) and here.layout.last.to == "dealer"
    )
    return last_was_dealers and here.layout.dealer_is_done and isinstance(here.due, Settled | Collected)


def hole_not_turned(here: Here) -> Wrong | None:
    cards = here.layout.dealer_cards
    due = isinstance(here.due, HoleTurned) and dealer_draws(cards, here.rules.soft_17) and here.layout.has_live_hands
    return Wrong((here.card("dealer"),)) if due else None


def dealer_overdraw(here: Here) -> Wrong | None:
    cards = here.layout.dealer_cards
    stands = total(cards) <= 21 and not dealer_draws(cards, here.rules.soft_17) and not is_natural(cards)
    if not (_dealer_is_done(here) and stands and here.layout.has_live_hands):
        return None
    return Wrong((here.card("dealer"), TakenAway("dealer")), "go_on", blamed=0)


def dealer_underdraw(here: Here) -> Wrong | None:
    due = isinstance(here.due, Drawn) and here.due.to == "dealer" and len(here.layout.dealer) > 1
    wanted = here.layout.has_live_hands and not here.layout.due_in_deal
    return Wrong((RoundClosed(),), "over") if due and wanted else None


def dealer_draw_no_live_hands(here: Here) -> Wrong | None:
    forbidden = here.rules.dealer_draw_no_live_hands == "violation"
    cards = here.layout.dealer_cards
    due = _dealer_is_done(here) and len(cards) > 1 and dealer_draws(cards, here.rules.soft_17)
    return Wrong((here.card("dealer"),)) if forbidden and due and not here.layout.has_live_hands else None


def pickup_order(here: Here) -> Wrong | None:
    if here.rules.pickup != "checked" or not isinstance(here.due, Collected) or here.due.place == "dealer":
        return None
    waiting = [hand for hand in here.layout.in_play_order() if not hand.settled]
    boxes = {hand.box for hand in waiting if all(other.is_live for other in here.layout.hands[hand.box])}
    if not (boxes and here.layout.dealer_is_done):
        return None
    return Wrong((Collected(here.rng.choice((f"box:{min(boxes)}", "dealer"))),))


def settlement_wrong(here: Here) -> Wrong | None:
    match here.due:
        case Settled(box=box, hand=letter, result=result) if result != "surrender":
            if here.layout.hand(box, letter).is_bust:
                return None
            return Wrong((Settled(box, _OTHER[result], letter),), "void")
    return None


TEMPTATIONS: Final[Mapping[Misdeal, Temptation]] = {
    Misdeal.HOLE_NOT_TURNED: hole_not_turned,
    Misdeal.DEALER_OVERDRAW: dealer_overdraw,
    Misdeal.DEALER_UNDERDRAW: dealer_underdraw,
    Misdeal.DEALER_DRAW_NO_LIVE_HANDS: dealer_draw_no_live_hands,
    Misdeal.PICKUP_ORDER: pickup_order,
    Misdeal.SETTLEMENT_WRONG: settlement_wrong,
}
