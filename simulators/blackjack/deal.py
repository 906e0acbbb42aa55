"""The first two cards of everybody, in order, or with a place passed over and made good as the texts say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from simulators.acts import Face
from simulators.blackjack.gate import Gate, Steps
from simulators.blackjack.misdeals import Misdeal

_TURNED_OVER: Final[dict[Face, Face]] = {"up": "down", "down": "up"}


@dataclass(frozen=True, slots=True)
class Passed:
    """The places of the deal in the order in which they get their cards; the card number `blamed` (from 0) comes where
    another place was due. `dead` is a box that gets none."""

    places: list[str]
    blamed: int
    dead: str | None = None


class Deal:
    """The deal of one round; `after_first` happens after the dealer's first card."""

    def __init__(self, gate: Gate, after_first: Callable[[], Steps]) -> None:
        self._gate = gate
        self._layout = gate.layout
        self._after_first = after_first

    def steps(self) -> Steps:
        """All cards of the deal."""
        boxes = [f"box:{box}" for box in self._layout.boxes]
        passed = self._passed_over(boxes)
        if passed:
            yield from self._put_right(passed)
            return
        self._layout.due_in_deal = [*boxes, "dealer", *boxes, *self._hole()]
        for place in [*boxes, "dealer"]:
            yield from self._card(place)
        yield from self._after_first()
        self._layout.due_in_deal = [*boxes, *self._hole()]
        for place in list(self._layout.due_in_deal):
            yield from self._card(place)

    def _hole(self) -> list[str]:
        return [] if self._gate.method == "no-hole" else ["dealer"]

    def _card(self, place: str, misdeal: Misdeal | None = None) -> Steps:
        yield from self._gate.draw(place, self._dealers_face() if place == "dealer" else "up", misdeal)

    def _dealers_face(self) -> Face:
        if self._layout.dealer:
            [(_, first)] = self._layout.dealer
            return _TURNED_OVER[first]
        free = self._gate.rules.custom.first_faces == "either" or self._gate.reader_out
        return self._gate.rng.choice(get_args(Face)) if free and self._gate.method != "no-hole" else "up"

    def _passed_over(self, boxes: list[str]) -> Passed | None:
        match self._gate.plan:
            case Misdeal.DEALER_PASSED_OVER:
                return dealer_last(boxes, self._hole())
            case Misdeal.BOX_PASSED_OVER:
                ways = [way for box in boxes for way in box_last(box, boxes, self._hole())]
                return self._gate.rng.choice(ways) if ways else None
        return None

    def _put_right(self, passed: Passed) -> Steps:
        misdeal, self._gate.plan = self._gate.plan, None
        for number, place in enumerate(passed.places):
            yield from self._card(place, misdeal if number == passed.blamed else None)
        if passed.dead:
            self._layout.leave_out(int(passed.dead[4:]))


def dealer_last(boxes: Sequence[str], hole: Sequence[str]) -> Passed:
    """The dealer's first card is missed: he gets his cards after the players have two."""
    return Passed([*boxes, *boxes, "dealer", *hole], len(boxes))


def box_last(box: str, boxes: Sequence[str], hole: Sequence[str]) -> list[Passed]:
    """All ways in which a box is missed and then served last, or dead (procedures 7.4)."""
    others, at = [other for other in boxes if other != box], boxes.index(box)
    ways = []
    if others:
        rest = [*others, "dealer", *others, *hole]
        ways += [Passed([*rest, box, box], at), Passed(rest, at, box)]
    if at < len(others):
        ways.append(Passed([*others, box, "dealer", *boxes, *hole], at))
    if hole or at < len(others):
        ways.append(Passed([*boxes, "dealer", *others, *hole, box], len(boxes) + 1 + at))
    return ways
