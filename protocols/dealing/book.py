"""One event entered into the books: the state after it. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from dataclasses import replace

from protocols.cards import Card
from protocols.dealing.coups import BURNS_BY_FIRST_CARD, FINISHING, burn_counts, lies_down, place_due, turns
from protocols.dealing.remedies import burned_away, taken_away
from protocols.dealing.shoe import Burn, CuttingCard, Shoe
from protocols.dealing.stock import Stock
from protocols.dealing.table import Draw, Round, Setting, State, find_draw, find_moved, see, turn_hands
from protocols.errors import LogError
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
)
from protocols.hidden import Hidden, hide, opened


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
            return _drawn(setting, state, event, number)
        case CardRevealed():
            return _revealed(state, event)
        case CardBurned():
            return burned_away(state, event.from_)
        case RoundOpened():
            return _opened(setting, state)
        case RoundClosed() | RoundVoided():
            return _closed(setting, state, voided=isinstance(event, RoundVoided))
        case LogGap():
            shoe = state.shoe.missed(event.cards)
            return replace(state, shoe=shoe, round=replace(state.round, blind=True), gapped=True)
        case CallMade() | CallMissed() | HandsTurned():
            return replace(state, round=_said(state.round, event))
    if event.name in FINISHING and state.round.opened:
        winner = event.winner if isinstance(event, ResultReported) else state.round.winner
        return replace(state, round=replace(state.round, finished=True, winner=winner))
    return replace(state, shoe=_shoe_after(state, event))


def _said(seen: Round, event: CallMade | CallMissed | HandsTurned) -> Round:
    match event:
        case CallMade(call="no_more_bets"):
            return replace(seen, call_made=True)
        case CallMissed(call="no_more_bets"):
            return replace(seen, call_missed=True)
        case HandsTurned():
            return replace(seen, turned=True)
    return seen


def _shoe_after(state: State, event: TableEvent) -> Shoe:
    shoe = state.shoe
    match event:
        case ShoeLoaded():
            return shoe.loaded(event.decks, Burn(BURNS_BY_FIRST_CARD, in_round=state.round.opened))
        case ShoeEmptied():
            return replace(shoe, emptied=True)
        case ShoeFaulted():
            return replace(shoe, faulted=True)
        case ShoeRestored():
            return replace(shoe, faulted=False)
        case CutCardReached():
            return replace(shoe, cutting_card=replace(shoe.cutting_card, shown=True))
        case CutCardPlaced():
            return replace(shoe, decks=event.decks)
        case CardsShuffled():
            return _shuffled(state, event)
        case CardsReplaced():
            return replace(shoe, cutting_card=CuttingCard(), stock=Stock())
    return shoe


def _shuffled(state: State, event: CardsShuffled) -> Shoe:
    shoe = state.shoe
    if event.cards == "discards" or (event.cards is None and shoe.emptied):
        return replace(shoe, stock=_on_the_table(state.round), emptied=False)
    return replace(shoe, cutting_card=CuttingCard(), stock=Stock(), emptied=False)


def _on_the_table(seen: Round) -> Stock:
    stock = Stock()
    for draw in seen.hands:
        stock = stock.draw()
        stock = stock.see(draw.card) if isinstance(draw.card, Card) else stock
    return stock


def _opened(setting: Setting, state: State) -> State:
    if state.round.opened:
        closing = replace(state, round=replace(state.round, finished=True))
        state = _closed(setting, closing, voided=False)
    seen = replace(state.round, opened=True, blind=False, opened_faulted=state.shoe.faulted)
    return replace(state, round=seen)


def _closed(setting: Setting, state: State, *, voided: bool) -> State:
    if not state.round.opened:
        return state
    ended = replace(state.round, finished=not voided, disputed=state.round.disputed or voided)
    burn = Burn() if state.shoe.burn.passed else replace(state.shoe.burn, in_round=False)
    stock = state.shoe.stock if setting.sees("shuffle") else Stock()
    shoe = replace(state.shoe, burn=burn, stock=stock)
    return replace(state, shoe=shoe, round=Round(ended.number + 1, blind=ended.blind), previous=ended)


def _drawn(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    if event.moved is not None:
        return _moved(setting, state, event, number)
    place = event.to or (None if event.outside else place_due(state))
    draw = Draw(
        event=number,
        origin=number,
        number=state.round.next_number,
        place=place,
        card=None,
        face=event.face,
        ref=event.ref,
        outside=bool(event.outside) or (place != "burn" and not state.round.opened),
        boxed=bool(event.boxed),
        shown=event.face == "up" or bool(event.boxed),
    )
    shoe = replace(state.shoe, stock=state.shoe.stock.draw())
    down = lies_down(setting, state, place, event.face, draw.outside) and not draw.boxed
    return _laid(setting, replace(state, shoe=shoe), draw, event.card, down=down)


def _moved(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    origin = find_moved(state, event)
    if origin is None and not state.gapped:
        raise LogError(f"card.drawn: field 'moved': no card {event.moved} was drawn in this round or the one before")
    place = event.to or place_due(state)
    left_shoe = origin.origin if origin else number
    draw = Draw(number, left_shoe, None, place, None, event.face or (origin.face if origin else None), event.ref)
    down = lies_down(setting, state, place, draw.face, outside=False)
    value = event.card or (origin.card if origin else None)
    if origin is None:
        return _laid(setting, state, draw, value, down=down)
    counted = isinstance(origin.card, Card)
    state = taken_away(state, origin)
    return _laid(setting, state, draw, value, down=down and not counted, counted=counted)


def _laid(
    setting: Setting, state: State, draw: Draw, value: Card | Hidden | None, *, down: bool, counted: bool = False
) -> State:
    """The drawn card on the table, its value hidden where it lies face down and counted where it does not."""
    card = opened(value) if isinstance(value, Hidden) and not down else value
    if down and isinstance(card, Card):
        card = hide(card)
    draw = replace(draw, card=card)
    state = _after_draw(setting, state, draw)
    state = replace(state, round=replace(state.round, draws=(*state.round.draws, draw)))
    if not isinstance(card, Card) or counted:
        return state
    return replace(state, shoe=replace(state.shoe, stock=state.shoe.stock.see(card)))


def _after_draw(setting: Setting, state: State, draw: Draw) -> State:
    if draw.place == "burn" and not draw.boxed:
        return replace(state, shoe=replace(state.shoe, burn=_burned(state.shoe.burn, draw)))
    if draw.outside or draw.boxed:
        return state
    burn = replace(state.shoe.burn, passed=True, unknown=False)
    cutting_card = _cutting_card_placed(setting, state.shoe.cutting_card, state.round)
    return replace(state, shoe=replace(state.shoe, burn=burn, cutting_card=cutting_card))


def _burned(burn: Burn, draw: Draw) -> Burn:
    burn = replace(burn, burned=burn.burned + 1)
    if burn.first is not None or not burn.counts:
        return burn
    known = draw.card if isinstance(draw.card, Card) else None
    return replace(burn, first=draw.event, counts=burn_counts(known))


def _cutting_card_placed(setting: Setting, cutting_card: CuttingCard, seen: Round) -> CuttingCard:
    """A card goes to a hand of the round `seen`: a cutting card that showed before it lies in this round."""
    if not cutting_card.shown:
        return cutting_card
    one_more = seen.begun and setting.options["last_coup"] == "one_more"
    last = seen.number + 1 if one_more else seen.number
    return CuttingCard(last_round=min(last, cutting_card.last_round or last))


def _revealed(state: State, event: CardRevealed) -> State:
    draw = find_draw(state, event)
    if draw is None:
        if state.gapped:
            return state
        name = f"{event.draw}" if event.draw is not None else f"with ref {event.ref!r}"
        raise LogError(f"card.revealed: no card {name} was drawn in this round or the one before")
    card = opened(event.card) if isinstance(event.card, Hidden) else event.card
    state = see(state, draw, card).with_draws(
        lambda old: replace(old, shown=True) if old.origin == draw.origin else old
    )
    burn = state.shoe.burn
    if burn.first == draw.event:
        state = replace(state, shoe=replace(state.shoe, burn=replace(burn, counts=burn_counts(card))))
    return state
