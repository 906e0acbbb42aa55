"""The parts of a state diagram as Mermaid writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

ENDS: Final = "[*]"
"""Where a chart begins or ends."""
_INDENT: Final = "    "


class Line(Protocol):
    """A part of the diagram."""

    def written(self, depth: int = 1) -> Iterator[str]:
        """Its lines of text."""


@dataclass(frozen=True, slots=True)
class State:
    """A state with the words in it."""

    name: str
    words: str

    def written(self, depth: int = 1) -> Iterator[str]:
        yield f'{_INDENT * depth}state "{_plain(self.words)}" as {self.name}'


@dataclass(frozen=True, slots=True)
class Choice:
    """A point where ways part."""

    name: str

    def written(self, depth: int = 1) -> Iterator[str]:
        yield f"{_INDENT * depth}state {self.name} <<choice>>"


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way from one state to another, with what leads there."""

    start: str
    end: str
    words: str = ""

    def written(self, depth: int = 1) -> Iterator[str]:
        yield f"{_INDENT * depth}{self.start} --> {self.end}{f' : {_plain(self.words)}' if self.words else ''}"


@dataclass(frozen=True, slots=True)
class Note:
    """Words beside a state."""

    state: str
    words: str

    def written(self, depth: int = 1) -> Iterator[str]:
        yield f"{_INDENT * depth}note right of {self.state} : {_plain(self.words)}"


@dataclass(frozen=True, slots=True)
class Group:
    """A state with a chart of its own inside."""

    name: str
    words: str
    lines: tuple[Line, ...]

    def written(self, depth: int = 1) -> Iterator[str]:
        yield from State(self.name, self.words).written(depth)
        yield f"{_INDENT * depth}state {self.name} {{"
        for line in self.lines:
            yield from line.written(depth + 1)
        yield f"{_INDENT * depth}}}"


def path(*steps: State | Choice | Group) -> Iterator[Line]:
    """The steps, each leading to the next."""
    yield from steps
    for before, after in pairwise(steps):
        yield Arrow(before.name, after.name)


def _plain(words: str) -> str:
    """Without the characters that mean something in a diagram."""
    return "".join(" " if each in '"#;:{}<>' or not each.isprintable() else each for each in words)
