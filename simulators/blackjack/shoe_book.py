"""What the dealer keeps in mind of the shoe: cards that are out, burns due, where the cutting card showed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from protocols.cards import Card
from simulators.acts import ShoeLoaded
from simulators.blackjack.acts import Act, Boxed, HoleTurned, Shuffled
from simulators.blackjack.rules import BlackjackRules
from simulators.boxes.acts import (
    Burned,
    DealerChanged,
    Drawn,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    Stray,
    WagerChanged,
)


@dataclass(slots=True)
class ShoeBook:
    """`rack` holds the discards, `table` what left the shoe in this round, `seen` counts the open cards of this shoe.

    `cut_at` is the place for which a card was drawn when the cutting card showed, `seated` the boxes of the last
    round, () where it is not certain. `new_dealers`: so many came since the last burn. `spoiled`: the
    cards cannot be dealt from any more."""

    rack: list[Card] = field(default_factory=list)
    table: list[Card] = field(default_factory=list)
    seen: Counter[Card] = field(default_factory=Counter)
    loads: int = 0
    loaded: bool = False
    new_dealers: int = 0
    burned: int = 0
    owing: bool = False
    cut_at: str | None = None
    seated: tuple[int, ...] = ()
    spoiled: bool = False

    def fewest_burns(self, rules: BlackjackRules) -> int:
        """One burn serves a fresh shoe and a new dealer."""
        of_shoe = rules.least_burned if self.loaded else 0
        return max(of_shoe, rules.new_dealer_burns if self.new_dealers else 0)

    def most_burns(self, rules: BlackjackRules) -> int:
        """The shoe's burns and the new dealer's."""
        of_shoe = rules.most_burned if self.loaded else 0
        return of_shoe + (rules.new_dealer_burns if self.new_dealers else 0)

    def missing_somewhere(self, decks: int) -> list[Card]:
        """The cards that cannot be in the shoe any more, for all of them were seen."""
        return [card for card, count in self.seen.items() if count >= decks]

    def begin_to_deal(self, rules: BlackjackRules) -> None:
        """The first card of a round: what was not burned till now is owed."""
        self.owing = self.owing or self.burned < self.fewest_burns(rules)
        self.loaded = False
        self.new_dealers = self.burned = 0

    def take(self, act: Act) -> None:
        """The act happens."""
        match act:
            case ShoeLoaded():
                self._load()
            case DealerChanged():
                self.loaded = self.loaded and not self.burned
                self.new_dealers, self.burned = 1 if self.burned else self.new_dealers + 1, 0
            case Burned():
                self.burned += 1
                self.rack.append(act.card)
            case Boxed() | Stray():
                self.table.append(act.card)
            case Drawn():
                self.table.append(act.card)
                self.seen[act.card] += act.face == "up"
            case HoleTurned():
                self.seen[act.card] += 1
            case _:
                self._take_later(act)

    def _take_later(self, act: Act) -> None:
        match act:
            case RoundOpened():
                self.seated = act.boxes
            case WagerChanged():
                self.seated = ()
            case RoundClosed() | RoundVoided():
                self.rack += self.table
                self.table = []
            case Shuffled():
                self.rack = [] if act.cards == "discards" else self.rack
                self.seen.clear()

    def _load(self) -> None:
        self.rack, self.table, self.cut_at = [], [], None
        self.seen.clear()
        self.loads += 1
        self.loaded, self.burned = True, 0
        self.owing = self.spoiled = False
