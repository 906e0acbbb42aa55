"""A round of stud: who is in, how far each box has bet, which community cards are turned.

Cards lie in the round's draws. Streets are counted from 0: on street n a box bets with n community cards turned."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.dealing.frozen import replace


@dataclass(frozen=True)
class Box:
    """One box with a wager. `acted`: streets that it has bet on; `result`: what it was settled as, where told."""

    number: int
    acted: int = 0
    folded: bool = False
    settled: bool = False
    result: str | None = None

    @property
    def place(self) -> str:
        return f"box:{self.number}"


@dataclass(frozen=True)
class Stud:
    """What was done in the round. `turned`: the streets of the community cards that were turned; `in_hand`: the cards
    were taken out of the shoe; `void`: the shoe failed where no procedure can go on."""

    boxes: tuple[Box, ...] = ()
    turned: frozenset[int] = frozenset()
    in_hand: bool = False
    void: bool = False
    discarded: bool = False

    @property
    def street(self) -> int:
        """The street that is being bet on."""
        return len(self.turned)

    @property
    def acted(self) -> bool:
        """Whether any box has bet or folded."""
        return any(box.acted or box.folded for box in self.boxes)

    def box(self, number: int) -> Box | None:
        return next((box for box in self.boxes if box.number == number), None)

    def with_box(self, changed: Box) -> Stud:
        """The round with this box in place of the one of the same number."""
        boxes = tuple(changed if box.number == changed.number else box for box in self.boxes)
        return replace(self, boxes=boxes)
