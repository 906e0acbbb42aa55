"""What the floor wants once more: records that did not arrive, or are wanted by who came late. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from protocols.errors import LogError, did_you_mean, quoted
from protocols.records import Resend

_FIELDS: Final = ("from", "to")


def read_resend(name: str, role: str, key: str, said: object) -> Resend:
    """The records that the command `name` of this key wants, without `to` all from there on; LogError where it does not
    say which."""
    if not isinstance(said, dict):
        raise LogError('resend: from which record on, to which, such as {"from":120,"to":130}')
    for field in said.keys() - set(_FIELDS):
        raise LogError(f"resend: unknown field {quoted(field)}{did_you_mean(field, _FIELDS)}")
    first = _number(said, "from")
    last = _number(said, "to") if "to" in said else None
    return Resend(name, role, key, first, last)


def _number(said: Mapping[str, Any], field: str) -> int:
    value = said.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise LogError(f"resend: field {field!r}: a whole number from 1 on")
    return value
