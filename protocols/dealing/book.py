"""One event entered into the books: the state after it. Nothing here judges.

LogError where the event names a card that was never drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from protocols.dealing.drawing import drawn, revealed
from protocols.dealing.frozen import replace
from protocols.dealing.remedies import burned_away
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import CuttingCard
from protocols.dealing.stock import CARDS_IN_DECK
from protocols.dealing.table import Round, State, count_anew
from protocols.events import (
    CallMade,
    CallMissed,
    CardBurned,
    CardDrawn,
    CardRevealed,
    CardsCut,
    CardsReplaced,
    CardsShuffled,
    CutCardPlaced,
    CutCardReached,
    DealerChanged,
    LogGap,
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


def booked(setting: Setting, state: State, event: TableEvent, number: int) -> State:
    """The state after the event with this number; `state` is what it found."""
    return setting.game.entered(setting, state, _shared(setting, state, event, number), event, number)


def _shared(setting: Setting, state: State, event: TableEvent, number: int) -> State:
    if isinstance(event, CardDrawn):
        return drawn(setting, state, event, number)
    enter = _ENTERED.get(type(event))
    return enter(setting, state, event) if enter else state


def _burned(setting: Setting, state: State, event: CardBurned) -> State:
    return burned_away(state, setting.game.place_of(setting, state, event.from_))


def _missed(setting: Setting, state: State, event: LogGap) -> State:
    """What went unseen; where nobody tells of shuffles, the shoe may have been changed meanwhile."""
    shoe = state.shoe.missed((event.cards or 0) if setting.sees("shuffle") else 0)
    if not setting.sees("shuffle"):
        shoe = replace(shoe, cutting_card=CuttingCard())
    cutting = replace(state.cutting, unknown=True)
    return replace(state, shoe=shoe, cutting=cutting, round=replace(state.round, blind=True), gapped=True)


def dealer_burns(setting: Setting) -> frozenset[int]:
    """How many cards a new dealer burns: none where the table burns none."""
    burns = setting.procedure.burn.new_dealer and max(setting.game.burn_counts(setting, None)) > 0
    return frozenset({1}) if burns else frozenset({0})


def _dealer_came(setting: Setting, state: State, _: DealerChanged) -> State:
    """He burns before the next round; in one that is open only together with a burn that is due there anyway."""
    burn, counts = state.shoe.burn, dealer_burns(setting)
    if counts <= {0}:
        return state
    waits = state.round.opened and not (burn.in_round and burn.wanted)
    burn = replace(burn, next_round=True) if waits else burn.with_new_dealer(counts)
    return replace(state, shoe=replace(state.shoe, burn=burn))


def _cutting_card_shows(setting: Setting, state: State, event: CutCardReached) -> State:
    """Before the first card of an open round it shows where that card would go."""
    waits = state.round.opened and not state.round.begun
    at = event.at or (setting.game.place_due(setting, state) if waits else None)
    shoe = replace(state.shoe, cutting_card=replace(state.shoe.cutting_card, shown=True))
    return replace(state, shoe=shoe, cutting=state.cutting.appeared(at))


def _being_dealt(state: State) -> bool:
    return state.round.opened and state.round.begun


def _cut(_: Setting, state: State, __: CardsCut) -> State:
    return _prepared(state)


def _prepared(state: State) -> State:
    """The cards are made ready for the next rounds, unless a round is being dealt."""
    return state if _being_dealt(state) else replace(state, cutting=replace(state.cutting, prepared=True))


def _called(_: Setting, state: State, event: CallMade | CallMissed) -> State:
    if event.call != "no_more_bets":
        return state
    return replace(state, round=replace(state.round, called=isinstance(event, CallMade)))


def _emptied(_: Setting, state: State, event: ShoeEmptied) -> State:
    return replace(state, shoe=replace(state.shoe, emptied=event.reason != "to_hand"))


def _in_error(_: Setting, state: State, event: ShoeFaulted | ShoeRestored) -> State:
    return replace(state, shoe=replace(state.shoe, faulted=isinstance(event, ShoeFaulted)))


def _cutting_card_placed(_: Setting, state: State, event: CutCardPlaced) -> State:
    behind = round(event.decks_from_back * CARDS_IN_DECK)
    return replace(state, shoe=replace(state.shoe, decks=event.decks, placed=event.decks, behind=behind))


def _loaded(setting: Setting, state: State, event: ShoeLoaded) -> State:
    """A gap between two rounds is over with it: nothing that went unseen is in this shoe."""
    decks = event.decks or state.shoe.placed or int(setting.options["decks"])
    counts, dealers = setting.game.burn_counts(setting, None), dealer_burns(setting)
    burn = state.shoe.burn.loaded(counts, dealers, in_round=state.round.opened)
    state = replace(_prepared(count_anew(state)), shoe=state.shoe.loaded(decks, burn))
    return state if state.round.opened else replace(state, round=replace(state.round, blind=False))


def _shuffled(_: Setting, state: State, event: CardsShuffled | CardsReplaced) -> State:
    ran_out, cards = state.shoe.emptied, event.cards if isinstance(event, CardsShuffled) else "all"
    if cards == "discards" or (cards is None and ran_out):
        burn = replace(state.shoe.burn, allowed=ran_out and state.round.begun)
        shoe = replace(state.shoe, burn=burn, emptied=False, counted=False, behind=None)
        return count_anew(replace(state, shoe=shoe), state.round.hands)
    shoe = replace(state.shoe, cutting_card=CuttingCard(), emptied=False, counted=not _being_dealt(state), behind=None)
    state = _prepared(count_anew(replace(state, shoe=shoe)))
    if isinstance(event, CardsShuffled):
        return state
    return replace(state, cutting=replace(state.cutting, new_cards=True))


def _wagered(_: Setting, state: State, event: WagerChanged) -> State:
    """A box joins or leaves the round before its first card."""
    boxes = state.round.boxes
    if boxes is None or state.round.begun or event.change not in ("made", "taken_back"):
        return state
    boxes = boxes | {event.box} if event.change == "made" else boxes - {event.box}
    return replace(state, round=replace(state.round, boxes=boxes))


def _opened(setting: Setting, state: State, event: RoundOpened) -> State:
    state = _closed(setting, state)
    boxes = None if event.boxes is None else frozenset(event.boxes)
    seen = replace(state.round, opened=True, blind=False, opened_faulted=state.shoe.faulted, boxes=boxes)
    return replace(state, round=seen)


def _voided(setting: Setting, state: State, _: RoundVoided) -> State:
    return _closed(setting, state, voided=True)


def _closed(setting: Setting, state: State, _: RoundClosed | None = None, *, voided: bool = False) -> State:
    if not state.round.opened:
        return state
    ended = replace(state.round, disputed=state.round.disputed or voided, voided=voided)
    burn = replace(state.shoe.burn, in_round=False, allowed=False, next_round=False)
    if state.shoe.burn.next_round:
        burn = burn.with_new_dealer(dealer_burns(setting))
    state = replace(state, shoe=replace(state.shoe, burn=burn))
    new = replace(state, round=Round(ended.number + 1, blind=ended.blind), previous=ended)
    state = setting.game.begun(setting, new)
    return state if setting.sees("shuffle") else count_anew(state)


_Enter = Callable[[Setting, State, Any], State]
_ENTERED: Final[Mapping[type[TableEvent], _Enter]] = {
    CardRevealed: revealed,
    CardBurned: _burned,
    ShoeLoaded: _loaded,
    ShoeEmptied: _emptied,
    ShoeFaulted: _in_error,
    ShoeRestored: _in_error,
    CardsShuffled: _shuffled,
    CardsReplaced: _shuffled,
    CardsCut: _cut,
    CutCardPlaced: _cutting_card_placed,
    CutCardReached: _cutting_card_shows,
    DealerChanged: _dealer_came,
    RoundOpened: _opened,
    RoundClosed: _closed,
    RoundVoided: _voided,
    CallMade: _called,
    CallMissed: _called,
    WagerChanged: _wagered,
    LogGap: _missed,
}
"""What each event does to the books that all games share; those that are missing concern a game alone."""
