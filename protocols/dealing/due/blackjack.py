"""What is right next in blackjack, from what everybody at the table can see."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import (
    cards,
    current,
    deal_complete,
    dealer_cards,
    dealer_draws_of,
    dealer_faces,
    dealer_share,
    dealt_in,
    doubles,
    hand_draws,
    hole_is_down,
    play_of,
    served_its_double,
    somebody_lives,
    turn,
    upcard_kind,
    with_play,
)
from protocols.dealing.blackjack.play import Hand, Play
from protocols.dealing.blackjack.totals import dealer_draws, is_21
from protocols.dealing.due.calls import (
    called_first,
    no_more_bets_due,
    told_missing,
    total_call_missing,
    upcard_call_missing,
)
from protocols.dealing.due.opening import before_the_next_card
from protocols.dealing.frozen import once, once_in, replace
from protocols.dealing.setting import Setting
from protocols.dealing.table import Round, State
from protocols.events import Face
from protocols.places import box_number


@once_in
def due(setting: Setting, state: State) -> tuple[str, ...]:
    """The acts that are right now, as `TYPE[ to PLACE[ FACE]]` or `TYPE box:N[/h]`; empty where nobody can say."""
    seen = state.round
    if seen.blind or seen.disputed:
        return ()
    if first := before_the_next_card(setting, state):
        return first
    if not seen.opened:
        return _between_rounds(state)
    if state.shoe.burn.owed:
        return ("card.drawn to burn",)
    place = deal_place(seen)
    if place is not None:
        card = _card(setting, state, place)
        if place != "dealer" and told_missing(setting, seen):
            return ("call.made",)
        if not no_more_bets_due(setting, seen):
            return (card,)
        return ("call.made",) if called_first(setting, seen) else ("call.made", card)
    return _after_the_deal(setting, state)


def _between_rounds(state: State) -> tuple[str, ...]:
    burn = state.shoe.burn
    if burn.wanted:
        return ("card.drawn to burn", "round.opened") if burn.sufficient else ("card.drawn to burn",)
    return ("round.opened",)


@once
def deal_place(seen: Round) -> str | None:
    """The place that the deal's next card goes to; None once the deal is over, or when nobody has a wager."""
    hands = play_of(seen).hands
    counts = [len(hand_draws(seen, hand)) for hand in hands if not hand.split]
    dealer, split = len(dealer_draws_of(seen)), len(counts) < len(hands)
    second_pass = dealer > 0 or split or max(counts, default=0) > 1
    if (1 if second_pass else 0) in counts:
        unsplit = [hand for hand in hands if not hand.split]
        return unsplit[counts.index(1 if second_pass else 0)].place
    return "dealer" if (split or any(counts)) and dealer < dealer_share(seen) else None


def _after_the_deal(setting: Setting, state: State) -> tuple[str, ...]:
    seen = state.round
    play = play_of(seen)
    if not deal_complete(seen):
        return ()
    if play.withholds_peek and not play.hole_up:
        return ("hole.revealed", "player.acted")
    acts = _next_act(setting, state)
    upcard = upcard_call_missing(setting, play)
    if (upcard and "call_missing" not in seen.reported) or total_call_missing(setting, seen, current(setting, seen)):
        return ("call.made", *(act for act in acts if not act.startswith("card.drawn to box")))
    return ("call.made", *acts) if upcard else acts


def _next_act(setting: Setting, state: State) -> tuple[str, ...]:
    seen = state.round
    if play_of(seen).dealer_natural:
        return ("hole.revealed",) if hole_is_down(seen) else ("hand.settled", "round.closed")
    before_play = _before_play(setting, seen, play_of(seen))
    if before_play and setting.options.get("peek") != "allowed":
        return before_play
    return (*before_play, *_of_play(setting, state))


def _of_play(setting: Setting, state: State) -> tuple[str, ...]:
    """What the hand whose turn it is waits for, or the dealer."""
    hand = current(setting, state.round)
    if refused := _refused_before(setting, state.round, hand):
        return (f"player.acted {short(state.round, refused.place)}",)
    if hand is None:
        return _for_dealer(setting, state)
    return _for_hand(setting, state, hand) if setting.sees("signals") else _unheard(setting, state, hand)


def _refused_before(setting: Setting, seen: Round, hand: Hand | None) -> Hand | None:
    """The hand before this one whose signal the table does not offer and that has given no other."""
    refused = [other for other in dealt_in(seen) if other.void]
    before = [other for other in refused if hand is None or turn(setting, seen, other) < turn(setting, seen, hand)]
    return next(iter(before), None)


def _unheard(setting: Setting, state: State, hand: Hand) -> tuple[str, ...]:
    """Where signals are not observed: a card to the hand, or what is right once it stands."""
    card = _card(setting, state, hand.place)
    if len(cards(state.round, hand)) < 2:
        return (card,)
    stands = play_of(state.round).with_hand(replace(hand, stood=True))
    wanted = () if _warned_of_a_card(setting, state.round, hand) else (card,)
    return (*wanted, *_of_play(setting, with_play(state, stands)))


def _warned_of_a_card(setting: Setting, seen: Round, hand: Hand) -> bool:
    """Whether a table that does not forbid a card on 21 warns of one to this hand."""
    return setting.options["draw_on_21"] == "warn" and is_21(cards(seen, hand), split=hand.split) is True


def _before_play(setting: Setting, seen: Round, play: Play) -> tuple[str, ...]:
    """Insurance and the peek, until somebody acts or the hole card is turned; a signal makes a due peek no less due."""
    kind = upcard_kind(setting, seen)
    still_due = peek_due(setting, seen) and "peek_missing" not in seen.reported
    if play.hole_up or (play.acted and not still_due):
        return ()
    if kind == "ace" and play.insurance == "open":
        return ("insurance.closed",)
    if not peek_allowed(setting, seen):
        return ()
    if kind == "ace" and insurance_is_open(setting, play):
        return ("insurance.opened", "insurance.closed")
    return ("reader.peeked",)


def insurance_is_open(setting: Setting, play: Play) -> bool:
    """Whether insurance, which comes before the peek, can still be taken against an ace."""
    if setting.options["insurance"] != "pre_peek_round":
        return False
    return play.insurance == "open" or (play.insurance is None and setting.sees("signals"))


def peek_due(setting: Setting, seen: Round) -> bool | None:
    """Whether the reader has to be used in this round and was not yet; None where the upcard is not known."""
    return peek_allowed(setting, seen) if setting.options.get("peek") == "required" else False


def peek_allowed(setting: Setting, seen: Round) -> bool | None:
    """Whether the reader may be used in this round and was not yet; None where the upcard is not known."""
    play = play_of(seen)
    if play.method != "peek" or play.peeks or setting.options.get("scanner_approved") is False:
        return False
    if not deal_complete(seen) or not hole_is_down(seen) or "hole_missing" in seen.reported:
        return False
    kind = upcard_kind(setting, seen)
    return None if kind is None else kind != "low"


def _for_hand(setting: Setting, state: State, hand: Hand) -> tuple[str, ...]:
    asked = hand.signal in ("hit", "double") and not hand.void
    if len(cards(state.round, hand)) < 2 or (asked and not _warned_of_a_card(setting, state.round, hand)):
        return (_card(setting, state, hand.place),)
    return (f"player.acted {short(state.round, hand.place)}",)


def _for_dealer(setting: Setting, state: State) -> tuple[str, ...]:
    seen = state.round
    alive = somebody_lives(seen) is not False
    if hole_is_down(seen):
        return ("hole.revealed",) if alive else ("hole.revealed", "hand.settled", "round.closed")
    if not alive:
        return ("hand.settled", "round.closed")
    draws = dealer_draws(dealer_cards(seen), str(setting.options["soft_17"]))
    card = _card(setting, state, "dealer")
    return {True: (card,), False: ("hand.settled", "round.closed"), None: (card, "hand.settled", "round.closed")}[draws]


def _card(setting: Setting, state: State, place: str) -> str:
    face = face_due(setting, state, place)
    return f"card.drawn to {short(state.round, place)}" + (f" {face}" if face else "")


def short(seen: Round, place: str) -> str:
    """`box:3` for the only hand of a box, `box:3/b` where there are more."""
    box = place.split("/")[0]
    only = "/" in place and len(play_of(seen).of_box(int(box[4:]))) < 2
    return box if only else place


def face_due(setting: Setting, state: State, place: str | None) -> Face | None:
    """How the next card has to lie at this place, None where either is right."""
    seen = state.round
    if place == "burn" or place is None:
        return None
    if place != "dealer":
        return None if _may_be_doubled(setting, seen, place) else "up"
    return _dealer_face(setting, seen)


def _may_be_doubled(setting: Setting, seen: Round, place: str) -> bool:
    """Whether the next card of the hand may be that of a double that may lie under the wager."""
    deal = setting.procedure.deal
    hand = play_of(seen).at.get(place)
    if hand is None or deal is None or deal.double == "up":
        return False
    if not setting.sees("signals"):
        return len(cards(seen, hand)) == 2 and doubles(setting, seen, hand)
    return hand.doubled is not None and not served_its_double(seen, hand)


def box_in_play(seen: Round, place: str | None) -> bool:
    """Whether the place is in a box that has got its cards of the deal."""
    box = box_number(place or "")
    return box is not None and sum(box_number(draw.place or "") == box for draw in seen.hands) > 1


def _dealer_face(setting: Setting, seen: Round) -> Face | None:
    play, dealt = play_of(seen), dealer_draws_of(seen)
    if play.method == "no-hole" or len(dealt) > 1:
        return "up"
    fixed = dealer_faces(setting, seen) == "up_down"
    if not dealt:
        return "up" if fixed else None
    if fixed:
        return None if dealt[0].face == "down" else "down"
    if dealt[0].face is None:
        return None
    return "down" if dealt[0].face == "up" else "up"
