"""What happens physically at a blackjack table, one act after the other, and who makes it known.

Places are written as in a table log: `box:3`, `box:3/b`, `dealer`, `burn`. A hand has a letter once its box is
split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card
from simulators.acts import CuttingCard, Face, ShoeLoaded

Action = Literal["hit", "stand", "double", "surrender", "split", "insure"]
Outcome = Literal["win", "natural", "push", "lose", "surrender"]
PeekResult = Literal["natural", "no_natural", "error"]
Procedure = Literal["sl", "nd-card-reader", "nd-no-peek", "nd-no-hole", "nz", "fr", "pa", "us-card-reader"]
Method = Literal["peek", "no-peek", "no-hole"]
Call = Literal["no_more_bets", "upcard", "total"]
Trouble = Literal["dead", "stalled", "light", "unreadable", "not_seated"]
Teller = Literal["shoe", "reader", "dealer", "supervisor"]


@dataclass(frozen=True, slots=True)
class DealerChanged:
    """Another dealer takes over."""


@dataclass(frozen=True, slots=True)
class CardsReplaced:
    """A manager has other cards brought in."""


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
    `inspector_notified` of that."""

    decks_from_back: float
    decks: int
    directed: bool = False
    inspector_notified: bool = False


@dataclass(frozen=True, slots=True)
class ShoeEmptied:
    """The last card has left the shoe in the middle of a round."""


@dataclass(frozen=True, slots=True)
class Boxed:
    """A card is found face up in the shoe, and burned."""

    card: Card


@dataclass(frozen=True, slots=True)
class Burned:
    """A card goes from the shoe to the discards, unseen."""

    card: Card


@dataclass(frozen=True, slots=True)
class Stray:
    """A card leaves the shoe while no round is open; the shoe flags it."""

    card: Card


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """Wagers are made on these boxes, in order."""

    boxes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WagerChanged:
    """A wager is made or raised after the round was opened."""

    box: int
    change: Literal["made", "raised", "taken_back"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card leaves the shoe for a place."""

    to: str
    card: Card
    face: Face = "up"


@dataclass(frozen=True, slots=True)
class Called:
    """The dealer tells the table something, a total with its `box`, or fails to."""

    call: Call
    box: int | None = None
    made: bool = True


@dataclass(frozen=True, slots=True)
class InsuranceOpened:
    """Insurance is offered."""


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
class Peeked:
    """The corners of the dealer's two cards go into the reader, which tells this."""

    result: PeekResult


@dataclass(frozen=True, slots=True)
class ReaderFailed:
    """The reader is out of order from here on."""

    trouble: Trouble


@dataclass(frozen=True, slots=True)
class ReaderRestored:
    """A supervisor puts the repaired reader back into use."""


@dataclass(frozen=True, slots=True)
class MethodSelected:
    """A supervisor says by which procedure's method the table deals without its reader."""

    procedure: Procedure


@dataclass(frozen=True, slots=True)
class HoleLooked:
    """The dealer looks at the hole card without the reader."""


@dataclass(frozen=True, slots=True)
class HoleTurned:
    """The hole card is turned face up."""

    card: Card


@dataclass(frozen=True, slots=True)
class TakenAway:
    """The last card of a place, drawn in error, goes to the discards."""

    place: str


@dataclass(frozen=True, slots=True)
class Settled:
    """A hand is paid or taken."""

    box: int
    result: Outcome
    hand: str | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """The cards of a box or of the dealer go to the discards."""

    place: str


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """The round is over."""


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """A supervisor ends the round; wagers go back."""

    reason: str


Act = (
    ShoeLoaded
    | CuttingCard
    | DealerChanged
    | CardsReplaced
    | Shuffled
    | Cut
    | CutCardPlaced
    | ShoeEmptied
    | Boxed
    | Burned
    | Stray
    | RoundOpened
    | WagerChanged
    | Drawn
    | Called
    | InsuranceOpened
    | InsuranceClosed
    | Acted
    | Peeked
    | ReaderFailed
    | ReaderRestored
    | MethodSelected
    | HoleLooked
    | HoleTurned
    | TakenAway
    | Settled
    | Collected
    | RoundClosed
    | RoundVoided
)
CARD_LEAVES_SHOE = Boxed | Burned | Drawn | Stray


def teller(act: Act) -> Teller:
    """Who makes the act known: a device by itself, or a person at the panel."""
    match act:
        case ShoeLoaded() | ShoeEmptied() | CuttingCard() | Boxed() | Burned() | Stray() | Drawn():
            return "shoe"
        case Peeked() | ReaderFailed():
            return "reader"
        case CardsReplaced() | DealerChanged() | ReaderRestored() | MethodSelected() | RoundVoided():
            return "supervisor"
        case _:
            return "dealer"
