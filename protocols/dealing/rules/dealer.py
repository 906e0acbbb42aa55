"""Rules of the dealer's hand in blackjack: the hole card and drawing."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    cards,
    certainly_unfinished,
    deal_complete,
    dealer_cards,
    dealer_draws_of,
    dealt_in,
    finished,
    hole_is_down,
    play_of,
    somebody_lives,
)
from protocols.dealing.blackjack.totals import dealer_draws, natural
from protocols.dealing.rules.finding import SETTLING, Finding, Moment, doubtful, on
from protocols.dealing.rules.hands import (
    REPORTED_AS,
    dealer_went_before,
    of_play,
    perhaps_waiting,
    settles,
    to_dealer,
    waiting,
)
from protocols.dealing.table import Round
from protocols.events import CardDrawn, HoleLooked, HoleRevealed


@on(CardDrawn)
def draw_after_dealer_natural(moment: Moment) -> Finding | None:
    seen = moment.before.round
    told = play_of(seen).dealer_natural
    if not moment.to_hand or not (told or _may_show_natural(seen)):
        return None
    objection = Finding("the dealer has a natural, the round is over")
    return objection if told else doubtful(objection)


def _may_show_natural(seen: Round) -> bool:
    """Whether the dealer's two cards lie open and may be a natural, but one of them is not read."""
    held = dealer_cards(seen)
    return len(held) == 2 and not hole_is_down(seen) and natural(held) is None


@on(*SETTLING)
@on(CardDrawn, when=to_dealer)
def hole_not_turned(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not hole_is_down(seen) or "hole_not_turned" in seen.reported:
        return None
    if to_dealer(moment):
        return Finding("the hole card has to be turned first")
    played = play_of(seen).dealer_natural or not waiting(moment)
    if not (settles(moment) and deal_complete(seen) and played):
        return None
    return _where_somebody_lives(moment, "the hole card was not turned")


def _where_somebody_lives(moment: Moment, detail: str) -> Finding | None:
    """The objection to an act that is missing for the sake of hands that are still live."""
    alive = somebody_lives(moment.before.round)
    return Finding(detail, "violation" if alive else "unobservable") if alive is not False else None


@on(HoleLooked)
def look_at_hole(moment: Moment) -> Finding | None:
    seen, deal = moment.before.round, moment.setting.procedure.deal
    if not isinstance(moment.event, HoleLooked) or deal is None or not hole_is_down(seen):
        return None
    done = deal.look == "after_players" and _all_done(moment)
    if done:
        return None
    known = deal.look == "never" or (done is False and moment.setting.sees("signals"))
    return Finding("nobody may look at the hole card yet", "violation" if known else "unobservable")


def _all_done(moment: Moment) -> bool | None:
    """Whether every hand is finished; None where that hangs on a card that is not known."""
    setting, seen = moment.setting, moment.before.round
    if not deal_complete(seen) or certainly_unfinished(setting, seen):
        return False
    return None if any(finished(setting, seen, hand) is None for hand in dealt_in(seen)) else True


@on(HoleRevealed)
@on(CardDrawn, when=of_play)
def dealer_played_early(moment: Moment) -> Finding | None:
    seen = moment.before.round
    turned = isinstance(moment.event, HoleRevealed) and deal_complete(seen)
    if after_all := dealer_went_before(moment):
        return Finding(f"the dealer has played before box {after_all.box} was finished")
    if play_of(seen).dealer_natural or not (to_dealer(moment) or turned):
        return None
    excused = _may_have_been_told(moment) if turned else False
    hands = waiting(moment)
    waits, doubt = next(iter(hands or perhaps_waiting(moment)), None), not hands or excused is None
    if waits is None or excused:
        return None
    objection = Finding(f"box {waits.box} is not finished")
    return doubtful(objection) if doubt else objection


def _may_have_been_told(moment: Moment) -> bool | None:
    """Whether a reader whose answer is not known told of the natural that is turned; None where that is not read."""
    if play_of(moment.before.round).results[-1:] != (None,):
        return False
    held = dealer_cards(moment.after.round)
    return natural(held) if len(held) == 2 else False


def has_to_draw(moment: Moment) -> bool | None:
    """Whether the dealer has to draw, as the table stood before the event; None where that is not certain."""
    seen = moment.before.round
    if not dealer_draws_of(seen):
        return None
    return dealer_draws(dealer_cards(seen), str(moment.setting.options["soft_17"]))


def hand_is_complete(moment: Moment) -> bool | None:
    """Whether the dealer's hand is complete; None where that hangs on a card that is not known."""
    seen = moment.before.round
    if not deal_complete(seen) or hole_is_down(seen):
        return False
    draws, alive = has_to_draw(moment), somebody_lives(seen)
    if draws is False or alive is False:
        return True
    return None if draws is None or (alive is None and _unread(seen)) else False


@on(CardDrawn, when=to_dealer)
def dealer_overdraw(moment: Moment) -> Finding | None:
    if to_dealer(moment) is None or (draws := has_to_draw(moment)):
        return None
    objection = Finding("the dealer has to stand")
    return doubtful(objection) if draws is None else objection


@on(*SETTLING)
def dealer_underdraw(moment: Moment) -> Finding | None:
    seen = moment.before.round
    if not settles(moment) or not deal_complete(seen) or "dealer_underdraw" in seen.reported:
        return None
    draws = has_to_draw(moment)
    if play_of(seen).dealer_natural or draws is False:
        return None
    objection = _where_somebody_lives(moment, "the dealer has to draw")
    return doubtful(objection) if draws is None else objection


@on(CardDrawn, when=to_dealer)
def dealer_draw_no_live_hands(moment: Moment) -> Finding | None:
    seen = moment.before.round
    outcome = REPORTED_AS[moment.setting.options["dealer_draw_no_live_hands"]]
    if to_dealer(moment) is None or outcome == "ok" or (alive := somebody_lives(seen)):
        return None
    objection = Finding("no hand is left that the dealer's cards could change", outcome)
    return objection if alive is False else doubtful(objection) if _unread(seen) else None


def _unread(seen: Round) -> bool:
    """Whether a player's card is not known."""
    return any(None in cards(seen, hand) for hand in dealt_in(seen))
