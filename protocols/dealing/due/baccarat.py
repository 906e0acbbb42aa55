"""What is right next in punto banco, from what everybody at the table can see."""

from __future__ import annotations

from protocols.dealing.baccarat import next_of_deal
from protocols.dealing.coups import coup_of, face_due, judged, place_due, waits_for_turning
from protocols.dealing.due.calls import called_first, no_more_bets_due
from protocols.dealing.due.opening import before_the_next_card
from protocols.dealing.frozen import once_in
from protocols.dealing.setting import Setting
from protocols.dealing.table import State


@once_in
def due(setting: Setting, state: State) -> tuple[str, ...]:
    """The acts that are right now, as `TYPE[ to PLACE[ FACE]]`; empty where nobody can say."""
    if state.round.blind or state.round.disputed:
        return ()
    if first := before_the_next_card(setting, state):
        return first
    if state.shoe.burn.owed:
        return (_card(setting, state, "burn"),)
    if place_due(state) == "burn":
        return (_card(setting, state, "burn"), *_without_burn(setting, state))
    return _in_or_between_rounds(setting, state)


def _without_burn(setting: Setting, state: State) -> tuple[str, ...]:
    """What may be right too where nobody can say how many cards are still to be burned."""
    return _deal(setting, state) if state.round.opened else ("round.opened",)


def _in_or_between_rounds(setting: Setting, state: State) -> tuple[str, ...]:
    if not state.round.opened:
        return ("round.opened",)
    if state.round.finished:
        return ("round.closed",)
    if not coup_of(state.round).complete:
        return _deal(setting, state)
    return _after_the_deal(setting, state)


def _deal(setting: Setting, state: State) -> tuple[str, ...]:
    card = _card(setting, state, next_of_deal(coup_of(state.round).sides))
    if not no_more_bets_due(setting, state.round):
        return (card,)
    return ("call.made",) if called_first(setting, state.round) else ("call.made", card)


def _after_the_deal(setting: Setting, state: State) -> tuple[str, ...]:
    if setting.sees("signals") and waits_for_turning(setting, state.round):
        return ("hands.turned",)
    judgement = judged(state.round)
    if judgement is None:
        return ()
    sides = [side for side in ("player", "banker") if side in judgement.due]
    cards = tuple(_card(setting, state, side) for side in sides)
    return (*cards, "round.closed") if None in judgement.due else cards


def _card(setting: Setting, state: State, place: str | None) -> str:
    face = face_due(setting, state, place)
    return f"card.drawn to {place}" + (f" {face}" if face else "")
