"""The rules' view of the shoe, the same for every game: burn, cutting card, stock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from protocols.dealing.stock import Stock


@dataclass(frozen=True, slots=True)
class Burn:
    """The burn after a load. `counts`: how many cards may be burned in all, empty where none is due.

    `burned` so far; `first`: event number of the first of them; `in_round`: the shoe was loaded into an open round;
    `passed`: a card went to a hand since; `told`: a burn that was missing or late was reported already;
    `miscounted`: its number was; `unknown`: it may have happened unseen; `allowed`: one more card may be burned,
    for the discards were shuffled in mid-round."""

    counts: frozenset[int] = frozenset()
    burned: int = 0
    first: int | None = None
    in_round: bool = False
    passed: bool = False
    told: bool = False
    miscounted: bool = False
    unknown: bool = False
    allowed: bool = False

    @property
    def most(self) -> int:
        return max(self.counts, default=0)

    @property
    def wanted(self) -> bool:
        """Whether one more burn card may be right now."""
        return self.burned < self.most and not self.passed

    @property
    def sufficient(self) -> bool:
        """Whether as many cards are burned as may be right."""
        return not self.counts or self.burned in self.counts


@dataclass(frozen=True, slots=True)
class CuttingCard:
    """`shown`: it showed and the next card tells in which round; `last_round`: no round after this one."""

    shown: bool = False
    last_round: int | None = None


@dataclass(frozen=True, slots=True)
class Shuffle:
    """`done`: since the last round, None where nobody can say; `by`: by whom."""

    done: bool | None = None
    by: Literal["hand", "shuffler"] | None = None


@dataclass(frozen=True, slots=True)
class Stub:
    """What is left of a deck after the deal. `rounds`: begun since it was last counted; `certain`: no others were.

    `unseen`: cards may have left the deck since it was complete."""

    rounds: int = 0
    certain: bool = False
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class Shoe:
    """The shoe as far as it was seen; `emptied`: it ran out and was not filled since.

    `placed`: the number of decks told with the cutting card, for cards that may not be in the shoe yet."""

    decks: int
    placed: int | None = None
    burn: Burn = field(default_factory=Burn)
    cutting_card: CuttingCard = field(default_factory=CuttingCard)
    stock: Stock = field(default_factory=Stock)
    faulted: bool = False
    emptied: bool = False
    shuffle: Shuffle = field(default_factory=Shuffle)
    stub: Stub = field(default_factory=Stub)

    def loaded(self, decks: int, burn: Burn) -> Shoe:
        """A full set goes in: stock, cutting card and burn begin anew."""
        stub = replace(self.stub, unseen=False)
        return Shoe(decks, burn=burn, faulted=self.faulted, shuffle=self.shuffle, stub=stub)

    def missed(self, cards: int) -> Shoe:
        """Something went unseen: cards, a burn that was due."""
        return replace(self, burn=replace(self.burn, unknown=True), stock=self.stock.draw(cards))
