"""What is right next in stud, from what everybody at the table can see."""

from __future__ import annotations

from protocols.dealing.due.calls import called_first
from protocols.dealing.due.opening import to_put_in_order
from protocols.dealing.setting import Setting
from protocols.dealing.stud.hands import deal_of, due_places, live, stud_of, waiting
from protocols.dealing.table import State


def due(setting: Setting, state: State) -> tuple[str, ...]:
    """The acts that are right now, as `TYPE[ to PLACE[ FACE]]` or `TYPE box:N`; empty where nobody can say."""
    seen = state.round
    if stud_of(seen).void:
        return ("round.voided",)
    if seen.blind or seen.disputed or seen.lost:
        return ()
    if first := to_put_in_order(setting, state):
        return first
    if state.shoe.burn.owed:
        return ("card.drawn to burn",)
    if not seen.opened:
        return _before_the_round(setting, state)
    if not seen.begun:
        return _before_the_deal(setting, state) or _deal(setting, state)
    return _deal(setting, state) or _streets(setting, state)


def _before_the_round(setting: Setting, state: State) -> tuple[str, ...]:
    burn = ("card.drawn to burn",) if state.shoe.burn.wanted else ()
    return _deck(setting, state) or (*burn, "round.opened")


def _before_the_deal(setting: Setting, state: State) -> tuple[str, ...]:
    """What has to be done before the first card and was not, as far as the table tells."""
    return _deck(setting, state) or (("call.made",) if called_first(setting, state.round) else ())


def _deck(setting: Setting, state: State) -> tuple[str, ...]:
    """The stub's counting that is overdue, and the shuffle that is or was not made as it has to be."""
    stub, shuffle = state.shoe.stub, state.shoe.shuffle
    if setting.sees("stub") and stub.rounds >= int(setting.options["stub_count_rounds"]):
        return ("stub.counted",)
    by_hand = shuffle.done and shuffle.by == "hand" and deal_of(setting).shuffler
    return ("cards.shuffled",) if by_hand or (setting.sees("shuffle") and shuffle.done is False) else ()


def _deal(setting: Setting, state: State) -> tuple[str, ...]:
    places, deal = due_places(setting, state.round), deal_of(setting)
    in_shoe = deal.boxes_from == "shoe" and not stud_of(state.round).in_hand
    if in_shoe and places and all(place.startswith("community") for place in places):
        return ("shoe.emptied",)
    return tuple(f"card.drawn to {place} {deal.face}" for place in places)


def _streets(setting: Setting, state: State) -> tuple[str, ...]:
    stub = _stub(setting, state)
    first = next(iter(waiting(setting, state.round)), None)
    if first is not None:
        return (*stub, f"player.acted box:{first.number}")
    stud = stud_of(state.round)
    turned = stud.street >= len(deal_of(setting).streets)
    if not turned and (live(setting, state.round) or not stud.boxes):
        return (*stub, "community.revealed")
    return (*stub, *(() if turned else ("community.revealed",)), *_end(setting, state))


def _stub(setting: Setting, state: State) -> tuple[str, ...]:
    """What may be done with the stub once the cards are dealt: it is counted in the last round that allows it."""
    if not setting.sees("stub") or stud_of(state.round).discarded:
        return ()
    last = state.shoe.stub.rounds >= int(setting.options["stub_count_rounds"])
    return ("stub.counted", "stub.discarded") if last else ("stub.discarded",)


def _end(setting: Setting, state: State) -> tuple[str, ...]:
    seen = setting.sees("collection")
    open_boxes = [box for box in live(setting, state.round) if seen and not box.settled]
    return (*(f"hand.settled box:{box.number}" for box in open_boxes[:1]), "round.closed")
