"""What people said of the next card, kept until the shoe gives it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from protocols.dealing.check import Check
from protocols.errors import LogError
from protocols.events import CardDrawn
from protocols.records import Fact, NextCard


@dataclass(frozen=True, slots=True)
class Told:
    """A `next`, and the round of the epoch in which it was said; with the end of that round it loses its sense."""

    card: NextCard
    round: int


class Pending:
    """At most one `next`: a newer one takes the place of one that never met its card."""

    def __init__(self, told: Told | None = None) -> None:
        self._told = told

    def tell(self, told: Told) -> None:
        """What a person says of the next card."""
        self._told = told

    def used_up(self) -> None:
        """The next card has come, and all of it was told."""
        self._told = None

    def meet(self, fact: Fact, check: Check, round_number: int) -> tuple[Fact, NextCard | None]:
        """The fact with what was told of it, if anything was. `check`, `round_number`: what the fact comes to."""
        told = self._told
        if told is None or not _comes_from_shoe(fact):
            return fact, None
        added = {name: value for name, value in _said(told.card).items() if getattr(fact, name) is None}
        if told.round == round_number and not added:
            return fact, None
        self._told = None
        merged = fact.model_copy(update=added)
        if told.round != round_number or not _possible(merged, check):
            return fact, None
        return merged, told.card


def _said(card: NextCard) -> dict[str, str]:
    return {name: value for name, value in (("to", card.to), ("face", card.face)) if value is not None}


def _comes_from_shoe(fact: Fact) -> TypeGuard[CardDrawn]:
    """Whether it is a card for the table that a device tells of."""
    return isinstance(fact, CardDrawn) and not fact.outside and not fact.manual


def _possible(merged: CardDrawn, check: Check) -> bool:
    """Whether the procedure still has the place."""
    try:
        check.step(merged)
    except LogError:
        return False
    return True
