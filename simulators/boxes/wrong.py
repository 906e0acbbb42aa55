"""A dealer's wrong act, in place of the act that is due."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

A = TypeVar("A")
H = TypeVar("H", bound="Tempting")

Then = Literal["void", "over", "go_on", "instead"]


class Tempting(Protocol):
    """A moment of a game."""

    @property
    def rng(self) -> random.Random: ...


@dataclass(frozen=True, slots=True)
class Wrong(Generic[A]):
    """What is done; the violation shows at the act number `blamed` (default the last), or, with `shown_by`, at the
    first act after them of which that is true.

    After it the round is voided, or over, or it goes on, with the act that was due or with these instead of it."""

    acts: tuple[A, ...]
    then: Then = "void"
    shown_by: Callable[[A], bool] | None = None
    blamed: int = -1

    @property
    def blamed_act(self) -> int | None:
        """Counted from 0; None where none of these acts shows it."""
        return None if self.shown_by else self.blamed % len(self.acts)


Temptation = Callable[[H], Wrong[A] | None]
"""What the dealer does wrongly here; None where the misdeal cannot be done here."""


def any_of(*temptations: Temptation[H, A]) -> Temptation[H, A]:
    """One of the ways in which the misdeal can be done here, each as often."""

    def one(here: H) -> Wrong[A] | None:
        tried = here.rng.sample(temptations, len(temptations))
        return next((wrong for temptation in tried if (wrong := temptation(here))), None)

    return one
