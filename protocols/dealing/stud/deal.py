"""The deal of stud: where the next card goes, by each pattern in which the cards may be dealt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Pattern = Literal["pairs", "passes"]
PATTERNS: Final[Mapping[str, tuple[Pattern, ...]]] = {
    "pairs": ("pairs",),
    "passes": ("passes",),
    "either": ("pairs", "passes"),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a round is dealt: so many cards to each box, then one to each community place.

    `certain`: the boxes are those with a wager; else they are all that may have one."""

    boxes: tuple[int, ...]
    certain: bool
    cards: int
    community: tuple[str, ...]

    def full(self, place: str) -> int | None:
        """How many cards the place gets, None where it gets none."""
        if place in self.community:
            return 1
        return self.cards if place in map(_place, self.boxes) else None


@dataclass(frozen=True, slots=True)
class Layout:
    """The cards as they lie by one pattern. `due`: the places that the next may go to, empty once the deal is over;
    `missing`: those that lack a card and were not passed over; `orderly`: how many cards came in order."""

    due: tuple[str, ...]
    missing: tuple[str, ...]
    orderly: int


@lru_cache(maxsize=1 << 14)
def layouts(patterns: tuple[Pattern, ...], shape: Shape, places: tuple[str | None, ...]) -> tuple[Layout, ...]:
    """The layouts by the patterns that these places, None where not observed, keep to longest."""
    found = [_lay(pattern, shape, places) for pattern in patterns]
    best = max(layout.orderly for layout in found)
    return tuple(layout for layout in found if layout.orderly == best)


def _lay(pattern: Pattern, shape: Shape, places: tuple[str | None, ...]) -> Layout:
    counts: Counter[str] = Counter()
    passed: set[str] = set()
    orderly = len(places)
    for number, observed in enumerate(places):
        due = _due(pattern, shape, counts)
        place = observed or (due[0] if len(due) == 1 else None)
        if place is None:
            continue
        if place not in due and counts[place] < (shape.full(place) or 0):
            passed |= {*due, *_passed_over(pattern, shape, counts, place)}
            orderly = min(orderly, number)
        counts[place] += 1
    missing = tuple(place for place in _lacking(shape, counts) if place not in passed)
    return Layout(_due(pattern, shape, counts), missing, orderly)


def _passed_over(pattern: Pattern, shape: Shape, counts: Counter[str], place: str) -> Iterator[str]:
    """The places that lack a card although this one comes after them."""
    order = (*map(_place, shape.boxes), *shape.community)
    for earlier in order[: order.index(place)]:
        same_pass = pattern == "passes" and place not in shape.community
        if counts[earlier] < (counts[place] + 1 if same_pass else shape.full(earlier) or 0):
            yield earlier


def _lacking(shape: Shape, counts: Counter[str]) -> Iterator[str]:
    for box in map(_place, shape.boxes):
        if counts[box] < shape.cards and (shape.certain or counts[box]):
            yield box
    yield from (place for place in shape.community if not counts[place])


def _due(pattern: Pattern, shape: Shape, counts: Counter[str]) -> tuple[str, ...]:
    """The places that the next card may go to; a box that got no card in its turn may be served last or not at all."""
    held = {box: counts[_place(box)] for box in shape.boxes}
    last = max((box for box in held if held[box]), default=0)
    after = [box for box in shape.boxes if box > last]
    open_deal = not any(counts[place] for place in shape.community)
    boxes, done = (_pairs if pattern == "pairs" else _passes)(shape, held, after if open_deal else [])
    if not done:
        return tuple(map(_place, boxes))
    missed = [box for box in shape.boxes if shape.certain and not held[box] and box not in boxes]
    community = [place for place in shape.community if not counts[place]]
    return (*map(_place, (*boxes, *missed)), *community[:1])


def _pairs(shape: Shape, held: dict[int, int], after: list[int]) -> tuple[list[int], bool]:
    """The boxes that may be next, and whether the community cards may be."""
    begun = [box for box, count in held.items() if 0 < count < shape.cards]
    if begun:
        return begun[:1], False
    if shape.certain:
        return after[:1], not after
    return after, any(held.values())


def _passes(shape: Shape, held: dict[int, int], after: list[int]) -> tuple[list[int], bool]:
    """The boxes that may be next, and whether the community cards may be."""
    most = max(held.values(), default=0)
    if most <= 1 and after and (shape.certain or not most):
        return (after[:1] if shape.certain else after), False
    behind = [box for box, count in held.items() if 0 < count < most]
    if behind:
        served = max(box for box, count in held.items() if count == most)
        return [box for box in behind if box > served][:1] or behind[:1], False
    level = [box for box, count in held.items() if count == most > 0]
    if level and most < shape.cards:
        return [*level[:1], *(after if most == 1 else [])], False
    return [], True


def _place(box: int) -> str:
    return f"box:{box}"
