"""What the floor is shown of a table after one of its records: made as records are, shown once they are on disk."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from controller.export import said
from controller.journal_file import JournalError, Row, read_all
from controller.ledger import Entry
from controller.link_states import Links, links_after
from controller.rounds.rows import Record
from controller.standing import Standing
from protocols.dealing.laid_out import shown_round
from protocols.verdicts import Verdict

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """A verdict that was not `ok`, the record that holds it, and that record's round of the epoch."""

    seq: int
    round: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Shown:
    """`last`: what was found last, in whichever round; `links`: since the daemon began; `of_lock`: what is to be
    remarked of the shoe's lock."""

    standing: Standing
    last: Found | None = None
    links: Links = field(default_factory=dict)
    of_lock: tuple[str, ...] = ()

    @property
    def found(self) -> Found | None:
        """What was found last in the round whose cards lie there, or since."""
        last, standing = self.last, self.standing
        if last is None or last.round < round_shown(standing) or last.seq < standing.facts_from:
            return None
        return last

    def after(self, entries: Sequence[Entry], standing: Standing, of_lock: tuple[str, ...]) -> Shown:
        """What is shown once these entries are there too, after which the table stands so."""
        if not entries:
            return self
        rows = [row for entry in entries for row in entry.rows]
        found = [_found(_row_of(entry), entry.verdict) for entry in entries]
        return replace(
            self,
            standing=standing,
            last=next(filter(None, reversed(found)), self.last),
            links=links_after(self.links, rows),
            of_lock=of_lock,
        )


def recalled(path: Path, standing: Standing) -> Shown:
    """What is shown at a start of a table that its journal left like this; what was found last is left out where a
    record of the round cannot be read."""
    try:
        rows = read_all(path, standing.facts_from - 1)
        found = [_found(row, Record(row, said(row)).verdict()) for row in rows if row.kind == "table"]
    except JournalError as error:
        _log.warning("what was found last is not shown: %s", error)
        return Shown(standing)
    return Shown(standing, next(filter(None, reversed(found)), None))


def round_shown(standing: Standing) -> int:
    """The number in the epoch of the round whose cards lie on the table; that of the one before the header, 0 where
    there is none, before its first."""
    seen = shown_round(standing.check.state)
    return standing.first_round - 1 + (seen.number if seen else 0)


def _found(row: Row, verdict: Verdict | None) -> Found | None:
    """What a table record found; None where all was well."""
    if verdict is None or verdict.outcome == "ok" or row.round is None:
        return None
    return Found(row.seq, row.round, verdict)


def _row_of(entry: Entry) -> Row:
    return next(row for row in entry.rows if row.seq == entry.seq)
