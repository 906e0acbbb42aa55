"""What a person writes or names: how values are read (ValueError where one is not right), how a file that cannot be
written is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError

_SERIAL: Final = re.compile(r"[!-~]{1,16}")


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


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number from `least` to `most`."""

    def read(text: str) -> int:
        number = at_least(least)(text)
        if number > most:
            raise ValueError
        return number

    return read


def serial_number(text: str) -> str:
    """What a device can have as its serial number: 1 to 16 characters of ASCII without blanks."""
    if not _SERIAL.fullmatch(text):
        raise ValueError
    return text


def one_of(*words: str) -> Callable[[str], str]:
    """One of these words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    return read


@contextmanager
def unwritten_told(path: Path) -> Iterator[None]:
    """ShoewatchError names the path where something there fails."""
    try:
        yield
    except OSError as error:
        raise ShoewatchError(f"{path}: cannot be written: {error.strerror}") from None
