"""What stays the same through one log: the procedure, the table's choices and inputs, and the game's own books."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from protocols.cards import Card
from protocols.dealing.model import Procedure
from protocols.dealing.options import OptionValue
from protocols.events import Face, TableEvent

if TYPE_CHECKING:
    from protocols.dealing.rules.finding import Rule
    from protocols.dealing.table import Draw, Round, State


Reading = tuple["State", str | None]
"""How an event may have found the table: with the acts that nobody observed before it, and where its card goes (None:
as the event says)."""


class Game(Protocol):
    """What a family of games adds to the books that all games share."""

    def refuse(self, setting: Setting, state: State, event: TableEvent) -> None:
        """LogError where the event names an act, a place or a number that the game does not have."""

    def begun(self, setting: Setting, state: State) -> State:
        """The state with a new round prepared that is not yet opened."""

    def place_due(self, setting: Setting, state: State, face: Face | None = None) -> str | None:
        """Where the next card goes, given how it lies where that was seen; None where that is not certain."""

    def place_of(self, setting: Setting, state: State, place: str) -> str:
        """The full name of an observed place."""

    def short(self, state: State, place: str) -> str:
        """The place as people write it: without a hand's letter where that goes without saying."""

    def lies_down(self, setting: Setting, state: State, place: str | None, face: Face | None, outside: bool) -> bool:
        """Whether a card that comes now may lie face down, so that its value is nobody's yet."""

    def face_due(self, setting: Setting, state: State, place: str | None) -> Face | None:
        """How the next card has to lie at this place, None where either is right."""

    def stays_down(self, setting: Setting, state: State, draw: Draw) -> bool:
        """Whether a card goes on lying face down although a device now tells its value."""

    def turned_by(self, setting: Setting, state: State, event: TableEvent) -> Draw | None:
        """The one card that this event turns, where the event can tell its value; None for any other event."""

    def burn_counts(self, setting: Setting, first: Card | None) -> frozenset[int]:
        """How many cards may be burned after a load, given the first of them."""

    def last_round(self, setting: Setting, seen: Round) -> int:
        """The last round that may be dealt when the cutting card shows before the next card of `seen`."""

    def readings(self, setting: Setting, state: State, event: TableEvent) -> tuple[Reading, ...]:
        """How the event may be read in this history, the reading that supposes least first; none where
        it cannot have come."""

    def found(self, setting: Setting, state: State, event: TableEvent) -> State:
        """The state as the event finds it: with what is turned that lies open whenever such an event comes."""

    def entered(self, setting: Setting, before: State, after: State, event: TableEvent, number: int) -> State:
        """The state after the event, with the game's own books kept; `after` has the shared ones."""

    def due(self, setting: Setting, state: State) -> tuple[str, ...]:
        """The acts that are right now."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """One rule a code, in the order of precedence."""

    def __hash__(self) -> int:
        """There is one of each family."""


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """One for each log. `options`: every option's value; `observes`: the table's inputs, None: all of them."""

    procedure: Procedure
    options: Mapping[str, OptionValue]
    observes: frozenset[str] | None
    game: Game

    def sees(self, what: str) -> bool:
        """Whether the table has this input."""
        return self.observes is None or what in self.observes
