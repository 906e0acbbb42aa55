"""The dealer's wrong acts, one function a misdeal: what is done here instead of the act that is due."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from simulators.acts import Face
from simulators.stock import Stock
from simulators.stud.acts import Act, Acted, Boxed, Drawn, NoMoreBets, RoundOpened, Turned
from simulators.stud.book import Book
from simulators.stud.layout import Layout
from simulators.stud.rules import StudRules

Then = Literal["void", "over", "go_on", "instead"]
ShownBy = Callable[[Act], bool]


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


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is done; the violation shows at the last of the acts, or, with `shown_by`, at the first act after them of
    which that is true.

    After it the round is voided, or over, or it goes on, with the act that was due or with these instead of it."""

    acts: tuple[Act, ...]
    then: Then = "void"
    shown_by: ShownBy | None = None


Temptation = Callable[[Here], Wrong | None]
"""What the dealer does wrongly here; None where the misdeal cannot be done here."""


def first_card(act: Act) -> bool:
    """Whether a hand gets this card, or would get it if it did not lie face up in the deck."""
    return isinstance(act, Drawn | Boxed)


def any_of(*temptations: Temptation) -> Temptation:
    """One of the ways in which the misdeal can be done here, each as often."""

    def one(here: Here) -> Wrong | None:
        tried = here.rng.sample(temptations, len(temptations))
        return next((wrong for temptation in tried if (wrong := temptation(here))), None)

    return one
