"""A round of blackjack: whose hands there are, what was signalled, how far the dealer is.

Cards lie in the round's draws; a hand's cards are those at its place. Hands stand in the order of play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from protocols.dealing.frozen import derived, replace
from protocols.dealing.model import DealerFaces, Method
from protocols.events import PeekField, PeekResult, told_by_peek
from protocols.hidden import Hidden

Signal = Literal["hit", "stand", "double", "surrender"]


@dataclass(frozen=True)
class Hand:
    """One hand of a box. `signal`: given and not yet served by a card beyond the second; `stood`: in its turn;
    `stood_early`: before it.

    `doubled`: cards in the hand when the last double was signalled; `void`: the signal is not offered for this hand,
    None where that hangs on a card that is not known; `split`: it comes from a split, `aces`: of aces, None where its
    cards were not read; `called`: cards in the hand when its total was last called."""

    box: int
    letter: str = "a"
    signal: Signal | None = None
    stood: bool = False
    stood_early: bool = False
    doubled: int | None = None
    void: bool | None = False
    split: bool = False
    aces: bool | None = False
    surrendered: bool = False
    settled: bool = False
    collected: bool = False
    called: int = 0

    @derived("box", "letter")
    def place(self) -> str:
        return f"box:{self.box}/{self.letter}"


@dataclass(frozen=True)
class Play:
    """What was done in the round. `faces`: how the dealer's cards of the deal lie, None: as the procedure says;
    `boxes`: those with a wager, None where that is not observed.

    `acted`: a player's signal or card of play came; `insurance`: open, closed or None; `peeks`: their results, Hidden
    while they are withheld, None where they are not known; `card_since_peek`, `act_since_peek`: a card, any act came
    after the last one; `hole_up`: the hole card was turned; `shows_natural`: whether the dealer's cards that lie open
    do, None while that is not decided; `upcard_called`: None where nothing was said of the call; `totals_missed`: the
    boxes of which a total was told not to be called, 0 for one that was not named."""

    method: Method = "no-hole"
    faces: DealerFaces | None = None
    boxes: tuple[int, ...] | None = None
    hands: tuple[Hand, ...] = ()
    acted: bool = False
    insurance: Literal["open", "closed"] | None = None
    peeks: tuple[PeekField | None, ...] = ()
    card_since_peek: bool = False
    act_since_peek: bool = False
    hole_up: bool = False
    shows_natural: bool | None = None
    upcard_called: bool | None = None
    totals_missed: frozenset[int] = frozenset()

    @property
    def withholds_peek(self) -> bool:
        """Whether nobody but the dealer knows yet what the reader told."""
        return bool(self.peeks) and not self.act_since_peek

    @property
    def results(self) -> tuple[PeekResult | None, ...]:
        """What the reader told in each peek."""
        return tuple(map(told_by_peek, self.peeks))

    @property
    def dealer_natural(self) -> bool:
        """Whether the dealer has a natural: turned, else as the reader told."""
        return "natural" in self.results if self.shows_natural is None else self.shows_natural

    def as_seen(self) -> Play:
        """The play as everybody at the table knows it."""
        if not self.withholds_peek:
            return replace(self, peeks=self.results) if any(isinstance(peek, Hidden) for peek in self.peeks) else self
        return replace(self, method="peek", peeks=(None,) * len(self.peeks))

    @derived("hands")
    def at(self) -> Mapping[str, Hand]:
        """The hands by place."""
        return {hand.place: hand for hand in self.hands}

    @derived("hands")
    def order(self) -> Mapping[str, int]:
        """How many hands stand before each, by its place."""
        return {hand.place: index for index, hand in enumerate(self.hands)}

    def hand(self, box: int, letter: str) -> Hand | None:
        return next((hand for hand in self.hands if (hand.box, hand.letter) == (box, letter)), None)

    def of_box(self, box: int) -> tuple[Hand, ...]:
        return tuple([hand for hand in self.hands if hand.box == box])

    def with_hand(self, changed: Hand) -> Play:
        """The play with this hand in place of the one of the same box and letter."""
        place = changed.place
        return replace(self, hands=tuple([changed if hand.place == place else hand for hand in self.hands]))

    def with_split(self, parent: Hand, new: Hand) -> Play:
        """The play with `new` just right of the hand that it came from."""
        index = self.hands.index(parent)
        return replace(self, hands=(*self.hands[: index + 1], new, *self.hands[index + 1 :]))


@dataclass(frozen=True)
class Reader:
    """The hole-card reader of the table: `faulted` until restored, `selected` the method chosen meanwhile."""

    faulted: bool = False
    selected: Method | None = None
