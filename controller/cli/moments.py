"""A moment as a person says it: RFC 3339, a date, or how long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from protocols.errors import ShoewatchError, quoted

_SPAN: Final = re.compile(r"(\d{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def moment(text: str, now: datetime | None = None) -> datetime:
    """The moment in UTC; a date, or a time without a zone, is of this computer's zone. ShoewatchError for none."""
    try:
        if span := _SPAN.fullmatch(text):
            return (now or datetime.now(UTC)) - timedelta(**{_UNITS[span[2]]: int(span[1])})
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ShoewatchError(
            f'{quoted(text)} is no time ("2026-11-30T07:03:48Z"), date ("2026-11-30") or span ("90m", "2h", "7d")'
        ) from None
