"""What has to be done before the next card is right, the same in every game that deals from a shoe."""

from __future__ import annotations

from protocols.dealing.drawing import cutting_card_placed
from protocols.dealing.remedies import boxed_card_lies
from protocols.dealing.setting import Setting
from protocols.dealing.table import State


def before_the_next_card(setting: Setting, state: State) -> tuple[str, ...]:
    """The acts that shoe and cutting card ask for first; empty where a card may be dealt or a round opened."""
    told = setting.sees("shuffle") or not state.round.opened
    spent = told and not state.round.begun and _spent(setting, state)
    return to_put_in_order(setting, state) or (("cards.shuffled", "shoe.loaded") if spent else ())


def to_put_in_order(setting: Setting, state: State) -> tuple[str, ...]:
    """The acts that a card found face up or a shoe in error asks for.

    A round that was opened while the shoe was in error can only be voided."""
    seen = state.round
    if boxed_card_lies(setting, seen):
        return ("card.burned",)
    if seen.opened_faulted:
        return ("round.voided",)
    return ("shoe.restored",) if state.shoe.faulted and not seen.opened else ()


def _spent(setting: Setting, state: State) -> bool:
    """Whether the cutting card allows no further round."""
    last = cutting_card_placed(setting, state.shoe.cutting_card, state.round).last_round
    return last is not None and state.round.number > last
