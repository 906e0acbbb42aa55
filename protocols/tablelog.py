"""Reading and writing table logs: JSON Lines, one event a line, an optional header first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from protocols.errors import QUOTED, LogError, did_you_mean, quoted
from protocols.events import EVENT_MODELS, Event, LogHeader, TableEvent, written
from protocols.texts import TextError, read_json
from protocols.validation import reason

_SAYS: Final = {"dict_type": 'must be an object such as {"decks":6}'}


@dataclass(frozen=True, slots=True)
class TableLog:
    """A whole log. `lines[i]` is the physical line, from 1, of `events[i]`; `header` is None where there is none,
    else on `header_line`."""

    header: LogHeader | None
    events: tuple[Event, ...]
    lines: tuple[int, ...]
    header_line: int | None = None


def read_log(text: str) -> TableLog:
    """Parse a whole table log; LogError names the first wrong line, the field and the nearest known name."""
    header: LogHeader | None = None
    header_line: int | None = None
    events: list[Event] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        item = read_line(line, number)
        if isinstance(item, LogHeader):
            if header is not None or events:
                raise LogError("log.header: a header can only be the first line", number)
            header, header_line = item, number
        else:
            events.append(item)
            lines.append(number)
    return TableLog(header, tuple(events), tuple(lines), header_line)


def read_line(line: str, number: int | None = None) -> Event | LogHeader:
    """One line of a table log; LogError where it is no event."""
    fields = read_object(line, number)
    name = fields.get("type")
    if not isinstance(name, str):
        raise LogError('field "type": every line names its event, such as "card.drawn"', number)
    model = LogHeader if name == "log.header" else EVENT_MODELS.get(name)
    if model is None:
        raise LogError(f"unknown event type {quoted(name)}{did_you_mean(name, [*EVENT_MODELS, 'log.header'])}", number)
    try:
        return model.model_validate_json(line, by_alias=True, by_name=False)  # type: ignore[return-value]
    except ValidationError as error:
        raise LogError(_first_problem(name, model, error), number) from None


def write_log(header: LogHeader | None, events: Iterable[Event]) -> str:
    """The log as text, one event a line."""
    items: list[TableEvent | LogHeader] = [*([header] if header else []), *events]
    return "".join(dump(written(item)) + "\n" for item in items)


def dump(fields: object) -> str:
    """Compact JSON in the order given."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_object(line: str, number: int | None = None) -> dict[str, Any]:
    """The fields of a line; LogError where it is no JSON object, names a field twice or holds half a character."""
    try:
        fields = read_json(line)
    except TextError as error:
        raise LogError(f"no JSON object: {error}", number) from None
    if not isinstance(fields, dict):
        raise LogError('no JSON object: an event looks like {"type":"card.drawn","to":"player"}', number)
    return fields


def _brief(given: object) -> str:
    """JSON of what was given, as far as a message repeats it."""
    text = json.dumps(given, default=str)
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}..."


def _first_problem(name: str, model: type[TableEvent] | type[LogHeader], error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    if problem["type"] == "json_invalid":
        return f"{name}: {problem['ctx']['error'].replace(' at line 1 column', ' at column')}"
    where = ".".join(str(part) for part in problem["loc"]) or "line"
    if problem["type"] == "extra_forbidden":
        known = [field.alias or key for key, field in model.model_fields.items()]
        return f"{name}: unknown field {quoted(where)}{did_you_mean(where, known)}"
    if problem["type"] == "missing":
        return f"{name}: field {quoted(where)} is missing"
    message = _SAYS.get(problem["type"]) or reason(problem)
    given = "" if quoted(problem["input"]) in message else f" (given: {_brief(problem['input'])})"
    return f"{name}: field {quoted(where)}: {message}{given}"
