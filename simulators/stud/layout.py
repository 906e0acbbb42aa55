"""What lies where in one round of Mississippi stud, kept up act by act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from protocols.cards import Card
from protocols.events import Street
from simulators.acts import ShoeLoaded
from simulators.boxes.acts import Burned, CardsReplaced, Collected, Drawn, Outcome, RoundOpened, Settled
from simulators.stud.acts import Act, Acted, TakenToHand, Turned
from simulators.stud.hands import outcome
from simulators.stud.rules import Pattern

STREETS: Final[tuple[Street, ...]] = get_args(Street)
BOARD: Final = tuple(f"community:{street}" for street in STREETS)


def served(boxes: Sequence[int], pattern: Pattern) -> list[str]:
    """The places of the deal in order."""
    twice = [*boxes, *boxes] if pattern == "passes" else [box for box in boxes for _ in range(2)]
    return [*(f"box:{box}" for box in twice), *BOARD]


@dataclass(slots=True)
class Layout:
    """One round; `due` are the places of the deal that still wait for a card, `places` those that got one, in order,
    `dead` the boxes that were passed over and are out of the round, `acted` who acted on which street."""

    boxes: tuple[int, ...] = ()
    due: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    passed_over: str | None = None
    cards: dict[str, list[Card]] = field(default_factory=dict)
    dead: set[int] = field(default_factory=set)
    folded: set[int] = field(default_factory=set)
    acted: set[tuple[int, Street]] = field(default_factory=set)
    turned: dict[Street, Card] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    is_open: bool = False
    in_hand: bool = False
    loaded: bool = False
    replaced: bool = False
    burned: int = 0

    @property
    def live(self) -> list[int]:
        """The boxes that are still in the round, in order of play."""
        return [box for box in self.boxes if box not in self.folded | self.dead]

    @property
    def is_dealt(self) -> bool:
        return bool(self.places) and not self.due

    @property
    def players_wait(self) -> bool:
        """Whether a box with a wager still waits for a card."""
        return any(place.startswith("box") for place in self.due)

    def waiting(self, street: Street) -> list[int]:
        """The boxes that have not acted on this street, in order of play."""
        return [box for box in self.live if (box, street) not in self.acted]

    def full(self) -> list[str]:
        """The places that have all their cards; folded hands have no place any more."""
        boxes = [f"box:{box}" for box in self.live if len(self.cards.get(f"box:{box}", ())) == 2]
        return [*boxes, *(place for place in BOARD if place in self.cards)]

    def outcome(self, box: int) -> Outcome:
        """What the cards of a box say, folded or not."""
        return "lose" if box in self.folded else outcome([*self.cards[f"box:{box}"], *self.turned.values()])

    def take(self, act: Act) -> None:
        """The act happens."""
        match act:
            case CardsReplaced():
                self.replaced = True
            case ShoeLoaded():
                self.loaded = True
            case Burned():
                self.burned += 1
            case RoundOpened():
                self.is_open, self.boxes = True, act.boxes
            case Drawn():
                self._card(act)
            case TakenToHand():
                self.in_hand = True
            case _:
                self._take_later(act)

    def _take_later(self, act: Act) -> None:
        match act:
            case Acted(box=box, action="fold"):
                self.folded.add(box)
            case Acted(box=box, street=street):
                self.acted.add((box, street or self._street_of(box)))
            case Turned():
                self.turned[act.street] = act.card
            case Settled():
                self.settled.add(act.box)
            case Collected():
                self.cards.pop(act.place, None)

    def _card(self, act: Drawn) -> None:
        self.places.append(act.to)
        self.cards.setdefault(act.to, []).append(act.card)
        if act.to in self.due:
            self.passed_over = self.due[0] if self.due[0] != act.to else None
            self.due.remove(act.to)

    def _street_of(self, box: int) -> Street:
        return next(street for street in STREETS if (box, street) not in self.acted)
