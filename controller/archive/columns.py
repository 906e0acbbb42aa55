"""What of a message stands in columns, to be searched: pure, derived from the message and what came before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from controller.archive.judging import MOST
from protocols.floor.evidence import Message

LONGEST: Final = 200
"""Of a column's text, in characters; the message has the whole of it."""
_ENDS: Final = ("round.closed", "round.voided")
OUTLASTING: Final = (
    *(f'"type":"{name}"' for name in ("shoe.faulted", "shoe.restored", "reader.faulted", "reader.restored")),
    *(f'"type":"{name}"' for name in ("method.selected", "cut_card.reached", "shoe.loaded", "cards.shuffled")),
    '"type":"log.gap"',
    '"report":"mismatch"',
    '"resolution":{',
)
"""What stands in the records that tell of more than their own round, as this version of the schema marks them."""
_OUTLASTING: Final = tuple(text.encode() for text in OUTLASTING)


@dataclass(frozen=True, slots=True)
class Course:
    """What a record takes over from those before it: the round that it belongs to where it does not say so itself, None
    where that is not known, and the dealer who came last, where somebody said who."""

    round: int | None
    dealer: str | None


@dataclass(frozen=True, slots=True)
class Columns:
    """See `schema.RECORD`."""

    time: int
    kind: str
    type: str | None
    n: int | None
    round: int | None
    outcome: str | None
    code: str | None
    rule: str | None
    dealer: str | None
    outlasts: bool


def columns_of(message: Message, body: bytes, course: Course) -> tuple[Columns, Course]:
    """The columns of the next record, and what the one after it takes over."""
    data = message.data
    event, verdict = (_mapping(data.get(name)) for name in ("event", "verdict"))
    is_table = data["kind"] == "table"
    own = _number(data.get("round")) if is_table else course.round
    dealer = _dealer(data, event) if event.get("type") == "dealer.changed" else course.dealer
    columns = Columns(
        time=milliseconds(message.time),
        kind=str(_text(data["kind"])),
        type=_text(event.get("type")) if is_table or data["kind"] == "header" else _text(_what(data)),
        n=_number(data.get("n")),
        round=own,
        outcome=_text(verdict.get("outcome")),
        code=_text(verdict.get("code") or event.get("code") or data.get("code") or data.get("loss")),
        rule=_text(verdict.get("rule")),
        dealer=dealer,
        outlasts=any(text in body for text in _OUTLASTING),
    )
    over = is_table and own is not None and event.get("type") in _ENDS
    return columns, Course(own + 1 if over and own is not None else own, dealer)


def milliseconds(time: str) -> int:
    """Of UTC since 1970, from RFC 3339."""
    return round(datetime.fromisoformat(time).timestamp() * 1000)


def _what(data: Mapping[str, Any]) -> object:
    return next((data[name] for name in ("what", "report", "order", "to", "type") if name in data), None)


def _dealer(data: Mapping[str, Any], event: Mapping[str, Any]) -> str | None:
    """Who came: the name or the key that the event or its input tells, None where nobody said."""
    said = _mapping(data.get("input"))
    return _text(event.get("actor") or said.get("key"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    """A database may hold no NUL, and its indexes no long text."""
    return value.replace("\0", "")[:LONGEST] if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST else None
