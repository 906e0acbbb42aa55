"""What a house may choose in punto banco, as far as it changes what the dealer does (procedures 8 and 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from protocols.errors import ProcedureError, did_you_mean
from simulators.options import Choices, chosen

Faces = Literal["up", "down", "either"]

_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "pb-fr": {"decks": 6, "last_coup": "current", "error_card": "burn", "deal_faces": "down"},
    "pb-nj": {"decks": 8, "last_coup": "one_more", "error_card": "next_hand", "deal_faces": "either"},
}
PROCEDURES: Final = tuple(_DEFAULTS)
_VALUES: Final[Choices] = {
    "decks": tuple(range(1, 17)),
    "last_coup": ("current", "one_more"),
    "error_card": ("burn", "next_hand"),
    "deal_faces": ("up", "down", "either"),
}
_SETTLED: Final[Mapping[str, Choices]] = {"pb-fr": {"deal_faces": ("down",)}}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that the dealer follows; `options` are those that differ from the procedure's own."""

    procedure: str
    decks: int
    last_coup: Literal["current", "one_more"]
    error_card: Literal["burn", "next_hand"]
    deal_faces: Faces
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cards_behind(self) -> int:
        """How many cards lie behind the cutting card."""
        return 10 if self.last_coup == "current" else 14


def rules_of(procedure: str, options: Mapping[str, Any] | None = None) -> Rules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    if procedure not in _DEFAULTS:
        raise ProcedureError(f"no dealer for procedure {procedure!r}{did_you_mean(procedure, _DEFAULTS)}")
    given = dict(options or {})
    values = {**_VALUES, **_SETTLED.get(procedure, {})}
    return Rules(procedure=procedure, **chosen(procedure, given, _DEFAULTS[procedure], values), options=given)
