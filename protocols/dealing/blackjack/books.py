"""One event entered into the books of a round of blackjack. Nothing here judges."""

from __future__ import annotations

from dataclasses import replace

from protocols.cards import Card
from protocols.dealing.blackjack.hands import (
    beyond_deal,
    card_of_play,
    cards,
    current,
    dealer_cards,
    dealer_draws_of,
    finished,
    hand_at,
    hand_draws,
    hole_card,
    is_natural,
    is_pair,
    named_hand,
    play_of,
    served_its_double,
    upcard,
)
from protocols.dealing.blackjack.method import faulted, method_at_opening, selected
from protocols.dealing.blackjack.play import Hand, Play, Reader, Signal
from protocols.dealing.blackjack.totals import natural
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
from protocols.hidden import Hidden, opened
from protocols.places import box_number


def entered(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    """The state after the event; `after` has the books that all games share."""
    match event:
        case RoundOpened():
            play = Play(method_at_opening(setting, after.reader), event.boxes, _hands(event.boxes or ()))
            return _with(after, play)
        case CardDrawn():
            return _drawn(setting, after, before, event)
        case HoleRevealed():
            return _revealed(setting, after, event)
        case PlayerActed():
            return _acted(setting, after, event)
        case ReaderFaulted():
            return faulted(setting, after)
        case ReaderRestored():
            return _restored(setting, after)
        case MethodSelected():
            return selected(setting, after, event.procedure)
        case HandSettled() | CardsCollected():
            return _taken(setting, after, event)
    return _with(after, _said(play_of(after.round), event, begun=before.round.begun))


def _with(state: State, play: Play) -> State:
    return replace(state, round=replace(state.round, play=play))


def _hands(boxes: tuple[int, ...]) -> tuple[Hand, ...]:
    return tuple(Hand(box) for box in sorted(set(boxes)))


def _said(play: Play, event: TableEvent, *, begun: bool) -> Play:
    match event:
        case CallMade(call="upcard") | CallMissed(call="upcard"):
            return replace(play, upcard_called=isinstance(event, CallMade))
        case CallMade(call="total") | CallMissed(call="total"):
            return replace(play, total_missed=isinstance(event, CallMissed))
        case InsuranceOpened():
            return replace(play, insurance="open")
        case InsuranceClosed():
            return replace(play, insurance="closed")
        case ReaderPeeked():
            peeks = (*play.peeks, event.result or "unknown")
            found = play.dealer_natural or event.result == "natural"
            return replace(play, peeks=peeks, card_since_peek=False, act_since_peek=False, dealer_natural=found)
        case WagerChanged() if not begun and play.boxes is not None:
            return _with_wager(play, event)
    return play


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
    return _with(state, replace(play_of(state.round), method=method_at_opening(setting, state.reader)))


def _followed(setting: Setting, seen: Round, draw: Draw, event: CardDrawn) -> bool:
    """Whether it is known what the card makes of its hand: splits show only where signals are observed."""
    if setting.sees("signals"):
        return True
    hand = next((hand for hand in play_of(seen).hands if hand.place == draw.place), None)
    split = "/" in (event.to or "") or (hand is not None and is_pair(setting, seen, hand) is not False)
    return not split


def _drawn(setting: Setting, state: State, before: State, event: CardDrawn) -> State:
    draw = state.round.draws[-1]
    if draw.outside or draw.boxed or draw.place == "burn":
        return state
    if draw.place is None or not _followed(setting, before.round, draw, event):
        state = replace(state, round=replace(state.round, disputed=True))
    if draw.place is None:
        return state
    play = replace(play_of(state.round), card_since_peek=True)
    if draw.place == "dealer":
        play = replace(play, act_since_peek=True, dealer_natural=play.dealer_natural or _shows_natural(state, play))
        return _clear_upcard(setting, _with(state, play))
    play = _with_known_box(play, draw)
    if beyond_deal(before.round, draw.place):
        play = replace(play, acted=True, act_since_peek=True)
    hand = next((hand for hand in play.hands if hand.place == draw.place), None)
    return _with(state, play if hand is None else play.with_hand(replace(hand, signal=None)))


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
        card = opened(value) if isinstance(value, Hidden) else value
        if card is not None and (shown is not None or not isinstance(draw.card, Card)):
            state = see(state, draw, card)
    play = replace(play_of(state.round), hole_up=True, act_since_peek=True)
    turned = natural(dealer_cards(state.round)) if len(dealer_cards(state.round)) == 2 else False
    return _with(state, replace(play, dealer_natural=bool(turned) if turned is not None else play.dealer_natural))


def _unseen(draw: Draw) -> bool:
    return not isinstance(draw.card, Card)


def _acted(setting: Setting, state: State, event: PlayerActed) -> State:
    if event.action == "insure" or event.action == "bet" or event.action == "fold":
        return state
    state = _with(state, replace(play_of(state.round), acted=True, act_since_peek=True))
    hand = named_hand(setting, state.round, event)
    if hand is None:
        return state
    if "order" in state.round.reported and not hand.split and len(cards(state.round, hand)) < 2:
        state = replace(state, round=replace(state.round, disputed=True))
    if event.action == "split":
        return _split(state, hand)
    return _with(state, play_of(state.round).with_hand(_signalled(setting, state, hand, event.action)))


def _signalled(setting: Setting, state: State, hand: Hand, signal: Signal) -> Hand:
    """The hand after the signal; what it has got on a surrender or a double stays as it is."""
    if hand.surrendered or served_its_double(state.round, hand):
        return replace(hand, signal=None if signal == "stand" else signal)
    if signal == "stand":
        return _stands(setting, state, hand)
    void = not _offered(setting, state, hand, signal)
    return replace(
        hand,
        signal=signal,
        stood_early=hand.stood_early and not _turn_has_come(setting, state, hand),
        doubled=len(cards(state.round, hand)) if signal == "double" else None,
        void=void,
        surrendered=signal == "surrender" and not void,
    )


def _stands(setting: Setting, state: State, hand: Hand) -> Hand:
    if finished(setting, state.round, hand) and not (hand.stood_early or hand.void):
        return hand
    given = replace(hand, signal=None, doubled=None, void=False)
    in_turn = current(setting, state.round) == hand
    return replace(given, stood=True) if in_turn else replace(given, stood_early=True)


def _turn_has_come(setting: Setting, state: State, hand: Hand) -> bool:
    """Whether every hand before this one is finished."""
    play = play_of(state.round)
    earlier = play.hands[: play.hands.index(hand)]
    return all(finished(setting, state.round, other) is not False or not cards(state.round, other) for other in earlier)


def _offered(setting: Setting, state: State, hand: Hand, signal: Signal) -> bool:
    held, surrender = len(cards(state.round, hand)), setting.options["surrender"]
    if signal == "double":
        return held <= 2 and (not hand.split or setting.options["double_after_split"] is True)
    if signal == "surrender":
        fits = held <= 2 and not hand.split and not is_natural(state.round, hand)
        return fits and (surrender == "late" or (surrender == "early" and not card_of_play(state.round)))
    return True


def _split(state: State, hand: Hand) -> State:
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
    return _with(state, play.with_hand(kept).with_split(kept, new))


def _are_aces(draws: tuple[Draw, ...]) -> bool | None:
    """Whether the cards are aces; None where that is not known."""
    known = [draw.card for draw in draws if isinstance(draw.card, Card)]
    if any(card.rank != "A" for card in known):
        return False
    return True if len(known) == len(draws) else None


def _taken(setting: Setting, state: State, event: HandSettled | CardsCollected) -> State:
    """A hand is settled or collected; a card that lay face down under its wager is turned."""
    state = _with(state, replace(play_of(state.round), act_since_peek=True))
    for hand in _meant(setting, state, event):
        state = _turned(state, hand)
        state = _with(state, play_of(state.round).with_hand(_done(setting, hand, event)))
    return state


def _done(setting: Setting, hand: Hand, event: HandSettled | CardsCollected) -> Hand:
    if isinstance(event, CardsCollected):
        return replace(hand, collected=True)
    told = event.result == "surrender" and not setting.sees("signals")
    return replace(hand, settled=True, surrendered=hand.surrendered or told)


def _meant(setting: Setting, state: State, event: HandSettled | CardsCollected) -> tuple[Hand, ...]:
    """The hands that are settled or collected: without a letter the next one to settle, or all of the box."""
    play = play_of(state.round)
    if isinstance(event, CardsCollected) and "/" not in event.from_:
        return play.of_box(box_number(event.from_) or 0)
    if isinstance(event, HandSettled) and event.hand is None:
        return tuple(hand for hand in play.of_box(event.box) if not hand.settled)[:1]
    if isinstance(event, CardsCollected):
        hand = hand_at(setting, state.round, event.from_)
    else:
        hand = play.hand(event.box, event.hand or "a")
    return (hand,) if hand else ()


def _turned(state: State, hand: Hand) -> State:
    for draw in hand_draws(state.round, hand):
        if isinstance(draw.card, Hidden):
            state = see(state, draw, opened(draw.card))
    return state
