"""The parts of a state diagram as Mermaid writes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

ENDS: Final = "[*]"
"""Where a chart begins or ends."""
_INDENT: Final = "    "


@dataclass(frozen=True, slots=True)
class Line:
    """A part of the diagram: its text, the name of the state that it is, if any, and the chart inside that state."""

    text: str
    name: str = ""
    inside: tuple[Line, ...] = ()

    def written(self, depth: int = 1) -> Iterator[str]:
        """Its lines of text."""
        indent = _INDENT * depth
        yield indent + self.text
        if self.inside:
            yield f"{indent}state {self.name} {{"
            for line in self.inside:
                yield from line.written(depth + 1)
            yield f"{indent}}}"


def state(name: str, words: str, *inside: Line) -> Line:
    """A state with the words in it, and a chart of its own inside."""
    return Line(f'state "{_plain(words)}" as {name}', name, inside)


def choice(name: str) -> Line:
    """A point where ways part."""
    return Line(f"state {name} <<choice>>", name)


def arrow(start: str, end: str, words: str = "") -> Line:
    """A way from one state to another, with what leads there."""
    return Line(f"{start} --> {end}{f' : {_plain(words)}' if words else ''}")


def note(beside: str, words: str) -> Line:
    """Words beside a state."""
    return Line(f"note right of {beside} : {_plain(words)}")


def path(*steps: Line) -> Iterator[Line]:
    """The states, each leading to the next."""
    yield from steps
    for before, after in pairwise(steps):
        yield arrow(before.name, after.name)


def _plain(words: str) -> str:
    """Without the characters that mean something in a diagram."""
    return "".join(" " if each in '"#;:{}<>' or not each.isprintable() else each for each in words)
