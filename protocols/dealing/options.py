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

    def __str__(self) -> str:
        return ", ".join(self.values)

    def problem_with(self, value: object) -> str | None:
        return None if value in self.values else f"{value!r} is none of {', '.join(self.values)}"

    def read(self, text: str) -> OptionValue:
        return text


@dataclass(frozen=True, slots=True)
class Word:
    """A word of which the procedure's document says the choices, such as the id of another procedure."""

    def __str__(self) -> str:
        return "a word"

    def problem_with(self, value: object) -> str | None:
        return None if isinstance(value, str) else f"{value!r} is no word"

    def read(self, text: str) -> OptionValue:
        return text


@dataclass(frozen=True, slots=True)
class Switch:
    """True or false."""

    def __str__(self) -> str:
        return "true, false"

    def problem_with(self, value: object) -> str | None:
        return None if isinstance(value, bool) else f"{value!r} is neither true nor false"

    def read(self, text: str) -> OptionValue:
        return {"true": True, "false": False}.get(text, text)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `least` to `most`, or the word that stands for no number."""

    least: int
    most: int
    none: str | None = None

    def __str__(self) -> str:
        return f"{self.least} to {self.most}" + (f", {self.none}" if self.none else "")

    def problem_with(self, value: object) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most
        word = f', nor "{self.none}"' if self.none else ""
        return (
            None
            if fits or (self.none and value == self.none)
            else (f"{value!r} is no whole number from {self.least} to {self.most}{word}")
        )

    def read(self, text: str) -> OptionValue:
        try:
            return int(text)
        except ValueError:
            return text


_REPORTED = Choice(("violation", "warn", "allow"))

OPTIONS: Final[Mapping[str, Choice | Word | Switch | Number]] = {
    "decks": Number(1, 16),
    "max_boxes": Number(1, 99),
    "max_hands": Number(1, 26, none="none"),
    "soft_17": Choice(("stand", "hit")),
    "pair": Choice(("value", "rank")),
    "split_second_card": Choice(("when_played", "at_split")),
    "resplit_aces": Switch(),
    "double_after_split": Switch(),
    "surrender": Choice(("none", "late", "early")),
    "insurance": Choice(("pre_peek_round", "at_turn", "none")),
    "peek": Choice(("required", "allowed")),
    "scanner_approved": Switch(),
    "signal": Choice(("required", "optional")),
    "burn": Number(0, 52, none="unset"),
    "draw_on_21": _REPORTED,
    "dealer_draw_no_live_hands": _REPORTED,
    "cut_card_first": Choice(("reshuffle", "play")),
    "pickup": Choice(("checked", "unchecked")),
    "deal_faces": Choice(("up", "down", "either")),
    "last_coup": Choice(("current", "one_more")),
    "error_card": Choice(("burn", "next_hand")),
    "deal_pattern": Choice(("pairs", "passes", "either")),
    "stub_count_rounds": Number(1, 99),
    "fallback": Word(),
}


def plain_value(value: object) -> OptionValue:
    """The value, if an option can have such a one at all."""
    if not isinstance(value, bool | int | str):
        raise ValueError("must be a text, a whole number, true or false")  # noqa: TRY004
    return value


def problem_with(name: str, value: object) -> str | None:
    """Why `value` cannot be the value of the known option `name`, or None."""
    return OPTIONS[name].problem_with(value)


def read_option(name: str, text: str) -> Any:
    """The value that `text` stands for, by the option's type; a name that no procedure has stays text."""
    option = OPTIONS.get(name)
    return option.read(text) if option else text
