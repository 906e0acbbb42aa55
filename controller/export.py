"""A journal's table records as a table log: checked again, it gives the live verdicts, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from controller.journal_file import JournalError, Row
from controller.recovery import event_of
from protocols.cards import Card
from protocols.events import Event, LogHeader
from protocols.tablelog import TableLog
from protocols.verdicts import Verdict

_VERDICT: Final = {field.name for field in fields(Verdict)}
_OPENING: Final = {"seq", "field", "value", "nonce"}


def table_log(rows: Iterable[Row], only: Collection[int] | None = None) -> TableLog:
    """The log of the records from one header on, or of those of them that `only` names. A card that was face down has
    its value where a later record opened it; one that was never turned stays unread."""
    header: LogHeader | None = None
    events: dict[int, Event] = {}
    for row in rows:
        data = said(row)["data"]
        if row.kind == "header":
            header = LogHeader.model_validate_json(json.dumps(data["event"]))
        elif row.kind == "table":
            events[row.seq] = event_of(data)
            disclose(events, data)
    if header is None:
        raise JournalError("there is no header at this place of the journal")
    told = tuple(event for seq, event in events.items() if only is None or seq in only)
    return TableLog(header, told, tuple(range(2, len(told) + 2)))


def is_whole(rows: Sequence[Row]) -> bool:
    """Whether no table record is missing between a header and the last of these rows."""
    return [row.n for row in rows if row.kind == "table"] == list(range(1, len(rows)))


def said(row: Row) -> dict[str, Any]:
    """The message that a record is; JournalError where it is none, though its hash fits."""
    try:
        message: dict[str, Any] = json.loads(row.body)
        if message["data"]["kind"] == row.kind and (row.kind != "table" or is_table_record(message["data"])):
            return message
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    raise JournalError(f"record {row.seq} of the journal is damaged: it is no message of the kind {row.kind}")


def is_table_record(data: Mapping[str, Any]) -> bool:
    """Whether it has what every table record has; LookupError or TypeError where it has not even the form."""
    openings = data.get("disclosed", [])
    whole = isinstance(data["event"]["type"], str) and data["verdict"].keys() >= _VERDICT
    return whole and all(each.keys() >= _OPENING and bytes.fromhex(each["nonce"]) for each in openings)


def disclose(events: dict[int, Event], fields: Mapping[str, Any]) -> None:
    """Put what a record opens into those of the `events`, by record number, that withheld it."""
    for opening in fields.get("disclosed", ()):
        if opening["seq"] in events:
            name, value = opening["field"], opening["value"]
            opened = Card.parse(value) if name == "card" else value
            events[opening["seq"]] = events[opening["seq"]].model_copy(update={name: opened})
