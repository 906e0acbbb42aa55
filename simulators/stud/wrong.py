"""The dealer's wrong acts, one function a misdeal: what is done here instead of the act that is due."""

from __future__ import annotations

import random
from dataclasses import dataclass

from simulators.acts import Face
from simulators.boxes import wrong
from simulators.boxes.acts import Drawn, RoundOpened
from simulators.boxes.wrong import Then
from simulators.stock import Stock
from simulators.stud.acts import Act, Acted, Boxed, NoMoreBets, Turned
from simulators.stud.book import Book
from simulators.stud.layout import Layout
from simulators.stud.rules import StudRules


class Wrong(wrong.Wrong[Act]):
    """A wrong act of this game."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Here:
    """The moment before `due`; `boxes` are those that get cards in this round, `may_void` says whether the round may
    end before its time."""

    rules: StudRules
    layout: Layout
    book: Book
    due: Act
    stock: Stock
    rng: random.Random
    boxes: tuple[int, ...]
    may_void: bool

    def card(self, place: str, face: Face = "down") -> Drawn:
        """The next card goes there."""
        return Drawn(place, self.stock.draw(), face)

    def first_card(self) -> tuple[Act, ...]:
        """The round is opened and its first card dealt."""
        return RoundOpened(self.boxes), NoMoreBets(), self.card(f"box:{self.boxes[0]}")

    def maybe(self, *acts: Act, then: Then = "go_on") -> Wrong:
        """These acts, after which the round is voided or goes on, as it happens."""
        return Wrong(acts, "void" if self.may_void and self.rng.random() < 0.5 else then)

    @property
    def in_round(self) -> bool:
        """Whether the first card is out and the round goes on with a card, a bet or a card to turn."""
        return bool(self.layout.places) and isinstance(self.due, Drawn | Acted | Turned)


Temptation = wrong.Temptation[Here, Act]


def first_card(act: Act) -> bool:
    """Whether a hand gets this card, or would get it if it did not lie face up in the deck."""
    return isinstance(act, Drawn | Boxed)
