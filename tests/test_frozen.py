"""Values that never change: what a copy costs nothing to carry over, and what it must not carry over."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

from protocols.dealing.frozen import derived, once, once_in, replace


@dataclass(frozen=True)
class Box:
    number: int
    cards: tuple[str, ...] = ()

    @derived("number")
    def name(self) -> str:
        return f"box:{self.number}"


@dataclass(frozen=True, slots=True)
class Slotted:
    number: int


asked: list[object] = []


@once
def doubled(box: Box) -> tuple[str, ...]:
    asked.append(box)
    return box.cards * 2


@once_in
def among(most: int, box: Box) -> bool:
    asked.append((most, box))
    return box.number <= most


def test_a_copy_is_changed_and_the_original_is_not() -> None:
    box = Box(1, ("K",))
    assert replace(box, number=2) == Box(2, ("K",))
    assert box == Box(1, ("K",))
    with pytest.raises(FrozenInstanceError):
        replace(box, number=2).number = 3  # type: ignore[misc]


def test_a_copy_without_a_change_is_the_value_itself() -> None:
    box = Box(1, ("K",))
    assert replace(box, number=1, cards=box.cards) is box


def test_a_field_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        replace(Box(1), colour="red")  # type: ignore[call-arg]


def test_one_with_slots_is_copied_too() -> None:
    assert replace(Slotted(1), number=2) == Slotted(2)


def test_what_is_derived_goes_with_its_field_and_stays_with_others() -> None:
    box = Box(1)
    name = box.name
    assert replace(box, cards=("K",)).name is name
    assert replace(box, number=2).name == "box:2"


def test_a_question_is_answered_once_for_each_value() -> None:
    asked.clear()
    box = Box(1, ("K",))
    assert doubled(box) == doubled(box) == ("K", "K")
    assert doubled(replace(box, cards=("A",))) == ("A", "A")
    assert (among(1, box), among(1, box), among(0, box)) == (True, True, False)
    assert asked == [box, Box(1, ("A",)), (1, box), (0, box)]


def test_what_was_found_out_is_no_part_of_the_value() -> None:
    told, untold = Box(1, ("K",)), Box(1, ("K",))
    assert told.name == "box:1"
    assert doubled(told) == ("K", "K")
    assert (told, hash(told), repr(told)) == (untold, hash(untold), repr(untold))
    assert [field.name for field in fields(told)] == ["number", "cards"]
