"""What happens physically at a blackjack table, one act after the other.

Places are written as in a table log: `box:3`, `box:3/b`, `dealer`, `burn`. A hand has a letter once its box is
split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card
from simulators.acts import CuttingCard
from simulators.boxes import acts as boxes
from simulators.boxes.acts import Burned, Drawn, Stray

Action = Literal["hit", "stand", "double", "surrender", "split", "insure"]
Procedure = Literal["sl", "nd-card-reader", "nd-no-peek", "nd-no-hole", "nz", "fr", "pa", "us-card-reader"]
Method = Literal["peek", "no-peek", "no-hole"]
Call = Literal["no_more_bets", "upcard", "total"]
Trouble = Literal["dead", "stalled", "light", "unreadable", "not_seated"]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """All cards, or those of the discard rack, are shuffled by hand."""

    cards: Literal["all", "discards"] = "all"


@dataclass(frozen=True, slots=True)
class Cut:
    """The cards are cut `by` a box (`box:3`), the dealer or a supervisor, after the boxes `unwilling` did not want to.

    `claim` is the box that is asked first, None where it may be anyone; `unwilling` None is not told, nor `occupied`,
    the boxes with a player, where not `tells_occupied`."""

    by: str
    unwilling: tuple[int, ...] | None
    occupied: tuple[int, ...]
    claim: int | None = None
    tells_occupied: bool = True


@dataclass(frozen=True, slots=True)
class CutCardPlaced:
    """The cutting card goes in, `decks_from_back` decks before the last card; `directed` by a manager, and
    `inspector_notified` of that or not, None where nobody says."""

    decks_from_back: float
    decks: int
    directed: bool = False
    inspector_notified: bool | None = None


@dataclass(frozen=True, slots=True)
class ShoeEmptied:
    """The last card has left the shoe in the middle of a round."""


@dataclass(frozen=True, slots=True)
class Boxed:
    """A card is found face up in the shoe, and burned."""

    card: Card


@dataclass(frozen=True, slots=True)
class Called:
    """The dealer tells the table something, a total with its `box`, or fails to."""

    call: Call
    box: int | None = None
    made: bool = True


@dataclass(frozen=True, slots=True)
class InsuranceClosed:
    """No more insurance."""


@dataclass(frozen=True, slots=True)
class Acted:
    """A player's signal or choice, for a hand where the box is split."""

    box: int
    action: Action
    hand: str | None = None


@dataclass(frozen=True, slots=True)
class ReaderFailed:
    """The reader is out of order from here on."""

    trouble: Trouble


@dataclass(frozen=True, slots=True)
class ReaderRestored:
    """A supervisor puts the repaired reader back into use."""


@dataclass(frozen=True, slots=True)
class HoleLooked:
    """The dealer looks at the hole card without the reader."""


@dataclass(frozen=True, slots=True)
class HoleTurned:
    """The hole card is turned face up."""

    card: Card


Act = (
    boxes.Act
    | CuttingCard
    | Shuffled
    | Cut
    | CutCardPlaced
    | ShoeEmptied
    | Boxed
    | Called
    | InsuranceClosed
    | Acted
    | ReaderFailed
    | ReaderRestored
    | HoleLooked
    | HoleTurned
)
CARD_LEAVES_SHOE = Boxed | Burned | Drawn | Stray
