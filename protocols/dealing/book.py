"""One event entered into the books: the state after it. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from dataclasses import replace

from protocols.cards import Card
from protocols.dealing.remedies import burned_away, taken_away
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Burn, CuttingCard, Shoe
from protocols.dealing.stock import Stock
from protocols.dealing.table import Draw, Round, State, find_draw, find_moved, see
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
    LogGap,
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


def booked(setting: Setting, state: State, event: TableEvent, number: int) -> State:
    """The state after the event with this number; `state` is what it found."""
    return setting.game.entered(setting, state, _shared(setting, state, event, number), event, number)


def _shared(setting: Setting, state: State, event: TableEvent, number: int) -> State:
    match event:
        case CardDrawn():
            return _drawn(setting, state, event, number)
        case CardRevealed():
            return _revealed(setting, state, event)
        case CardBurned():
            return burned_away(state, setting.game.place_of(setting, state, event.from_))
        case RoundOpened():
            return _opened(setting, state)
        case RoundClosed() | RoundVoided():
            return _closed(setting, state, voided=isinstance(event, RoundVoided))
        case LogGap():
            shoe = state.shoe.missed(event.cards)
            return replace(state, shoe=shoe, round=replace(state.round, blind=True), gapped=True)
        case CallMade(call="no_more_bets"):
            return replace(state, round=replace(state.round, call_made=True))
        case CallMissed(call="no_more_bets"):
            return replace(state, round=replace(state.round, call_missed=True))
    return replace(state, shoe=_shoe_after(setting, state, event))


def _shoe_after(setting: Setting, state: State, event: TableEvent) -> Shoe:
    shoe = state.shoe
    match event:
        case ShoeLoaded():
            return shoe.loaded(event.decks, Burn(setting.game.burn_counts(setting, None), in_round=state.round.opened))
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
        state = _closed(setting, state, voided=False)
    seen = replace(state.round, opened=True, blind=False, opened_faulted=state.shoe.faulted)
    return replace(state, round=seen)


def _closed(setting: Setting, state: State, *, voided: bool) -> State:
    if not state.round.opened:
        return state
    ended = replace(state.round, disputed=state.round.disputed or voided)
    burn = Burn() if state.shoe.burn.passed else replace(state.shoe.burn, in_round=False)
    stock = state.shoe.stock if setting.sees("shuffle") else Stock()
    shoe = replace(state.shoe, burn=burn, stock=stock)
    new = replace(state, shoe=shoe, round=Round(ended.number + 1, blind=ended.blind), previous=ended)
    return setting.game.begun(setting, new)


def _drawn(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    if event.moved is not None:
        return _moved(setting, state, event, number)
    place = _place(setting, state, event)
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
    down = setting.game.lies_down(setting, state, place, event.face, draw.outside) and not draw.boxed
    return _laid(setting, replace(state, shoe=shoe), draw, event.card, down=down)


def _place(setting: Setting, state: State, event: CardDrawn) -> str | None:
    """Where the card goes: as observed, else where the next card is due."""
    if event.to is not None:
        return setting.game.place_of(setting, state, event.to)
    if event.outside:
        return None
    return "burn" if event.boxed else setting.game.place_due(setting, state, event.face)


def _moved(setting: Setting, state: State, event: CardDrawn, number: int) -> State:
    origin = find_moved(state, event)
    if origin is None and not state.gapped:
        raise LogError(f"card.drawn: field 'moved': no card {event.moved} was drawn in this round or the one before")
    place = _place(setting, state, event)
    left_shoe = origin.origin if origin else number
    draw = Draw(number, left_shoe, None, place, None, event.face or (origin.face if origin else None), event.ref)
    down = setting.game.lies_down(setting, state, place, draw.face, outside=False)
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
        return replace(state, shoe=replace(state.shoe, burn=_burned(setting, state.shoe.burn, draw)))
    if draw.outside or draw.boxed:
        return state
    burn = replace(state.shoe.burn, passed=True, unknown=False)
    cutting_card = _cutting_card_placed(setting, state.shoe.cutting_card, state.round)
    return replace(state, shoe=replace(state.shoe, burn=burn, cutting_card=cutting_card))


def _burned(setting: Setting, burn: Burn, draw: Draw) -> Burn:
    burn = replace(burn, burned=burn.burned + 1)
    if burn.first is not None or not burn.counts:
        return burn
    known = draw.card if isinstance(draw.card, Card) else None
    return replace(burn, first=draw.event, counts=setting.game.burn_counts(setting, known))


def _cutting_card_placed(setting: Setting, cutting_card: CuttingCard, seen: Round) -> CuttingCard:
    """A card goes to a hand of the round `seen`: a cutting card that showed before it lies in this round."""
    if not cutting_card.shown:
        return cutting_card
    last = setting.game.last_round(setting, seen)
    return CuttingCard(last_round=min(last, cutting_card.last_round or last))


def _revealed(setting: Setting, state: State, event: CardRevealed) -> State:
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
        state = replace(
            state, shoe=replace(state.shoe, burn=replace(burn, counts=setting.game.burn_counts(setting, card)))
        )
    return state
