"""One event entered into the books: the state after it. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from dataclasses import replace

from protocols.dealing.coups import BURNS_BY_FIRST_CARD, FINISHING, place_due, turns
from protocols.dealing.drawing import drawn, revealed
from protocols.dealing.remedies import burned_away
from protocols.dealing.shoe import Burn, CuttingCard, Shoe
from protocols.dealing.table import Round, Setting, State, count_anew, turn_hands
from protocols.events import (
    CallMade,
    CallMissed,
    CardBurned,
    CardDrawn,
    CardRevealed,
    CardsReplaced,
    CardsShuffled,
    CutCardPlaced,
    CutCardReached,
    HandsTurned,
    LogGap,
    ResultReported,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeEmptied,
    ShoeFaulted,
    ShoeLoaded,
    ShoeRestored,
    TableEvent,
    WagerChanged,
)


def goes_to_hand(state: State, event: TableEvent) -> bool:
    """Whether the event brings a card to a hand of the round."""
    if not isinstance(event, CardDrawn) or event.outside or event.boxed or not state.round.opened:
        return False
    return (event.to or place_due(state)) != "burn"


def found(state: State, event: TableEvent) -> State:
    """The state as the event finds it: with the hands turned where it comes only after that."""
    return turn_hands(state) if turns(state, event, goes_to_hand(state, event)) else state


def booked(setting: Setting, state: State, event: TableEvent, number: int) -> State:
    """The state after the event with this number; `state` is what it found."""
    match event:
        case CardDrawn():
            return drawn(setting, state, event, number)
        case CardRevealed():
            return revealed(state, event)
        case CardBurned():
            return burned_away(state, event.from_)
        case ShoeLoaded():
            return _loaded(setting, state, event)
        case CardsShuffled() | CardsReplaced():
            return _shuffled(state, event)
        case LogGap():
            return _missed(setting, state, event)
    return _round_booked(setting, state, event)


def _round_booked(setting: Setting, state: State, event: TableEvent) -> State:
    match event:
        case RoundOpened():
            return _opened(setting, state, event)
        case RoundClosed() | RoundVoided():
            return _closed(setting, state, voided=isinstance(event, RoundVoided))
        case CallMade() | CallMissed() | HandsTurned() | WagerChanged():
            return replace(state, round=_said(state.round, event))
    if event.name in FINISHING and state.round.opened:
        winner = event.winner if isinstance(event, ResultReported) else state.round.winner
        return replace(state, round=replace(state.round, finished=True, winner=winner))
    return replace(state, shoe=_shoe_after(state, event))


def _missed(setting: Setting, state: State, event: LogGap) -> State:
    """What went unseen; where nobody tells of shuffles, the shoe may have been changed meanwhile."""
    shoe = state.shoe.missed((event.cards or 0) if setting.sees("shuffle") else 0)
    if not setting.sees("shuffle"):
        shoe = replace(shoe, cutting_card=CuttingCard())
    return replace(state, shoe=shoe, round=replace(state.round, blind=True), gapped=True)


def _said(seen: Round, event: CallMade | CallMissed | HandsTurned | WagerChanged) -> Round:
    match event:
        case CallMade(call="no_more_bets"):
            return replace(seen, called=True)
        case CallMissed(call="no_more_bets"):
            return replace(seen, called=False)
        case HandsTurned():
            return replace(seen, turned=True)
        case WagerChanged():
            return _wagered(seen, event)
    return seen


def _shoe_after(state: State, event: TableEvent) -> Shoe:
    shoe = state.shoe
    match event:
        case ShoeEmptied():
            return replace(shoe, emptied=event.reason != "to_hand")
        case ShoeFaulted():
            return replace(shoe, faulted=True)
        case ShoeRestored():
            return replace(shoe, faulted=False)
        case CutCardReached():
            return replace(shoe, cutting_card=replace(shoe.cutting_card, shown=True))
        case CutCardPlaced():
            return replace(shoe, decks=event.decks, placed=event.decks)
    return shoe


def _loaded(setting: Setting, state: State, event: ShoeLoaded) -> State:
    """A gap between two rounds is over with it: nothing that went unseen is in this shoe."""
    decks = event.decks or state.shoe.placed or int(setting.options["decks"])
    burn = Burn(BURNS_BY_FIRST_CARD, in_round=state.round.opened)
    state = replace(count_anew(state), shoe=state.shoe.loaded(decks, burn))
    return state if state.round.opened else replace(state, round=replace(state.round, blind=False))


def _shuffled(state: State, event: CardsShuffled | CardsReplaced) -> State:
    ran_out, cards = state.shoe.emptied, event.cards if isinstance(event, CardsShuffled) else "all"
    if cards == "discards" or (cards is None and ran_out):
        burn = replace(state.shoe.burn, allowed=ran_out and state.round.begun)
        return count_anew(replace(state, shoe=replace(state.shoe, burn=burn, emptied=False)), hands=True)
    return count_anew(replace(state, shoe=replace(state.shoe, cutting_card=CuttingCard(), emptied=False)))


def _wagered(seen: Round, event: WagerChanged) -> Round:
    """A box joins or leaves the round before its first card."""
    if seen.boxes is None or seen.begun:
        return seen
    if event.change == "made":
        return replace(seen, boxes=seen.boxes | {event.box})
    return replace(seen, boxes=seen.boxes - {event.box}) if event.change == "taken_back" else seen


def _opened(setting: Setting, state: State, event: RoundOpened) -> State:
    if state.round.opened:
        closing = replace(state, round=replace(state.round, finished=True))
        state = _closed(setting, closing, voided=False)
    boxes = None if event.boxes is None else frozenset(event.boxes)
    seen = replace(state.round, opened=True, blind=False, opened_faulted=state.shoe.faulted, boxes=boxes)
    return replace(state, round=seen)


def _closed(setting: Setting, state: State, *, voided: bool) -> State:
    if not state.round.opened:
        return state
    ended = replace(state.round, finished=not voided, disputed=state.round.disputed or voided)
    burn = replace(state.shoe.burn, in_round=False, allowed=False)
    state = replace(state, shoe=replace(state.shoe, burn=burn))
    state = replace(state, round=Round(ended.number + 1, blind=ended.blind), previous=ended)
    return state if setting.sees("shuffle") else count_anew(state)
