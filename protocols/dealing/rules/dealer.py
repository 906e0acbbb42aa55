"""Rules of the dealer's hand in blackjack: the hole card and drawing."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    beyond_deal,
    certainly_unfinished,
    deal_complete,
    dealer_cards,
    dealer_draws_of,
    hole_is_down,
    play_of,
    somebody_lives,
)
from protocols.dealing.blackjack.totals import dealer_draws
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.rules.hands import REPORTED_AS, settles, waiting
from protocols.dealing.table import Draw
from protocols.events import (
    HoleLooked,
    HoleRevealed,
)


def _to_dealer(moment: Moment) -> Draw | None:
    """The dealer's card of this event, beyond the dealer's share of the deal."""
    draw = moment.draw
    if not moment.to_hand or draw is None or draw.place != "dealer":
        return None
    return draw if beyond_deal(moment.before.round, "dealer") else None


def draw_after_dealer_natural(moment: Moment) -> Finding | None:
    if not moment.to_hand or not play_of(moment.before.round).dealer_natural:
        return None
    return Finding("the dealer has a natural, the round is over", event=moment.number)


def hole_not_turned(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not hole_is_down(seen) or "hole_not_turned" in seen.reported:
        return None
    if _to_dealer(moment):
        return Finding("the hole card has to be turned first", event=moment.number)
    played = play_of(seen).dealer_natural or not waiting(moment)
    if not (settles(moment) and deal_complete(seen) and played):
        return None
    return _where_somebody_lives(moment, "the hole card was not turned")


def _where_somebody_lives(moment: Moment, detail: str) -> Finding | None:
    """The objection to an act that is missing for the sake of hands that are still live."""
    alive = somebody_lives(moment.before.round)
    return Finding(detail, "violation" if alive else "unobservable") if alive is not False else None


def look_at_hole(moment: Moment) -> Finding | None:
    seen, deal = moment.before.round, moment.setting.procedure.deal
    if not isinstance(moment.event, HoleLooked) or deal is None or not hole_is_down(seen):
        return None
    if deal.look == "after_players" and _all_done(moment):
        return None
    known = deal.look == "never" or moment.setting.sees("signals")
    return Finding("nobody may look at the hole card yet", "violation" if known else "unobservable")


def _all_done(moment: Moment) -> bool:
    seen = moment.before.round
    return deal_complete(seen) and not certainly_unfinished(moment.setting, seen)


def dealer_played_early(moment: Moment) -> Finding | None:
    hands, seen = waiting(moment), moment.before.round
    turned = isinstance(moment.event, HoleRevealed) and deal_complete(seen)
    if not hands or play_of(seen).dealer_natural or not (_to_dealer(moment) or turned):
        return None
    return Finding(f"box {hands[0].box} is not finished", event=moment.number if moment.draw else None)


def has_to_draw(moment: Moment) -> bool | None:
    """Whether the dealer has to draw, as the table stood before the event; None where that is not certain."""
    seen = moment.before.round
    if not dealer_draws_of(seen):
        return None
    return dealer_draws(dealer_cards(seen), str(moment.setting.options["soft_17"]))


def hand_is_complete(moment: Moment) -> bool:
    """Whether the dealer's hand is complete."""
    seen = moment.before.round
    played = has_to_draw(moment) is False or somebody_lives(seen) is False
    return deal_complete(seen) and not hole_is_down(seen) and played


def dealer_overdraw(moment: Moment) -> Finding | None:
    if _to_dealer(moment) is None or has_to_draw(moment) is not False:
        return None
    return Finding("the dealer has to stand", event=moment.number)


def dealer_underdraw(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not settles(moment) or not deal_complete(seen) or "dealer_underdraw" in seen.reported:
        return None
    if play_of(seen).dealer_natural or not has_to_draw(moment):
        return None
    return _where_somebody_lives(moment, "the dealer has to draw")


def dealer_draw_no_live_hands(moment: Moment) -> Finding | None:
    seen = moment.before.round
    outcome = REPORTED_AS[moment.setting.options["dealer_draw_no_live_hands"]]
    if _to_dealer(moment) is None or outcome == "ok" or somebody_lives(seen) is not False:
        return None
    return Finding("no hand is left that the dealer's cards could change", outcome, moment.number)
