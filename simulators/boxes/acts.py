"""What happens physically at a table with boxes, whatever the game, one act after the other.

Places are written as in a table log: `box:3`, `box:3/b`, `community:4`, `dealer`, `burn`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card
from simulators.acts import Face, ShoeLoaded

Outcome = Literal["win", "natural", "push", "lose", "surrender"]
PeekResult = Literal["natural", "no_natural", "error"]


@dataclass(frozen=True, slots=True)
class DealerChanged:
    """Another dealer takes over."""


@dataclass(frozen=True, slots=True)
class CardsReplaced:
    """A manager has other cards brought in."""


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
class InsuranceOpened:
    """Insurance is offered."""


@dataclass(frozen=True, slots=True)
class Peeked:
    """The corners of the dealer's two cards go into the reader, which tells this."""

    result: PeekResult


@dataclass(frozen=True, slots=True)
class MethodSelected:
    """A supervisor says by which procedure's method the table deals without its reader."""

    procedure: str


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
    | DealerChanged
    | CardsReplaced
    | Burned
    | Stray
    | RoundOpened
    | WagerChanged
    | Drawn
    | InsuranceOpened
    | Peeked
    | MethodSelected
    | TakenAway
    | Settled
    | Collected
    | RoundClosed
    | RoundVoided
)
