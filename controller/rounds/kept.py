"""Where the records of an epoch are kept, as whoever looks at its rounds asks for them: the journal is such a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

from controller import journal_file
from controller.journal_file import Row
from protocols.records import Kind

_BEHIND: Final = "~"
"""Comes after whatever a wall clock's label goes on with."""


class Kept(Protocol):
    """The records of one epoch of one table, in their order. As a text: where that is, as a person names it."""

    def missing_through(self) -> int:
        """The last record number at or before which something is missing; 0 where nothing is."""

    def of_kinds(self, kinds: Sequence[Kind]) -> Iterator[Row]:
        """All of these kinds."""

    def of_rounds(self, first: int, last: int) -> Iterator[Row]:
        """Those that belong to these rounds."""

    def of_rounds_dealt(self, first: int, last: int, after: int) -> Iterator[Row]:
        """The headers and the table's records behind `after` of these rounds, then the table's next one, which may be
        about another round."""

    def rounds_told(self, since: datetime | None, until: datetime | None) -> list[int]:
        """The rounds, in order, to which some record belongs that was made between these two."""

    def rounds_dealt(self, after: int) -> tuple[int, int] | None:
        """The first and the last round that the table's records behind `after` are about; None where there are none."""

    def back(
        self, kinds: Sequence[Kind], texts: Sequence[str], before: int | None = None, after: int = 0
    ) -> Iterator[Row]:
        """Those of these kinds with one of these texts in them, between `after` and `before`, the newest first."""


@dataclass(frozen=True, slots=True)
class InJournal:
    """The journal in the file at `path`, which a daemon may be writing."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def missing_through(self) -> int:
        return journal_file.missing_through(self.path)

    def of_kinds(self, kinds: Sequence[Kind]) -> Iterator[Row]:
        return journal_file.read_kinds(self.path, kinds)

    def of_rounds(self, first: int, last: int) -> Iterator[Row]:
        return journal_file.read_rounds(self.path, first, last)

    def of_rounds_dealt(self, first: int, last: int, after: int) -> Iterator[Row]:
        return journal_file.read_dealt(self.path, first, last, after)

    def rounds_told(self, since: datetime | None, until: datetime | None) -> list[int]:
        begins, ends = ("" if each is None else _label(each) for each in (since, until))
        return journal_file.rounds_told(self.path, begins, ends + _BEHIND)

    def rounds_dealt(self, after: int) -> tuple[int, int] | None:
        return journal_file.dealt_rounds(self.path, after)

    def back(
        self, kinds: Sequence[Kind], texts: Sequence[str], before: int | None = None, after: int = 0
    ) -> Iterator[Row]:
        return journal_file.read_back(self.path, kinds, texts, before, after)


def _label(moment: datetime) -> str:
    """As records tell it, without what is less than a millisecond, which they do not tell."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
