"""What is found in an archive, a line each: for people, for programs, for a spreadsheet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from datetime import date, time
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from controller.archive.compare import Compared
from controller.archive.query import Count, Found, FoundRound, Incident
from controller.cli.lines import printable
from controller.rounds.listing import Summary, summary_line
from controller.spreadsheet import csv_line

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Each = TypeVar("Each", bound="DataclassInstance")


class Format(Enum):
    """How what is found is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def lines(found: Iterable[Each], kind: type[Each], form: Format, line: Callable[[Each], str]) -> Iterator[str]:
    """Each as it comes, with its end of line; a spreadsheet has a heading first, also where nothing is found."""
    if form is Format.CSV:
        yield csv_line(_names(kind))
    for each in found:
        match form:
            case Format.TEXT:
                yield f"{line(each)}\n"
            case Format.JSON:
                yield f"{json.dumps(_plain(each), ensure_ascii=False, default=str)}\n"
            case Format.CSV:
                yield csv_line(map(_cell, _plain(each).values()))


def found_line(found: Found) -> str:
    """`2026-11-30T07:03:48.143Z riverside/bj-07 8f3c... #128 round 12 card.drawn: violation bac_draw: ...`"""
    where = f"{found.time} {found.table} {found.epoch} #{found.seq}"
    what = f"{'' if found.round is None else f' round {found.round}'} {found.type}"
    judged = found.outcome if found.outcome not in (None, "ok") else None
    words = " ".join(each for each in (judged, found.code) if each)
    told = f"{f': {words}' if words else ''}{f': {found.detail}' if found.detail else ''}"
    rule = f" ({found.rule})" if found.rule else ""
    return printable(f"{where}{what}{told}{rule}{f' [dealer {found.dealer}]' if found.dealer else ''}")


def round_line(found: FoundRound) -> str:
    return printable(f"{found.table} {found.epoch} {summary_line(found.summary)}")


def incident_line(incident: Incident) -> str:
    """`2026-11-30T07:03:48.143Z riverside/bj-07 8f3c... #12 to 40: missing: ...`"""
    through = f" to {incident.through}" if incident.through != incident.seq else ""
    where = f"{incident.time} {incident.table} {incident.epoch} #{incident.seq}{through}"
    return printable(f"{where}: {incident.what}: {incident.why}")


def compared_line(each: Compared) -> str:
    """`riverside/bj-07 8f3c...: the same up to record 128; here it ends with 128, there with 130`"""
    last = min(each.here, each.there)
    common = {True: f"the same up to record {last}", False: f"NOT THE SAME: record {last} is another one there"}
    told = "nothing in common" if each.same is None else common[each.same]
    return printable(f"{each.source[1:]} {each.epoch}: {told}; here it ends with {each.here}, there with {each.there}")


def count_line(count: Count) -> str:
    """`2026-11-30 06:00      12 violation bac_draw`"""
    return printable(f"{count.day} {count.shift:%H:%M} {count.count:>7} {count.outcome} {count.code or ''}".rstrip())


def _names(kind: type[Any]) -> Iterator[str]:
    for each in fields(kind):
        yield from _names(Summary) if each.name == "summary" else [each.name]


def _plain(each: DataclassInstance) -> dict[str, Any]:
    """Its fields, those of what is within it among them."""
    plain: dict[str, Any] = {}
    for name, value in asdict(each).items():
        plain |= value if isinstance(value, dict) else {name: value}
    return plain


def _cell(value: object) -> object:
    return list(value) if isinstance(value, tuple) else str(value) if isinstance(value, date | time) else value
