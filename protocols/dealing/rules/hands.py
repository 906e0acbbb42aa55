"""Rules of the players' hands in blackjack: whose turn it is, splits, and cards that may not come any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from protocols.dealing.blackjack.hands import (
    beyond_deal,
    by_turn,
    cards,
    certainly_unfinished,
    deal_complete,
    dealer_draws_of,
    dealer_share,
    dealt_in,
    finished,
    hand_draws,
    is_natural,
    is_pair,
    live,
    named_hand,
    perhaps_unfinished,
    play_of,
    splits_left,
    turn,
)
from protocols.dealing.blackjack.play import Hand
from protocols.dealing.blackjack.served import Breach, OneMore, one_more
from protocols.dealing.blackjack.totals import is_21
from protocols.dealing.due.calls import total_call_missing, upcard_call_missing
from protocols.dealing.frozen import once, replace
from protocols.dealing.rules.finding import SETTLING, Find, Finding, Moment, doubtful, on
from protocols.dealing.table import Draw
from protocols.events import CardDrawn, HandSettled, HoleRevealed, PlayerActed
from protocols.places import box_number
from protocols.verdicts import Outcome

REPORTED_AS: dict[object, Outcome] = {"violation": "violation", "warn": "warning", "allow": "ok"}


@once
def of_play(moment: Moment) -> Draw | None:
    """The card of this event where it comes on top of the deal."""
    draw = moment.draw
    if not moment.to_hand or draw is None or draw.place is None:
        return None
    return draw if beyond_deal(moment.before.round, draw.place) else None


@once
def served(moment: Moment) -> Hand | None:
    """The hand that this event brings a card of play to, as it was before."""
    draw = of_play(moment)
    return play_of(moment.before.round).at.get(draw.place or "") if draw else None


@once
def to_dealer(moment: Moment) -> Draw | None:
    """The dealer's card of this event, beyond the dealer's share of the deal."""
    draw = of_play(moment)
    return draw if draw and draw.place == "dealer" else None


def split_act(moment: Moment) -> PlayerActed | None:
    event = moment.event
    return event if isinstance(event, PlayerActed) and event.action == "split" and moment.before.round.opened else None


@once
def split_hand(moment: Moment) -> Hand | None:
    """The hand that this event splits."""
    event = split_act(moment)
    return named_hand(moment.setting, moment.before.round, event) if event else None


@once
def waiting(moment: Moment) -> tuple[Hand, ...]:
    """The hands that nobody may pass over, in the order of their turns.

    One whose signal is not offered counts as gone over; one that lacks a card of the deal has its own code."""
    return _in_turn(moment, certainly_unfinished(moment.setting, moment.before.round))


@once
def perhaps_waiting(moment: Moment) -> tuple[Hand, ...]:
    """The hands of which only a card that is not known can tell whether they may be passed over."""
    return _in_turn(moment, perhaps_unfinished(moment.setting, moment.before.round))


def _in_turn(moment: Moment, hands: Sequence[Hand]) -> tuple[Hand, ...]:
    setting, seen = moment.setting, moment.before.round
    dealt = [hand for hand in hands if not hand.void and (hand.split or len(cards(seen, hand)) > 1)]
    return by_turn(setting, seen, tuple(dealt))


def _passed_over(moment: Moment, waiting: Sequence[Hand], hand: Hand) -> Hand | None:
    """The first of the hands that wait that comes before this one, which is served or split."""
    setting, seen = moment.setting, moment.before.round
    last = turn(setting, seen, hand)
    return next((other for other in waiting if turn(setting, seen, other) < last), None)


@once
def _skipped(moment: Moment) -> Hand | None:
    """The first of the hands that wait that the event passes over to serve or to split another."""
    hand = served(moment) or split_hand(moment)
    return _passed_over(moment, waiting(moment), hand) if hand else None


@once
def _perhaps_skipped(moment: Moment) -> Hand | None:
    """The same of those that may wait."""
    hand = served(moment) or split_hand(moment)
    return _passed_over(moment, perhaps_waiting(moment), hand) if hand else None


@on(PlayerActed, *SETTLING)
@on(CardDrawn, when=served)
def hand_skipped(moment: Moment) -> Finding | None:
    certain = _hand_skipped(moment, waiting(moment), _skipped(moment)) or _served_after_all(moment)
    return certain or doubtful(_hand_skipped(moment, perhaps_waiting(moment), _perhaps_skipped(moment)))


def _served_after_all(moment: Moment) -> Finding | None:
    """A card for a hand that was passed over as if it were finished, which shows that it was not."""
    hand = served(moment)
    if hand is None or _passed_by(moment, hand) != "box" or not _one_more(moment, hand).breaks_or_waited(None):
        return None
    return Finding(f"box {hand.box} was passed over before it was finished")


def _passed_by(moment: Moment, hand: Hand) -> Literal["box", "dealer"] | None:
    """Who has played after the last card of a hand of which nobody can say whether it is finished."""
    seen = moment.before.round
    if not moment.setting.sees("signals") or finished(moment.setting, seen, hand) is not None:
        return None
    last = hand_draws(seen, hand)[-1].event
    later = [other for other in dealt_in(seen) if other.box > hand.box]
    played = [draw for other in later for draw in hand_draws(seen, other)[0 if other.split else 2 :]]
    if any(draw.event > last for draw in played):
        return "box"
    return "dealer" if play_of(seen).hole_up or dealer_draws_of(seen)[dealer_share(seen) :] else None


def _hand_skipped(moment: Moment, waiting: Sequence[Hand], skipped: Hand | None) -> Finding | None:
    hand = served(moment) or split_hand(moment)
    if hand is not None:
        if skipped is None or skipped.box == hand.box:
            return None
        return Finding(f"box {skipped.box} is not finished")
    if not waiting or not _settles_over_hands(moment):
        return None
    return Finding(f"box {waiting[0].box} is not finished")


@once
def _settles_over_hands(moment: Moment) -> bool:
    """Whether the round is being settled although hands that wait would have had to play."""
    seen = moment.before.round
    if not settles(moment) or play_of(seen).dealer_natural or "hand_skipped" in seen.reported:
        return False
    return deal_complete(seen)


@once
def settles(moment: Moment) -> bool:
    """Whether the event belongs to the settlement of the round; what is settled early does not."""
    if moment.event.name in ("round.closed", "round.opened"):
        return moment.before.round.opened
    hands = settled_hands(moment)
    from_dealer = moment.event.name == "cards.collected" and getattr(moment.event, "from_", "") == "dealer"
    return from_dealer or any(not _early(moment, hand) for hand in hands)


@once
def settled_hands(moment: Moment) -> tuple[Hand, ...]:
    """The hands that this event settles or collects, as they were before but for a surrender that it tells of."""
    before, after = play_of(moment.before.round), moment.after.round.play
    if moment.event.name not in ("hand.settled", "cards.collected") or after is None:
        return ()
    pairs = [(hand, after.at[hand.place]) for hand in before.hands if after.at.get(hand.place, hand) is not hand]
    return tuple(
        [
            replace(old, surrendered=new.surrendered)
            for old, new in pairs
            if (old.settled, old.collected) != (new.settled, new.collected)
        ]
    )


def _early(moment: Moment, hand: Hand) -> bool:
    """Whether the hand is done with whatever the dealer gets: without cards, bust, surrendered, or a natural that none
    of the dealer's was found to meet."""
    seen = moment.after.round
    unmet = is_natural(seen, hand) is True and not play_of(seen).dealer_natural
    return not cards(seen, hand) or live(seen, hand) is not True or unmet


@on(PlayerActed)
def split_not_pair(moment: Moment) -> Finding | None:
    hand = split_hand(moment)
    pair = is_pair(moment.setting, moment.before.round, hand) if hand else True
    if pair:
        return None
    wrong = Finding("only two cards that make a pair can be split")
    return doubtful(wrong) if pair is None else wrong


@on(CardDrawn, PlayerActed)
def split_order(moment: Moment) -> Finding | None:
    hand = served(moment) or split_hand(moment)
    if hand is None:
        return _no_such_hand(moment, split_act(moment))
    return _of_its_box(_skipped(moment), hand) or doubtful(_of_its_box(_perhaps_skipped(moment), hand))


def _of_its_box(skipped: Hand | None, hand: Hand) -> Finding | None:
    """The objection to passing over a hand of the same box."""
    if skipped is None or skipped.box != hand.box:
        return None
    return Finding(f"hand {skipped.letter} of box {skipped.box} comes first")


def _no_such_hand(moment: Moment, event: PlayerActed | None) -> Finding | None:
    draw, seen = moment.draw, moment.before.round
    if draw and draw.place in play_of(seen).at:
        return None
    box = event.box if event else box_number(draw.place) if draw and draw.place and moment.to_hand else None
    if box is None or not play_of(seen).of_box(box):
        return None
    return Finding(f"box {box} has no such hand")


@on(PlayerActed)
def split_limit(moment: Moment) -> Finding | None:
    hand = split_hand(moment)
    if hand is None:
        return None
    setting, seen = moment.setting, moment.before.round
    aces = Finding("split aces are not split again")
    forbidden = setting.options["resplit_aces"] is not True
    if hand.aces and forbidden:
        return aces
    if splits_left(setting, seen, hand):
        return doubtful(aces) if hand.aces is None and forbidden else None
    return Finding(f"a box has at most {setting.options['max_hands']} hands")


def _wrong_card(detail: str, wrong: Callable[[Moment, Hand], bool | None]) -> Find:
    """A card to a hand that may not get it, which only one that may be finished can be."""

    @on(CardDrawn, when=_may_be_finished)
    def find(moment: Moment) -> Finding | None:
        hand = served(moment)
        return _objection(detail, wrong(moment, hand)) if hand else None

    return find


def _may_be_finished(moment: Moment) -> bool:
    """Whether a card comes to a hand that does not certainly wait for one."""
    hand = served(moment)
    return hand is not None and finished(moment.setting, moment.before.round, hand) is not False


def _objection(detail: str, wrong: bool | None, outcome: Outcome = "violation") -> Finding | None:
    """The objection to this card where it is wrong, in doubt where that is None."""
    if wrong is False:
        return None
    objection = Finding(detail, outcome)
    return doubtful(objection) if wrong is None else objection


def _held(moment: Moment, hand: Hand) -> int:
    return len(cards(moment.before.round, hand))


split_ace_extra = _wrong_card(
    "split aces get one card each", lambda moment, hand: hand.aces if _held(moment, hand) > 1 else False
)
draw_after_stand = _wrong_card(
    "this hand stands", lambda moment, hand: (hand.stood or hand.stood_early) and _held(moment, hand) > 1
)
draw_after_double = _wrong_card(
    "a doubled hand gets one card", lambda moment, hand: hand.doubled is not None and _held(moment, hand) > hand.doubled
)
draw_after_bust = _wrong_card("this hand is over 21", lambda moment, hand: _overplays(moment, hand, "draw_after_bust"))
draw_after_surrender = _wrong_card("this hand was given up", lambda _, hand: hand.surrendered)
draw_on_blackjack = _wrong_card(
    "a natural gets no further card", lambda moment, hand: _overplays(moment, hand, "draw_on_blackjack")
)


def _overplays(moment: Moment, hand: Hand, code: Breach) -> bool | None:
    """Whether one more card for the hand breaks this; None where that hangs on a card that is not known."""
    card = _one_more(moment, hand)
    return card.breaks_or_waited(code) if _passed_by(moment, hand) else card.breaks(code)


def _one_more(moment: Moment, hand: Hand) -> OneMore:
    stops = moment.setting.options["draw_on_21"] == "violation"
    return one_more(cards(moment.before.round, hand), split=hand.split, stops_on_21=stops)


def dealer_went_before(moment: Moment) -> Hand | None:
    """The hand that gets a card although the dealer has played as if it were finished."""
    hand = served(moment)
    if hand is None or _passed_by(moment, hand) != "dealer" or not _one_more(moment, hand).breaks_or_waited(None):
        return None
    return hand


@on(CardDrawn, when=served)
def draw_on_21(moment: Moment) -> Finding | None:
    hand = served(moment)
    outcome = REPORTED_AS[moment.setting.options["draw_on_21"]]
    if hand is None or outcome == "ok" or _held(moment, hand) < 2:
        return None
    if outcome == "violation":
        answer = _overplays(moment, hand, "draw_on_21")
    else:
        answer = is_21(cards(moment.before.round, hand), split=hand.split)
    return _objection("a hand of 21 gets no further card", answer, outcome)


def _dealers_card(moment: Moment) -> bool:
    return moment.to_hand and moment.draw is not None and moment.draw.place == "dealer"


def _passes_hands(moment: Moment) -> bool:
    return _dealers_card(moment) or served(moment) is not None


@on(HoleRevealed, PlayerActed, *SETTLING)
@on(CardDrawn, when=_passes_hands)
def action_not_offered(moment: Moment) -> Finding | None:
    """On the dealer's next act for a hand whose signal is not offered, or past it."""
    if "action_not_offered" in moment.before.round.reported:
        return None
    hands = [hand for hand in play_of(moment.before.round).hands if hand.void is not False]
    gone_over = [hand for hand in hands if _gone_over(moment, hand)]
    wrong = next((hand for hand in gone_over if hand.void), next(iter(gone_over), None))
    if wrong is None:
        return None
    objection = Finding(f"box {wrong.box} cannot {wrong.signal}")
    return objection if wrong.void else doubtful(objection)


def _gone_over(moment: Moment, hand: Hand) -> bool:
    """Whether the event serves this hand or goes past it."""
    if _dealers_card(moment) or isinstance(moment.event, HoleRevealed) or settles(moment):
        return True
    if isinstance(moment.event, HandSettled):
        given_up = moment.event.result == "surrender"
        return given_up and any(settled.place == hand.place for settled in settled_hands(moment))
    card, split = served(moment), split_hand(moment)
    later = card or split
    return card == hand or (later is not None and _passed_over(moment, (hand,), later) is not None)


@on(CardDrawn, when=served)
def draw_without_signal(moment: Moment) -> Finding | None:
    hand, setting = served(moment), moment.setting
    if hand is None or setting.options["signal"] != "required" or _held(moment, hand) < 2:
        return None
    if hand.signal in ("hit", "double"):
        return None
    outcome: Outcome = "violation" if setting.sees("signals") else "unobservable"
    return Finding(f"box {hand.box} has not signalled for a card", outcome)


@on(CardDrawn)
def call_missing(moment: Moment) -> Finding | None:
    draw, setting, play = moment.draw, moment.setting, play_of(moment.before.round)
    to_player = moment.to_hand and draw is not None and draw.place is not None and draw.place != "dealer"
    if not to_player:
        return None
    of_play = play.upcard_called is False or served(moment) is not None
    reported = "call_missing" in moment.before.round.reported
    if of_play and not reported and upcard_call_missing(setting, play):
        return Finding("the upcard was not called")
    if total_call_missing(setting, moment.before.round, served(moment)):
        return Finding("a hand's total was not called")
    return None
