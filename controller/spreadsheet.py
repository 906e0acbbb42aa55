"""A journal's table records as CSV (RFC 4180), a line each, with what was opened since; pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from controller.export import said
from controller.journal_file import Row
from protocols.events import EVENT_MODELS

_RECORD: Final = ("seq", "time", "round", "n")
_VERDICT: Final = ("outcome", "code", "draw", "to", "face", "expected", "rule", "detail")
_EVENT: Final = tuple(
    dict.fromkeys(
        field.alias or name
        for model in EVENT_MODELS.values()
        for name, field in model.model_fields.items()
        if name not in ("type", "t", "seq")
    )
)
COLUMNS: Final = (
    *_RECORD,
    "type",
    *_EVENT,
    "sealed",
    *(f"verdict_{name}" for name in _VERDICT),
    "input_role",
    "input_id",
    "device_time",
    "device_seq",
    "replayed",
)
"""Always these and in this order. `sealed`: the field that is withheld and that nobody has opened."""

_FORMULA: Final = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""Those of East Asian width begin one too, where that is how people write."""


def csv_lines(rows: Iterable[Row], opened: Mapping[int, Mapping[str, str]]) -> Iterator[str]:
    """The heading, then a line for each table record; `opened` by record and field, what later records opened."""
    yield csv_line(COLUMNS)
    for row in rows:
        if row.kind == "table":
            cells = _cells(row, opened.get(row.seq, {}))
            yield csv_line(cells.get(name) for name in COLUMNS)


def openings(rows: Iterable[Row]) -> dict[int, dict[str, str]]:
    """By record and field, every value that was opened."""
    found: dict[int, dict[str, str]] = {}
    for row in rows:
        if b'"disclosed":' in row.body:
            for each in said(row)["data"].get("disclosed", ()):
                found.setdefault(each["seq"], {})[each["field"]] = each["value"]
    return found


def csv_line(values: Iterable[object]) -> str:
    """One line, each value as a spreadsheet shows it: never a formula, never more than one line."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(map(_cell, values))
    return line.getvalue()


def _cells(row: Row, opened: Mapping[str, str]) -> dict[str, Any]:
    data = said(row)["data"]
    event, given = dict(data["event"]), data.get("input", {})
    time, number = event.pop("t", None), event.pop("seq", None)
    return {
        **dict(zip(_RECORD, (row.seq, row.wall, row.round, row.n), strict=True)),
        **event,
        **opened,
        "sealed": " ".join(name for name in data.get("commit", {}) if name not in opened),
        **{f"verdict_{name}": data["verdict"][name] for name in _VERDICT},
        "input_role": given.get("role"),
        "input_id": given.get("id"),
        "device_time": time,
        "device_seq": number,
        "replayed": data.get("replayed"),
    }


def _cell(value: object) -> str:
    match value:
        case None | [] | "":
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return _harmless("; ".join(map(str, value)))
        case str():
            return _harmless(value)
    return json.dumps(value, ensure_ascii=False)


def _harmless(text: str) -> str:
    shown = " ".join(text.splitlines())
    first = next((sign for sign in shown if sign.isprintable() and not sign.isspace()), "")
    return f"'{shown}" if first in _FORMULA or text[:1] in ("\t", "\r", "\n") else shown
