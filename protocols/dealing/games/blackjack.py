"""Blackjack as a family of games: with a hole card, with and without a reader, and without a hole card."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from protocols.cards import Card
from protocols.dealing.blackjack import books
from protocols.dealing.blackjack.hands import current, dealer_draws_of, hand_at, play_of
from protocols.dealing.blackjack.method import method_at_opening
from protocols.dealing.blackjack.play import Play
from protocols.dealing.due import blackjack as due_acts
from protocols.dealing.rules import BLACKJACK
from protocols.dealing.rules.finding import Rule
from protocols.dealing.setting import Setting
from protocols.dealing.table import Round, State, see
from protocols.errors import LogError
from protocols.events import (
    CardBurned,
    CardDrawn,
    CardsCollected,
    CutCardReached,
    Face,
    HandSettled,
    PlayerActed,
    RoundClosed,
    RoundOpened,
    TableEvent,
)
from protocols.hidden import Hidden, opened
from protocols.places import box_number

_FOREIGN: Final = ("hands.turned", "community.revealed", "result.reported")
"""Acts of other games: in a log of this one they are a mistake of the log, never of a dealer."""


class Blackjack:
    """Boxes against a dealer."""

    rules: tuple[Rule, ...] = BLACKJACK

    def refuse(self, setting: Setting, state: State, event: TableEvent) -> None:
        procedure = setting.procedure.id
        if event.name in _FOREIGN or (isinstance(event, PlayerActed) and event.action in ("bet", "fold")):
            raise LogError(f"{event.name}: {procedure} does not have this act")
        places = {
            "to": event.to if isinstance(event, CardDrawn) else None,
            "from": event.from_ if isinstance(event, CardBurned | CardsCollected) else None,
            "at": event.at if isinstance(event, CutCardReached) else None,
        }
        for field, place in places.items():
            if place is not None and not (place in ("burn", "dealer") or box_number(place)):
                raise LogError(f"{event.name}: field {field!r}: {procedure} has no {place!r} (box:N, dealer, burn)")
        boxes = [*(box_number(place) for place in places.values() if place)]
        boxes += [event.box] if isinstance(event, PlayerActed | HandSettled) else []
        for box in boxes:
            if box is not None and not self._is_box(setting, state, box):
                raise LogError(f"{event.name}: {procedure} has no box {box} (1 to {setting.options['max_boxes']})")

    def _is_box(self, setting: Setting, state: State, box: int) -> bool:
        return box <= int(setting.options["max_boxes"]) or bool(play_of(state.round).of_box(box))

    def begun(self, setting: Setting, state: State) -> State:
        play = Play(method=method_at_opening(setting, state.reader))
        return replace(state, round=replace(state.round, play=play))

    def place_due(self, setting: Setting, state: State) -> str | None:
        burn, seen = state.shoe.burn, state.round
        if burn.wanted and (burn.in_round or not seen.opened):
            return "burn"
        if not seen.opened:
            return None
        place = due_acts.deal_place(seen)
        if place is not None or not dealer_draws_of(seen):
            return place
        hand = current(setting, seen)
        return hand.place if hand is not None and not play_of(seen).dealer_natural else "dealer"

    def place_of(self, setting: Setting, state: State, place: str) -> str:
        box = box_number(place)
        if box is None:
            return place
        hand = hand_at(setting, state.round, place)
        return hand.place if hand is not None else place if "/" in place else f"{place}/a"

    def lies_down(self, setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:
        if face is not None:
            return face == "down"
        if outside or place == "burn" or place is None:
            return True
        return place == "dealer" and due_acts.face_due(setting, state, place) != "up"

    def face_due(self, setting: Setting, state: State, place: str | None) -> Face | None:
        return due_acts.face_due(setting, state, place)

    def burn_counts(self, setting: Setting, first: Card | None) -> frozenset[int]:  # noqa: ARG002
        burn = setting.options["burn"]
        return frozenset({0, 1}) if burn == "unset" else frozenset({int(burn)})

    def last_round(self, setting: Setting, seen: Round) -> int:
        reshuffle = not seen.begun and setting.options["cut_card_first"] == "reshuffle"
        return seen.number - 1 if reshuffle else seen.number

    def found(self, setting: Setting, state: State, event: TableEvent) -> State:  # noqa: ARG002
        """At the end of a round what nobody observed to lie face down is on the table for all to see."""
        if not state.round.opened or not isinstance(event, RoundClosed | RoundOpened):
            return state
        for draw in state.round.hands:
            if draw.face is None and isinstance(draw.card, Hidden):
                state = see(state, draw, opened(draw.card))
        return state

    def entered(self, setting: Setting, before: State, after: State, event: TableEvent, number: int) -> State:  # noqa: ARG002
        return books.entered(setting, before, after, event)

    def due(self, setting: Setting, state: State) -> tuple[str, ...]:
        return due_acts.due(setting, state)
