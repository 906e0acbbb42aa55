"""One event entered into the books of a round of blackjack. Nothing here judges."""

from __future__ import annotations

from collections.abc import Collection

from protocols.cards import Card
from protocols.dealing.blackjack.acts import acted
from protocols.dealing.blackjack.hands import (
    beyond_deal,
    cards,
    dealer_cards,
    dealer_draws_of,
    hand_draws,
    hole_card,
    meant,
    play_of,
    up_to,
    upcard,
    with_play,
)
from protocols.dealing.blackjack.method import dealt_by, faulted, method_at_opening, selected
from protocols.dealing.blackjack.play import Hand, Play, Reader
from protocols.dealing.blackjack.totals import natural
from protocols.dealing.frozen import replace
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round, State, see
from protocols.events import (
    CallMade,
    CallMissed,
    CardDrawn,
    CardsCollected,
    HandSettled,
    HoleRevealed,
    InsuranceClosed,
    InsuranceOpened,
    MethodSelected,
    PlayerActed,
    ReaderFaulted,
    ReaderPeeked,
    ReaderRestored,
    RoundOpened,
    TableEvent,
    WagerChanged,
)
from protocols.hidden import Hidden, known_as, opened
from protocols.places import box_number


def entered(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    """The state after the event; `after` has the books that all games share."""
    state = _entered(setting, before, after, event)
    play = play_of(state.round)
    return state if play.withholds_peek else with_play(state, play.as_seen())


def _entered(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    match event:
        case CardDrawn():
            return _drawn(setting, _unverified(after, event), before)
        case PlayerActed():
            return acted(setting, after, event)
        case HandSettled() | CardsCollected():
            return _taken(setting, after, event)
        case RoundOpened():
            play = Play(boxes=event.boxes, hands=_hands(event.boxes or ()))
            return with_play(after, dealt_by(setting, play, method_at_opening(setting, after.reader)))
        case CallMade(call="total") | CallMissed(call="total"):
            return with_play(after, _total_called(after.round, event))
        case HoleRevealed():
            return _revealed(setting, after, event)
        case ReaderFaulted():
            return faulted(setting, after)
        case ReaderRestored():
            return _restored(setting, after)
        case MethodSelected():
            return selected(setting, after, event.procedure)
    return with_play(after, _said(play_of(after.round), event, begun=before.round.begun))


def _unverified(state: State, event: CardDrawn) -> State:
    """A shoe that is in error vouches for none of its cards; where the round was opened so, its first is wrong."""
    seen, out_of_it = state.round, event.manual or event.outside
    if not seen.opened or seen.opened_faulted or not state.shoe.faulted or out_of_it:
        return state
    return replace(state, round=replace(seen, unverified=True))


def _hands(boxes: tuple[int, ...]) -> tuple[Hand, ...]:
    return tuple(Hand(box) for box in sorted(set(boxes)))


def _said(play: Play, event: TableEvent, *, begun: bool) -> Play:
    match event:
        case CallMade(call="upcard") | CallMissed(call="upcard"):
            return replace(play, upcard_called=isinstance(event, CallMade))
        case InsuranceOpened():
            return replace(play, insurance="open")
        case InsuranceClosed():
            return replace(play, insurance="closed")
        case ReaderPeeked():
            return replace(play, peeks=(*play.peeks, event.result), card_since_peek=False, act_since_peek=False)
        case WagerChanged() if not begun and play.boxes is not None:
            return _with_wager(play, event)
    return play


def _total_called(seen: Round, event: CallMade | CallMissed) -> Play:
    """A total was called or left out: that of a box, or of the hands as they are where none was named."""
    play = play_of(seen)
    if isinstance(event, CallMissed):
        return replace(play, totals_missed=play.totals_missed | {event.box or 0})
    missed = frozenset() if event.box is None else play.totals_missed - {event.box, 0}
    called = play.hands if event.box is None else play.of_box(event.box)
    return _with_totals_called(replace(play, totals_missed=missed), seen, called)


def _with_totals_called(play: Play, seen: Round, called: Collection[Hand]) -> Play:
    hands = (replace(hand, called=len(cards(seen, hand))) if hand in called else hand for hand in play.hands)
    return replace(play, hands=tuple(hands))


def _with_wager(play: Play, event: WagerChanged) -> Play:
    boxes = set(play.boxes or ())
    if event.change == "made":
        boxes.add(event.box)
    if event.change == "taken_back":
        boxes.discard(event.box)
    return replace(play, boxes=tuple(sorted(boxes)), hands=_hands(tuple(boxes)))


def _restored(setting: Setting, state: State) -> State:
    """The reader is back; a round that is open ends as it is."""
    state = replace(state, reader=Reader())
    if state.round.opened:
        return state
    return with_play(state, dealt_by(setting, play_of(state.round), method_at_opening(setting, state.reader)))


def _drawn(setting: Setting, state: State, before: State) -> State:
    draw = state.round.draws[-1]
    if draw.outside or draw.boxed or draw.place == "burn":
        return state
    if draw.place is None:
        return replace(state, round=replace(state.round, disputed=True))
    play = replace(play_of(state.round), card_since_peek=True, act_since_peek=True)
    if draw.place == "dealer":
        play = replace(play, shows_natural=_shows_natural(state, play) or play.shows_natural)
        return _clear_upcard(setting, with_play(state, play))
    play = _with_known_box(_with_totals_told(setting, play, before.round, draw), draw)
    if beyond_deal(before.round, draw.place):
        play = replace(play, acted=True)
    hand = play.at.get(draw.place)
    if hand is None or len(cards(before.round, hand)) < 2:
        return with_play(state, play)
    return with_play(state, play.with_hand(replace(hand, signal=None)))


def _with_totals_told(setting: Setting, play: Play, before: Round, draw: Draw) -> Play:
    """A total that was not called before a player's card has shown with it."""
    if "total" not in setting.procedure.calls.required:
        return play
    told = replace(play, totals_missed=frozenset())
    hand = next((hand for hand in play_of(before).hands if hand.place == draw.place), None)
    if hand is None or not beyond_deal(before, hand.place):
        return told
    return _with_totals_called(told, before, up_to(setting, before, hand))


def _shows_natural(state: State, play: Play) -> bool:
    """Whether the dealer's second card, dealt face up after the players, makes a natural."""
    held = dealer_cards(state.round)
    return play.method == "no-hole" and len(held) == 2 and natural(held) is True


def _with_known_box(play: Play, draw: Draw) -> Play:
    """A box whose wager was not observed shows by its first card."""
    box = box_number(draw.place or "") or 0
    if play.boxes is not None or play.of_box(box):
        return play
    hands = sorted((*play.hands, Hand(box)), key=lambda hand: hand.box)
    return replace(play, hands=tuple(hands))


def _clear_upcard(setting: Setting, state: State) -> State:
    """Once it is clear which of the dealer's two cards lies face up, it is no longer hidden."""
    up = upcard(setting, state.round)
    return see(state, up, opened(up.card)) if up is not None and isinstance(up.card, Hidden) else state


def _revealed(setting: Setting, state: State, event: HoleRevealed) -> State:
    hole = hole_card(setting, state.round)
    lying = [hole] if hole is not None else [draw for draw in dealer_draws_of(state.round) if _unseen(draw)]
    for draw in lying:
        shown = event.card if hole is not None else None
        value = shown or draw.card
        card = known_as(value)
        if card is not None and (shown is not None or not isinstance(draw.card, Card)):
            state = see(state, draw, card)
    play = replace(play_of(state.round), hole_up=True, act_since_peek=True)
    turned = natural(dealer_cards(state.round)) if len(dealer_cards(state.round)) == 2 else False
    return with_play(state, replace(play, shows_natural=play.dealer_natural if turned is None else turned))


def _unseen(draw: Draw) -> bool:
    return not isinstance(draw.card, Card)


def _taken(setting: Setting, state: State, event: HandSettled | CardsCollected) -> State:
    """A hand is settled or collected; a card that lay face down under its wager is turned."""
    state = with_play(state, replace(play_of(state.round), act_since_peek=True))
    for hand in meant(setting, state.round, event):
        state = _turned(state, hand)
        state = with_play(state, play_of(state.round).with_hand(_done(hand, event)))
    return state


def _done(hand: Hand, event: HandSettled | CardsCollected) -> Hand:
    return replace(hand, collected=True) if isinstance(event, CardsCollected) else replace(hand, settled=True)


def _turned(state: State, hand: Hand) -> State:
    for draw in hand_draws(state.round, hand):
        if isinstance(draw.card, Hidden):
            state = see(state, draw, opened(draw.card))
    return state
