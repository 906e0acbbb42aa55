"""The options that procedures offer to a table: which values each can have, and how they are read from text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

OptionValue = bool | int | str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    values: tuple[str, ...]

    def problem_with(self, value: object) -> str | None:
        return None if value in self.values else f"{value!r} is none of {', '.join(self.values)}"

    def read(self, text: str) -> OptionValue:
        return text


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `least` to `most`."""

    least: int
    most: int

    def problem_with(self, value: object) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most
        return None if fits else f"{value!r} is no whole number from {self.least} to {self.most}"

    def read(self, text: str) -> OptionValue:
        try:
            return int(text)
        except ValueError:
            return text


OPTIONS: Final[Mapping[str, Choice | Number]] = {
    "decks": Number(1, 16),
    "cut_card_first": Choice(("reshuffle", "play")),
    "pickup": Choice(("checked", "unchecked")),
    "deal_faces": Choice(("up", "down", "either")),
    "last_coup": Choice(("current", "one_more")),
    "error_card": Choice(("burn", "next_hand")),
}


def problem_with(name: str, value: object) -> str | None:
    """Why `value` cannot be the value of the known option `name`, or None."""
    return OPTIONS[name].problem_with(value)


def read_option(name: str, text: str) -> Any:
    """The value that `text` stands for, by the option's type; a name that no procedure has stays text."""
    option = OPTIONS.get(name)
    return option.read(text) if option else text
