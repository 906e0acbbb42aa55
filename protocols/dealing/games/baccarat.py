"""Punto banco as a family of games."""

from __future__ import annotations

from typing import Final

from protocols.cards import Card
from protocols.dealing import coups
from protocols.dealing.due import baccarat as due_acts
from protocols.dealing.frozen import replace
from protocols.dealing.games.foreign import refuse_foreign
from protocols.dealing.rules import BACCARAT
from protocols.dealing.rules.finding import Rule
from protocols.dealing.setting import Reading, Setting
from protocols.dealing.table import Draw, Round, State, place_named, turn_hands
from protocols.errors import LogError
from protocols.events import (
    CardsCollected,
    Face,
    HandsTurned,
    ResultReported,
    TableEvent,
)

_PLACES: Final = ("burn", "player", "banker")
_FOREIGN: Final = ("player.acted", "hole.looked", "hole.revealed", "community.revealed")


class Baccarat:
    """The coup: four cards, third cards by the table of draws."""

    rules: tuple[Rule, ...] = BACCARAT

    def refuse(self, setting: Setting, state: State, event: TableEvent) -> None:  # noqa: ARG002
        procedure = setting.procedure.id
        refuse_foreign(procedure, event, _FOREIGN)
        field, place = place_named(event)
        if place is not None and place not in _PLACES and not isinstance(event, CardsCollected):
            raise LogError(f"{event.name}: field {field!r}: {procedure} has no {place!r} ({', '.join(_PLACES)})")

    def begun(self, setting: Setting, state: State) -> State:  # noqa: ARG002
        return state

    def place_due(self, setting: Setting, state: State, face: Face | None = None) -> str | None:  # noqa: ARG002
        return coups.place_due(state)

    def place_of(self, setting: Setting, state: State, place: str) -> str:  # noqa: ARG002
        return place

    def short(self, state: State, place: str) -> str:  # noqa: ARG002
        return place

    def lies_down(self, setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:
        return coups.lies_down(setting, state, place, face, outside)

    def face_due(self, setting: Setting, state: State, place: str | None) -> Face | None:
        return coups.face_due(setting, state, place)

    def stays_down(self, setting: Setting, state: State, draw: Draw) -> bool:  # noqa: ARG002
        """A card that nobody had turned when its coup was voided; in a coup that goes on telling it turns it."""
        return state.round_of(draw).voided and not (draw.shown or isinstance(draw.card, Card))

    def turned_by(self, setting: Setting, state: State, event: TableEvent) -> Draw | None:  # noqa: ARG002
        return None

    def burn_counts(self, setting: Setting, first: Card | None) -> frozenset[int]:  # noqa: ARG002
        return coups.burn_counts(first)

    def last_round(self, setting: Setting, seen: Round) -> int:
        one_more = (seen.begun or seen.blind) and setting.options["last_coup"] == "one_more"
        return seen.number + 1 if one_more else seen.number

    def readings(self, setting: Setting, state: State, event: TableEvent) -> tuple[Reading, ...]:  # noqa: ARG002
        return ((state, None),)

    def found(self, setting: Setting, state: State, event: TableEvent) -> State:
        return turn_hands(state) if coups.turns(setting, state, event) else state

    def entered(self, setting: Setting, before: State, after: State, event: TableEvent, number: int) -> State:  # noqa: ARG002
        """Turning, the result, and what only follows a complete coup; a new round closes the one that is open."""
        if not before.round.opened:
            return after
        if event.name in ("round.opened", "round.closed") and after.previous is not None:
            return replace(after, previous=replace(after.previous, finished=True))
        seen = after.round
        if isinstance(event, HandsTurned):
            return replace(after, round=replace(seen, turned=True))
        if event.name in coups.FINISHING and seen.opened:
            winner = event.winner if isinstance(event, ResultReported) else seen.winner
            return replace(after, round=replace(seen, finished=True, winner=winner))
        return after

    def due(self, setting: Setting, state: State) -> tuple[str, ...]:
        return due_acts.due(setting, state)
