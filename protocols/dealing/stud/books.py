"""One event entered into the books of a round of stud. Nothing here judges."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.frozen import replace
from protocols.dealing.setting import Setting
from protocols.dealing.shoe import Shuffle, Stub
from protocols.dealing.stud.hands import (
    all_turned,
    between_stacks,
    deal_of,
    draws_at,
    live,
    over,
    street_of,
    stud_of,
    turned_card,
    with_stud,
)
from protocols.dealing.stud.play import Box, Stud
from protocols.dealing.table import Draw, Round, State, count_anew, see
from protocols.events import (
    CardDrawn,
    CardsCollected,
    CardsReplaced,
    CardsShuffled,
    CommunityRevealed,
    HandSettled,
    LogGap,
    PlayerActed,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeEmptied,
    ShoeFaulted,
    StubCounted,
    StubDiscarded,
    TableEvent,
    WagerChanged,
)
from protocols.hidden import Hidden, known_as
from protocols.places import box_number


def entered(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    """The state after the event; `after` has the books that all games share."""
    match event:
        case RoundOpened() | RoundClosed() | RoundVoided():
            return _between(setting, before, after, event)
        case CardDrawn():
            return _drawn(before, after)
        case WagerChanged() if not before.round.begun:
            return with_stud(after, replace(stud_of(after.round), boxes=_boxes(after.round)))
        case PlayerActed():
            return _acted(setting, after, event)
        case CommunityRevealed():
            return _turned(after, event)
        case HandSettled() | CardsCollected():
            return _done_with(setting, after, event)
        case ShoeEmptied():
            return _taken_out(after, event)
        case ShoeFaulted() if between_stacks(setting, before.round):
            void = replace(stud_of(after.round), void=True)
            return replace(after, round=replace(after.round, stud=void, disputed=True))
        case StubDiscarded():
            return with_stud(after, replace(stud_of(after.round), discarded=True))
    return _cared_for(setting, before, after, event)


def _boxes(seen: Round) -> tuple[Box, ...]:
    return tuple(map(Box, sorted(seen.boxes or ())))


def _taken_out(state: State, event: ShoeEmptied) -> State:
    """The rest of the deck is in the dealer's hand, unless the shoe is said to have run out; a round goes on."""
    state = replace(state, shoe=replace(state.shoe, emptied=event.reason == "ran_out"))
    stud = stud_of(state.round)
    return with_stud(state, replace(stud, in_hand=stud.in_hand or state.round.begun))


def _cared_for(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    """The deck between two rounds and its stub."""
    shoe, dealing = after.shoe, before.round.begun and not over(setting, before.round)
    match event:
        case StubCounted():
            return replace(after, shoe=replace(shoe, stub=replace(shoe.stub, rounds=0, certain=True)))
        case CardsShuffled() if not dealing:
            shoe = replace(shoe, shuffle=Shuffle(True, event.by))
        case CardsReplaced() if not dealing:
            shoe = replace(shoe, shuffle=Shuffle())
        case LogGap():
            done = shoe.shuffle.done or None
            return replace(after, shoe=replace(shoe, stub=Stub(unseen=True), shuffle=replace(shoe.shuffle, done=done)))
        case _:
            return after
    return replace(after, shoe=replace(shoe, stub=replace(shoe.stub, unseen=False)))


def _between(setting: Setting, before: State, after: State, event: TableEvent) -> State:
    """A round ends and its closed cards stay closed; one opens, dealt even where nobody shuffled from all cards but
    those that left the deck since the round before."""
    if before.round.opened:
        after = _ended(setting, before, after, voided=isinstance(event, RoundVoided))
    if not isinstance(event, RoundOpened):
        return after
    after = with_stud(after, Stud(_boxes(after.round)))
    if after.shoe.shuffle.done is not False:
        return after
    return count_anew(after, [draw for draw in after.round.draws if draw.number and not draw.uncounted])


def _ended(setting: Setting, before: State, after: State, *, voided: bool) -> State:
    if voided and before.round.begun:
        stub = after.shoe.stub
        after = replace(after, shoe=replace(after.shoe, stub=replace(stub, rounds=max(0, stub.rounds - 1))))
    elif not voided:
        for box in _stayed(setting, before.round):
            for draw in draws_at(before.round, box.place):
                after = _shown(after, draw)
    previous = after.previous.with_draws(_never_turned) if after.previous else None
    return replace(after, previous=previous)


def _stayed(setting: Setting, seen: Round) -> tuple[Box, ...]:
    """The boxes that bet on every street and whose hands are turned at the end."""
    streets = len(deal_of(setting).streets)
    return tuple(box for box in live(setting, seen) if box.acted == streets and all_turned(setting, seen))


def _never_turned(draw: Draw) -> Draw:
    return replace(draw, card=None) if isinstance(draw.card, Hidden) else draw


def _shown(state: State, draw: Draw, told: Card | Hidden | None = None) -> State:
    """The card is turned, even where nobody knows its value yet; `told`: its value where the event tells it."""
    state = state.with_draws(lambda old: replace(old, shown=True) if old.origin == draw.origin else old)
    value = told or draw.card
    card = known_as(value)
    return state if card is None else see(state, draw, card)


def _drawn(before: State, after: State) -> State:
    draw = after.round.draws[-1]
    if draw.outside or draw.boxed or draw.place == "burn":
        return after
    if not before.round.begun:
        stub = replace(after.shoe.stub, rounds=after.shoe.stub.rounds + 1)
        after = replace(after, shoe=replace(after.shoe, stub=stub, shuffle=Shuffle(False)))
    if draw.place is None:
        lost = after.round.boxes is None
        return replace(after, round=replace(after.round, lost=True)) if lost else after
    box, stud = box_number(draw.place), stud_of(after.round)
    if box is None or after.round.boxes is not None or stud.box(box):
        return after
    boxes = sorted((*stud.boxes, Box(box)), key=lambda each: each.number)
    return with_stud(after, replace(stud, boxes=tuple(boxes)))


def _acted(setting: Setting, state: State, event: PlayerActed) -> State:
    stud = stud_of(state.round)
    box = stud.box(event.box)
    if box is None or box.folded:
        return state
    if event.action == "fold":
        changed = replace(box, folded=True)
    else:
        changed = replace(box, acted=max(box.acted, street_of(setting, state.round, event, box) + 1))
    state = with_stud(state, stud.with_box(changed))
    miscounted = len(draws_at(state.round, box.place)) != deal_of(setting).hand_cards
    if "order" in state.round.reported and miscounted:
        return replace(state, round=replace(state.round, disputed=True))
    return state


def _turned(state: State, event: CommunityRevealed) -> State:
    stud = stud_of(state.round)
    draw = turned_card(state.round, event)
    if draw is not None:
        state = _shown(state, draw, event.card)
    return with_stud(state, replace(stud, turned=stud.turned | {event.street}))


def _done_with(setting: Setting, state: State, event: HandSettled | CardsCollected) -> State:
    return _settled(setting, state, event) if isinstance(event, HandSettled) else _collected(setting, state, event)


def _settled(setting: Setting, state: State, event: HandSettled) -> State:
    """A hand that stayed to the end is turned as it is settled; a folded one never is."""
    stud = stud_of(state.round)
    box = stud.box(event.box)
    if box is None:
        return state
    stayed = setting.sees("signals") or event.result in ("win", "push")
    if not box.folded and stayed and all_turned(setting, state.round):
        for draw in draws_at(state.round, box.place):
            state = _shown(state, draw)
    folded = box.folded or (not stayed and _shows_fold(setting, state.round))
    return with_stud(state, stud.with_box(replace(box, folded=folded, settled=True, result=event.result)))


def _collected(setting: Setting, state: State, event: CardsCollected) -> State:
    stud, number = stud_of(state.round), box_number(event.from_)
    box = stud.box(number) if number else None
    if box is None or box.settled or not _shows_fold(setting, state.round):
        return state
    return with_stud(state, stud.with_box(replace(box, folded=True)))


def _shows_fold(setting: Setting, seen: Round) -> bool:
    """Whether a hand that goes now has folded, where nobody keys that in: the last community card is still down."""
    return not setting.sees("signals") and not all_turned(setting, seen)
