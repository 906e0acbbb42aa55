"""What players signal, and what the dealer does on it, entered into the books. Nothing here judges."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.blackjack.hands import (
    card_of_play,
    cards,
    current,
    dealt_in,
    doubles,
    finished,
    hand_draws,
    is_natural,
    named_hand,
    play_of,
    served_its_double,
    turn,
    with_play,
)
from protocols.dealing.blackjack.play import Hand, Signal
from protocols.dealing.frozen import replace
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, State
from protocols.events import (
    PlayerActed,
)


def acted(setting: Setting, state: State, event: PlayerActed) -> State:
    """The state after a player's signal, or an act of the dealer for a player."""
    if event.action == "insure" or event.action == "bet" or event.action == "fold":
        return state
    state = with_play(state, replace(play_of(state.round), acted=True, act_since_peek=True))
    hand = named_hand(setting, state.round, event)
    if hand is None:
        return state
    if "order" in state.round.reported and not hand.split and len(cards(state.round, hand)) < 2:
        state = replace(state, round=replace(state.round, disputed=True))
    if event.action == "split":
        return split(state, hand)
    return with_play(state, play_of(state.round).with_hand(_signalled(setting, state, hand, event.action)))


def _signalled(setting: Setting, state: State, hand: Hand, signal: Signal) -> Hand:
    """The hand after the signal; what it has got on a surrender or a double stays as it is."""
    if hand.surrendered or served_its_double(state.round, hand):
        return replace(hand, signal=None if signal == "stand" else signal)
    if signal == "stand":
        return _stands(setting, state, hand)
    offered = _offered(setting, state, hand, signal)
    void = None if offered is None else not offered
    return replace(
        hand,
        signal=signal,
        stood_early=hand.stood_early and _turn_has_come(setting, state, hand) is False,
        doubled=max(2, len(cards(state.round, hand))) if signal == "double" else None,
        void=void,
        surrendered=signal == "surrender" and not void,
    )


def _stands(setting: Setting, state: State, hand: Hand) -> Hand:
    if finished(setting, state.round, hand) and not (hand.stood_early or hand.void):
        return hand
    given = replace(hand, signal=None, doubled=None, void=False)
    has_come = _turn_has_come(setting, state, hand) is True
    in_turn = has_come and (hand.stood_early or current(setting, state.round) == hand)
    return replace(given, stood=hand.stood or in_turn, stood_early=not in_turn)


def _turn_has_come(setting: Setting, state: State, hand: Hand) -> bool | None:
    """Whether every hand before this one is finished; None where that hangs on a card that is not known."""
    seen = state.round
    earlier = [other for other in dealt_in(seen) if turn(setting, seen, other) < turn(setting, seen, hand)]
    answers = {finished(setting, seen, other) for other in earlier}
    return False if False in answers else None if None in answers else True


def _offered(setting: Setting, state: State, hand: Hand, signal: Signal) -> bool | None:
    """Whether the table offers this to the hand; None where that hangs on a card that is not known."""
    held, surrender = len(cards(state.round, hand)), setting.options["surrender"]
    if signal == "double":
        return doubles(setting, state.round, hand)
    if signal == "surrender":
        in_time = surrender == "late" or (surrender == "early" and not card_of_play(state.round))
        if held > 2 or hand.split or not in_time:
            return False
        natural = is_natural(state.round, hand)
        return None if natural is None else not natural
    return True


def split(state: State, hand: Hand) -> State:
    """The state in which the hand's second card begins a hand of its own."""
    draws = hand_draws(state.round, hand)
    if len(draws) < 2:
        return state
    play = play_of(state.round)
    aces = _are_aces(draws[:2])
    letter = chr(ord("a") + len(play.of_box(hand.box)))
    kept = replace(Hand(hand.box, hand.letter), split=True, aces=aces)
    new = replace(Hand(hand.box, letter), split=True, aces=aces)
    moved = draws[1].event
    state = state.with_draws(lambda draw: replace(draw, place=new.place) if draw.event == moved else draw)
    return with_play(state, play.with_hand(kept).with_split(kept, new))


def _are_aces(draws: tuple[Draw, ...]) -> bool | None:
    """Whether the cards are aces; None where that is not known."""
    known = [draw.card for draw in draws if isinstance(draw.card, Card)]
    if any(card.rank != "A" for card in known):
        return False
    return True if len(known) == len(draws) else None
