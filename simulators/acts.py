"""What happens physically at a punto banco table, one act after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from protocols.cards import Card

Side = Literal["player", "banker"]
Face = Literal["up", "down"]
Winner = Literal["player", "banker", "tie"]


@dataclass(frozen=True, slots=True)
class Started:
    """The shoe is switched on."""


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """A full set of shuffled cards goes into the shoe."""

    decks: int


@dataclass(frozen=True, slots=True)
class BurnFirst:
    """The first card, turned face up; its value is the number of cards to burn after it."""

    card: Card


@dataclass(frozen=True, slots=True)
class BurnCounted:
    """One of the cards counted by the first; `left` are still due after it, below 0 where too many are burned."""

    card: Card
    left: int


@dataclass(frozen=True, slots=True)
class CoupOpened:
    """Bets are taken for a new coup."""


@dataclass(frozen=True, slots=True)
class BetsClosed:
    """The dealer calls "no more bets"."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A card leaves the shoe for a hand; `index` counts the hand's cards from 1."""

    side: Side
    index: int
    card: Card
    face: Face


@dataclass(frozen=True, slots=True)
class Carried:
    """The surplus card of the coup before, not seen by anyone, becomes the first card of the player."""

    card: Card


@dataclass(frozen=True, slots=True)
class Turned:
    """The first four cards are turned face up."""


@dataclass(frozen=True, slots=True)
class CuttingCard:
    """The cutting card comes out of the shoe; `at` is the place that the next card goes to, where somebody tells."""

    at: str | None = None


@dataclass(frozen=True, slots=True)
class Surplus:
    """A card leaves the shoe although the coup has all its cards."""

    card: Card


@dataclass(frozen=True, slots=True)
class SurplusShown:
    """The surplus card is turned, and burned."""

    card: Card


@dataclass(frozen=True, slots=True)
class SurplusCleared:
    """The dealer clears the shoe's over-draw error."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A card leaves the shoe for a hand, and cannot be read."""

    side: Side
    index: int


@dataclass(frozen=True, slots=True)
class ErrorBegun:
    """The shoe has an error, by its own number for it, and stops."""

    code: int


@dataclass(frozen=True, slots=True)
class ErrorOver:
    """The dealer clears that error."""

    code: int


@dataclass(frozen=True, slots=True)
class CardBurned:
    """The last card of a hand, drawn in error, is taken away."""

    side: Side


@dataclass(frozen=True, slots=True)
class Result:
    """The shoe tells who won; a pair is made by the first two cards of a hand."""

    winner: Winner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class CoupClosed:
    """The coup is paid and its cards are taken in."""


@dataclass(frozen=True, slots=True)
class StandBy:
    """The shoe is ready for the next coup."""


Act = (
    Started
    | ShoeLoaded
    | BurnFirst
    | BurnCounted
    | CoupOpened
    | BetsClosed
    | Dealt
    | Carried
    | Turned
    | CuttingCard
    | Surplus
    | SurplusShown
    | SurplusCleared
    | CardBurned
    | Result
    | CoupClosed
    | StandBy
)
Trouble = Unread | ErrorBegun | ErrorOver
"""What no dealer does: it comes of a fault of the shoe."""

CARD_LEAVES_SHOE = BurnFirst | BurnCounted | Dealt | Surplus
