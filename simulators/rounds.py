"""A round as a dealer deals it, whatever the game."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

A = TypeVar("A", covariant=True)


@dataclass(frozen=True, slots=True)
class Round(Generic[A]):
    """One round with what came before it since the last one; `blamed` is the number, from 0, of the act at which the
    misdeal can be seen, `code` what the check must say there."""

    acts: tuple[A, ...]
    misdeal: Enum | None = None
    blamed: int | None = None
    code: str | None = None
