"""Stud with community cards as a family of games."""

from __future__ import annotations

from protocols.cards import Card
from protocols.dealing.due import stud as due_acts
from protocols.dealing.frozen import replace
from protocols.dealing.games.foreign import refuse_foreign
from protocols.dealing.rules import STUD
from protocols.dealing.rules.finding import Rule
from protocols.dealing.setting import Reading, Setting
from protocols.dealing.stud import books
from protocols.dealing.stud.hands import deal_of, due_places, shape_of, turned_card
from protocols.dealing.stud.play import Stud
from protocols.dealing.table import Draw, Round, State, place_named
from protocols.errors import LogError
from protocols.events import (
    CommunityRevealed,
    Face,
    HandSettled,
    PlayerActed,
    TableEvent,
)
from protocols.places import box_number

_FOREIGN = ("hands.turned", "hole.looked", "hole.revealed", "result.reported")
_ACTIONS = ("bet", "fold")


class StudGame:
    """Boxes that bet, street by street, on their own cards and the community's."""

    rules: tuple[Rule, ...] = STUD

    def refuse(self, setting: Setting, state: State, event: TableEvent) -> None:
        procedure = setting.procedure.id
        refuse_foreign(procedure, event, _FOREIGN, _ACTIONS)
        field, place = place_named(event)
        if place is not None and not self._is_place(setting, state, place):
            raise LogError(f"{event.name}: field {field!r}: {procedure} has no {place!r} {_places(setting)}")
        if isinstance(event, PlayerActed | CommunityRevealed) and event.street not in (None, *deal_of(setting).streets):
            raise LogError(f"{event.name}: field 'street': {procedure} has no street {event.street} {_places(setting)}")
        if isinstance(event, PlayerActed | HandSettled):
            self._refuse_hand(setting, state, event)

    def _refuse_hand(self, setting: Setting, state: State, event: PlayerActed | HandSettled) -> None:
        procedure = setting.procedure.id
        if event.hand not in (None, "a"):
            raise LogError(f"{event.name}: field 'hand': {procedure} has one hand a box, no {event.hand!r}")
        if not self._is_place(setting, state, f"box:{event.box}"):
            raise LogError(f"{event.name}: {procedure} has no box {event.box} {_places(setting)}")

    def _is_place(self, setting: Setting, state: State, place: str) -> bool:
        box, seen = box_number(place), state.round
        if box is not None:
            one_hand = place.partition("/")[2] in ("", "a")
            return one_hand and (box <= int(setting.options["max_boxes"]) or box in (seen.boxes or ()))
        return place == "burn" or place in shape_of(setting, seen).community

    def begun(self, setting: Setting, state: State) -> State:  # noqa: ARG002
        return replace(state, round=replace(state.round, stud=Stud()))

    def place_due(self, setting: Setting, state: State, face: Face | None = None) -> str | None:  # noqa: ARG002
        burn, seen = state.shoe.burn, state.round
        if burn.wanted and (burn.in_round or not seen.opened):
            return "burn"
        places = due_places(setting, seen) if seen.opened else ()
        return places[0] if len(places) == 1 else None

    def place_of(self, setting: Setting, state: State, place: str) -> str:  # noqa: ARG002
        return place.partition("/")[0]

    def short(self, state: State, place: str) -> str:  # noqa: ARG002
        return place

    def lies_down(self, setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:  # noqa: ARG002
        return face != "up"

    def face_due(self, setting: Setting, state: State, place: str | None) -> Face | None:
        in_hand = state.round.opened and place != "burn"
        return deal_of(setting).face if in_hand else None

    def stays_down(self, setting: Setting, state: State, draw: Draw) -> bool:  # noqa: ARG002
        """Every card that nobody has seen: a folded hand is never turned, not even when the round is over."""
        return not (draw.shown or isinstance(draw.card, Card))

    def turned_by(self, setting: Setting, state: State, event: TableEvent) -> Draw | None:  # noqa: ARG002
        if not isinstance(event, CommunityRevealed):
            return None
        return turned_card(state.round, event)

    def burn_counts(self, setting: Setting, first: Card | None) -> frozenset[int]:  # noqa: ARG002
        burn = setting.options["burn"]
        return frozenset({0, 1}) if burn == "unset" else frozenset({int(burn)})

    def last_round(self, setting: Setting, seen: Round) -> int:  # noqa: ARG002
        return seen.number

    def readings(self, setting: Setting, state: State, event: TableEvent) -> tuple[Reading, ...]:  # noqa: ARG002
        return ((state, None),)

    def found(self, setting: Setting, state: State, event: TableEvent) -> State:  # noqa: ARG002
        return state

    def entered(self, setting: Setting, before: State, after: State, event: TableEvent, number: int) -> State:  # noqa: ARG002
        return books.entered(setting, before, after, event)

    def due(self, setting: Setting, state: State) -> tuple[str, ...]:
        return due_acts.due(setting, state)


def _places(setting: Setting) -> str:
    streets = ", ".join(f"community:{street}" for street in deal_of(setting).streets)
    return f"(box:1 to box:{setting.options['max_boxes']}, {streets}, burn)"
