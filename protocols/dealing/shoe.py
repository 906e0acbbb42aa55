"""The rules' view of the shoe, the same for every game: burn, cutting card, stock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from protocols.dealing.frozen import derived, replace
from protocols.dealing.stock import Stock


@dataclass(frozen=True)
class Burn:
    """The burn after a load. `counts`: how many cards may be burned in all, empty where none is due.

    `burned` so far; `first`: event number of the first of them; `in_round`: the shoe was loaded into an open round;
    `passed`: a card went to a hand since; `told`: a burn that was missing or late was reported already;
    `miscounted`: its number was; `unknown`: it may have happened unseen; `allowed`: one more card may be burned,
    for the discards were shuffled in mid-round; `new_dealer`: a dealer who has to burn came since the last burn,
    `next_round`: he came in a round and burns before the next one."""

    counts: frozenset[int] = frozenset()
    burned: int = 0
    first: int | None = None
    in_round: bool = False
    passed: bool = False
    told: bool = False
    miscounted: bool = False
    unknown: bool = False
    allowed: bool = False
    new_dealer: bool = False
    next_round: bool = False

    @derived("counts")
    def several(self) -> bool:
        """Whether more than one card is due."""
        return min(self.counts, default=0) > 1

    @derived("counts")
    def most(self) -> int:
        return max(self.counts, default=0)

    @derived("counts", "burned", "passed")
    def wanted(self) -> bool:
        """Whether one more burn card may be right now."""
        return self.burned < self.most and not self.passed

    @property
    def sufficient(self) -> bool:
        """Whether as many cards are burned as may be right."""
        return not self.counts or self.burned in self.counts

    @property
    def owed(self) -> bool:
        """Whether a card has to be burned before any goes to a hand, also where it is late by now."""
        return self.wanted and not (self.sufficient or self.unknown)

    def with_new_dealer(self, counts: frozenset[int]) -> Burn:
        """The burn now that a dealer came who burns so many cards; what is still to burn may be burned with his, or
        besides. A burn before him counts for nothing that he owes."""
        if counts <= {0}:
            return self
        left = self._left()
        kept = self.burned if min(left) > 0 else 0
        both = frozenset(
            kept + count for old in left for new in counts for count in range(max(old, new), old + new + 1)
        )
        return Burn(both, kept, first=self.first if kept else None, in_round=self.in_round, new_dealer=True)

    def _left(self) -> frozenset[int]:
        """How many more cards may be burned."""
        left = frozenset() if self.passed else frozenset(count - self.burned for count in self.counts)
        nothing = self.unknown or not any(count >= 0 for count in left)
        return frozenset(count for count in left if count >= 0) | (frozenset({0}) if nothing else frozenset())

    def loaded(self, counts: frozenset[int], dealers: frozenset[int], *, in_round: bool) -> Burn:
        """The burn of so many cards after a load, with that of `dealers` cards by a new dealer who has not burned."""
        of_shoe = Burn(counts, in_round=in_round)
        return of_shoe.with_new_dealer(dealers) if self.new_dealer or self.next_round else of_shoe


@dataclass(frozen=True)
class CuttingCard:
    """`shown`: it showed and the next card tells in which round; `last_round`: no round after this one."""

    shown: bool = False
    last_round: int | None = None


@dataclass(frozen=True)
class Shuffle:
    """`done`: since the last round, None where nobody can say; `by`: by whom."""

    done: bool | None = None
    by: Literal["hand", "shuffler"] | None = None


@dataclass(frozen=True)
class Stub:
    """What is left of a deck after the deal. `rounds`: begun since it was last counted; `certain`: no others were.

    `unseen`: cards may have left the deck since it was complete."""

    rounds: int = 0
    certain: bool = False
    unseen: bool = False


@dataclass(frozen=True)
class Shoe:
    """The shoe as far as it was seen; `emptied`: it ran out and was not filled since.

    `placed`: the number of decks told with the cutting card, for cards that may not be in the shoe yet; `behind`: how
    many cards lie behind it as it was placed, None where nobody said; `counted`: every card since the shoe was full
    was seen."""

    decks: int
    placed: int | None = None
    behind: int | None = None
    counted: bool = False
    burn: Burn = field(default_factory=Burn)
    cutting_card: CuttingCard = field(default_factory=CuttingCard)
    stock: Stock = field(default_factory=Stock)
    faulted: bool = False
    emptied: bool = False
    shuffle: Shuffle = field(default_factory=Shuffle)
    stub: Stub = field(default_factory=Stub)

    def loaded(self, decks: int, burn: Burn) -> Shoe:
        """A full set goes in: stock, cutting card and burn begin anew."""
        behind = self.behind if self.placed is not None else None
        stub = replace(self.stub, unseen=False)
        return Shoe(
            decks, behind=behind, counted=True, burn=burn, faulted=self.faulted, shuffle=self.shuffle, stub=stub
        )

    def missed(self, cards: int) -> Shoe:
        """Something went unseen: cards, a burn that was due, an error that was cleared."""
        burn = replace(self.burn, unknown=True)
        return replace(self, burn=burn, stock=self.stock.draw(cards), counted=False, faulted=False)
