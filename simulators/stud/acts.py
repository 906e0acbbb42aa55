"""What happens physically at a table of Mississippi stud, one act after the other.

Places are written as in a table log: `box:3`, `community:4`, `burn`. Streets are numbered 3 to 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card
from protocols.events import Street
from simulators.boxes import acts as boxes
from simulators.boxes.acts import Burned, Drawn, Stray


@dataclass(frozen=True, slots=True)
class Shuffled:
    """All cards are shuffled; `by` None where nobody tells by what."""

    by: Literal["hand", "shuffler"] | None


@dataclass(frozen=True, slots=True)
class Cut:
    """The dealer cuts the cards."""


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    """The dealer calls "no more bets", or fails to."""

    made: bool = True


@dataclass(frozen=True, slots=True)
class Boxed:
    """A card is found face up in the deck: it goes to the rack from `place`, or at once where that is `burn`."""

    place: str
    card: Card


@dataclass(frozen=True, slots=True)
class TakenToHand:
    """The dealer takes all cards that are left out of the shoe, to deal from the hand; `told` whether why is known."""

    told: bool = True


@dataclass(frozen=True, slots=True)
class ShoeFaulted:
    """The shoe stops working."""


@dataclass(frozen=True, slots=True)
class ShoeRestored:
    """The shoe works again."""


@dataclass(frozen=True, slots=True)
class StubCounted:
    """The dealer counts the cards that are left."""

    count: int


@dataclass(frozen=True, slots=True)
class StubDiscarded:
    """What is left of the deck goes to the rack; `exposed` whether a card showed, None where nobody tells."""

    exposed: bool | None = False


@dataclass(frozen=True, slots=True)
class Acted:
    """A player bets `multiple` times the ante on a street, or folds; what nobody tells is None."""

    box: int
    action: Literal["bet", "fold"]
    street: Street | None = None
    multiple: int | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """The community card of a street is turned; `told` whether the value is told once more."""

    street: Street
    card: Card
    told: bool = True


Act = (
    boxes.Act
    | Shuffled
    | Cut
    | NoMoreBets
    | Boxed
    | TakenToHand
    | ShoeFaulted
    | ShoeRestored
    | StubCounted
    | StubDiscarded
    | Acted
    | Turned
)
CARD_LEAVES_DECK = Burned | Stray | Boxed | Drawn
