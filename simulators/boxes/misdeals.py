"""What is the same in the misdeals of every game: the code that the check must say, and who can tell them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import TypeVar

from protocols.events import Observed


class Fault(Enum):
    """One named misdeal of a game."""

    @property
    def code(self) -> str:
        """What the check must say: the value, where a game does not say otherwise."""
        return str(self.value)


F = TypeVar("F", bound=Fault)


def named(misdeals: Collection[F]) -> list[F]:
    """In the order in which the game lists them, so that a seed always picks the same."""
    return [misdeal for kind in {type(each) for each in misdeals} for misdeal in kind if misdeal in misdeals]


def told(needs: Mapping[F, frozenset[str]], observes: Collection[Observed] | None) -> frozenset[F]:
    """The misdeals that a table with these inputs (None: all) can tell; `needs` are those without which it cannot."""
    return frozenset(each for each, inputs in needs.items() if observes is None or inputs <= frozenset(observes))
