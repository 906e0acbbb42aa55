"""A past log checked again, by the same rules or by others, and what is answered differently. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from controller.export import said, table_log
from controller.journal_file import Row
from protocols.dealing.check import Check
from protocols.errors import LogError, ShoewatchError
from protocols.tablelog import TableLog
from protocols.verdicts import VERDICT, Verdict

Begin = Callable[[TableLog], Check]
"""The check at the beginning of a log."""


@dataclass(frozen=True, slots=True)
class Recheck:
    """One record answered again: `was` live, `now`."""

    seq: int
    round: int
    type: str
    was: Verdict
    now: Verdict

    @property
    def differs(self) -> bool:
        """In outcome or code: what another procedure cites or expects is another thing anyway."""
        return (self.was.outcome, self.was.code) != (self.now.outcome, self.now.code)

    @property
    def is_same(self) -> bool:
        return self.was == self.now


class Refused(ShoewatchError):
    """A record that cannot happen under the rules that it is checked by."""


def rechecked(rows: Sequence[Row], begin: Begin) -> Iterator[Recheck]:
    """Each table record of one header's part, in order; Refused names the first that these rules do not know."""
    log = table_log(rows)
    check = begin(log)
    table = [row for row in rows if row.kind == "table"]
    for row, event in zip(table, log.events, strict=True):
        try:
            check, now = check.step(event)
        except LogError as error:
            why = f"round {row.round}, record {row.seq}: {error}"
            raise Refused(f"{why}; rounds from there on cannot be checked by {check.setting.procedure.id}") from None
        yield Recheck(row.seq, row.round or 0, event.name, _live(said(row)["data"]["verdict"]), now)


def parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each header, beginning with it; what precedes the first header belongs to none."""
    part: list[Row] = []
    for row in rows:
        if row.kind == "header":
            if part:
                yield part
            part = [row]
        elif part and row.kind == "table":
            part.append(row)
    if part:
        yield part


def _live(fields: dict[str, Any]) -> Verdict:
    return VERDICT.validate_json(json.dumps(fields))


def difference(again: Recheck) -> str:
    """`round 12, draw 5: ok -> violation dealer_overdraw: the dealer drew on soft 17`"""
    draw = again.now.draw or again.was.draw
    where = f"draw {draw}" if draw else f"{again.type} (record {again.seq})"
    detail = f": {again.now.detail}" if again.now.detail and again.now.code else ""
    return f"round {again.round}, {where}: {_named(again.was)} -> {_named(again.now)}{detail}"


def _named(verdict: Verdict) -> str:
    return f"{verdict.outcome} {verdict.code}" if verdict.code else verdict.outcome
