"""What we say when something given to us is wrong: where, what, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

QUOTED: Final = 40


class ShoewatchError(Exception):
    """Anything that a person using shoewatch did or can mend; its text is for that person."""


class LogError(ShoewatchError):
    """A table log cannot be used: `line` is the physical line, from 1, or None for the whole file."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what if line is None else f"line {line}: {what}")
        self.line = line


class ProcedureError(ShoewatchError):
    """Procedure documents, a procedure's name or an option are wrong; `problems`: every mistake, one sentence each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ConfigError(ShoewatchError):
    """A configuration is wrong; `problems` holds every mistake found, one sentence each."""

    def __init__(self, where: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{where}: {problem}" for problem in self.problems))


def quoted(given: object) -> str:
    """What was given, as a message repeats it: in quotes where it is a text, and not more than its beginning."""
    if isinstance(given, str):
        return repr(given if len(given) <= QUOTED else f"{given[:QUOTED]}...")
    text = repr(given)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}..."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean "x"?)` for the known name nearest to `name`, else what is known."""
    choices = sorted(known)
    near = get_close_matches(name, choices, n=1, cutoff=0.5)
    return f' (did you mean "{near[0]}"?)' if near else f" (known: {', '.join(choices)})"
