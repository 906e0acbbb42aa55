"""All rounds of a journal, a line each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, groupby, islice
from types import MappingProxyType
from typing import Any, Final

from pydantic import TypeAdapter

from controller.export import said
from controller.journal_file import Row
from controller.lasting import Lasting, lasting_after
from controller.recovery import event_of
from controller.rounds.kept import Kept
from controller.rounds.model import Ended
from controller.rounds.rows import (
    LASTING_TYPES,
    header_before,
    lasting_between,
    leaves_disputed,
    resolutions,
    unlike_cards,
)
from protocols.records import Decision
from protocols.verdicts import VERDICT

KINDS: Final = ("header", "table")
OWN: Final = "own"
_DECIDED: Final[Mapping[Decision, str]] = {"void": "voided later", "accept": "accepted", "correct": "corrected"}
FALLBACK: Final = "fallback"


@dataclass(frozen=True, slots=True)
class Summary:
    """A round in short. `started`: when it was `opened`, else its first record; `method`: `own`, or what its reader's
    failure put it on, `fallback` where nobody chose; `codes`: of the violations, each once; `warnings` likewise."""

    round: int
    started: str
    finished: str | None
    ended: Ended
    procedure: str
    method: str
    boxes: tuple[int, ...] | None
    codes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    disputed: bool = False
    gap: bool = False
    opened: bool = False
    decided: tuple[Decision, ...] = ()


SUMMARY: Final[TypeAdapter[Summary]] = TypeAdapter(Summary)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rounds are wanted; `since` and `until` are held against their starts, the second excluded."""

    violations: bool = False
    disputed: bool = False
    code: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def any_time(self) -> bool:
        return self.since is None and self.until is None

    def takes(self, summary: Summary) -> bool:
        started = datetime.fromisoformat(summary.started)
        return (
            (not self.violations or bool(summary.codes))
            and (not self.disputed or summary.disputed)
            and (self.code is None or self.code in (*summary.codes, *summary.warnings))
            and (self.since is None or started >= self.since)
            and (self.until is None or started < self.until)
        )


def listed(kept: Kept, wanted: Wanted, among: Sequence[int] | None = None) -> Iterator[Summary]:
    """The rounds that are wanted, in order; where `among`, some rounds in order, or times say which, no others are
    read."""
    missing = kept.missing_through()
    if among is None and not wanted.any_time:
        among = kept.rounds_told(wanted.since, wanted.until)
    found = summaries(kept.of_kinds(KINDS), missing) if among is None else _summaries_of(kept, among, missing)
    return filter(wanted.takes, with_decisions(found, kept))


def nothing_found(kept: Kept, wanted: Wanted) -> str:
    """What there is to say where no round is listed."""
    there = kept.rounds_dealt(kept.missing_through())
    if there is None:
        return f"{kept}: no round is in this journal"
    if wanted == Wanted():
        return f"{kept}: no round is in this journal in which something was dealt"
    return f"{kept}: none of its rounds {there[0]} to {there[1]} is such a round"


def _summaries_of(kept: Kept, numbers: Sequence[int], missing: int) -> Iterator[Summary]:
    """Of these rounds. Those with a record of some time have those begun then among them, whatever the wall clock
    did."""
    for first, last in _runs(numbers):
        rows = kept.of_rounds_dealt(first, last, missing)
        for begins in islice(rows, 1):
            header = header_before(kept, begins.seq)
            procedure = str(said(header)["data"]["event"].get("procedure")) if header else ""
            lasting = lasting_between(kept, max(missing, header.seq if header else 0), begins.seq)
            found = summaries(chain([begins], rows), missing, procedure, lasting)
            yield from (each for each in found if first <= each.round <= last)


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last of each run without a gap."""
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        among = [number for _, number in run]
        yield among[0], among[-1]


def summaries(
    rows: Iterable[Row], missing: int = 0, procedure: str = "", lasting: Lasting = MappingProxyType({})
) -> Iterator[Summary]:
    """The rounds in which something was dealt or opened, in order, from rows of the `KINDS`; without those of which
    records up to `missing` may be gone. `procedure`, `lasting`: what held before the first row."""
    current: Summary | None = None
    counts = False
    for row in rows:
        data = said(row)["data"]
        if row.kind == "header":
            procedure, lasting = str(data["event"].get("procedure")), {}
            continue
        if row.seq <= missing:
            continue
        event, verdict = data["event"], data["verdict"]
        if current is None or row.round != current.round:
            if current is not None and counts:
                yield _overtaken(current) if event["type"] == "round.opened" else current
            current, counts = Summary(row.round or 0, row.wall, None, "open", procedure, _method(lasting), None), False
        if event["type"] in LASTING_TYPES:
            lasting = lasting_after(lasting, event_of(data), VERDICT.validate_json(json.dumps(verdict)))
        counts = counts or event["type"] in ("round.opened", "card.drawn") or verdict["outcome"] == "violation"
        current = _with(current, row, event, verdict, _method(lasting))
    if current is not None and counts:
        yield current


def with_decisions(found: Iterable[Summary], kept: Kept) -> Iterator[Summary]:
    """The same with what was said of them afterwards: by a shoe that came back, and by supervisors."""
    unlike = {number for number, _ in unlike_cards(kept)}
    decided: dict[int, tuple[Decision, ...]] = {}
    for number, resolved in resolutions(kept):
        decided[number] = (*decided.get(number, ()), resolved.what)
    for each in found:
        what = tuple(one for one in decided.get(each.round, ()) if not (one == "void" and each.ended == "voided"))
        yield replace(each, disputed=each.disputed or each.round in unlike, decided=what)


def _with(summary: Summary, row: Row, event: dict[str, Any], verdict: dict[str, Any], method: str) -> Summary:
    if method not in (OWN, summary.method):
        summary = replace(summary, method=method)
    match event["type"]:
        case "round.opened":
            boxes = event.get("boxes")
            summary = replace(summary, started=row.wall, opened=True, boxes=None if boxes is None else tuple(boxes))
        case "round.closed" | "round.voided" as end:
            summary = replace(summary, ended="closed" if end == "round.closed" else "voided", finished=row.wall)
        case "log.gap":
            summary = replace(summary, gap=True)
    code = verdict["code"]
    if verdict["outcome"] == "violation" and code:
        codes = tuple(dict.fromkeys([*summary.codes, code]))
        disputed = leaves_disputed(code, opened=summary.opened)
        return replace(summary, codes=codes, disputed=summary.disputed or disputed)
    if verdict["outcome"] == "warning" and code:
        return replace(summary, warnings=tuple(dict.fromkeys([*summary.warnings, code])))
    return summary


def _overtaken(summary: Summary) -> Summary:
    return replace(summary, ended="overtaken") if summary.ended == "open" else summary


def _method(lasting: Lasting) -> str:
    if "reader" not in lasting:
        return OWN
    return str(getattr(lasting["method"], "procedure", FALLBACK)) if "method" in lasting else FALLBACK


def summary_line(summary: Summary) -> str:
    """`12  2026-11-30 18:29:29  nd-card-reader  own  boxes 3,5,6  voided, disputed  split_not_pair`"""
    boxes = (
        "boxes ?" if summary.boxes is None else f"boxes {','.join(map(str, summary.boxes))}" if summary.boxes else "-"
    )
    state = [summary.ended, *(["disputed"] if summary.disputed else []), *(["gap"] if summary.gap else [])]
    state += [_DECIDED[decision] for decision in summary.decided]
    codes = [*summary.codes, *(f"({code})" for code in summary.warnings)]
    started = summary.started[:19].replace("T", " ")
    fixed = f"{summary.round:>6}  {started}  {summary.procedure:<15} {summary.method:<10} {boxes:<20}"
    return f"{fixed} {', '.join(state):<18} {' '.join(codes)}".rstrip()
