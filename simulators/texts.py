"""How values that a person writes as text are read: ValueError where one is not right."""

from __future__ import annotations

from collections.abc import Callable


def between(least: float, most: float) -> Callable[[str], float]:
    """A number from `least` to `most`."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return read


def at_least(least: int) -> Callable[[str], int]:
    """A whole number from `least`."""

    def read(text: str) -> int:
        number = int(text)
        if number < least:
            raise ValueError
        return number

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """One of these words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read
