"""What a house may choose in Mississippi stud, as far as it changes what the dealer does (procedures 6 and 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from simulators.options import Choices, chosen

Procedure = Literal["nj-ms-hand", "nj-ms-shoe"]
Pattern = Literal["pairs", "passes"]
PROCEDURES: Final[tuple[Procedure, ...]] = get_args(Procedure)

_DEFAULTS: Final[Mapping[str, Any]] = {
    "decks": 1,
    "max_boxes": 6,
    "burn": 0,
    "pickup": "unchecked",
    "deal_pattern": "either",
    "stub_count_rounds": 5,
}
_VALUES: Final[Choices] = {
    "decks": (1,),
    "max_boxes": tuple(range(1, 10)),
    "burn": ("unset", *range(11)),
    "pickup": ("unchecked",),
    "deal_pattern": ("either", "pairs", "passes"),
    "stub_count_rounds": tuple(range(1, 6)),
}


@dataclass(frozen=True, slots=True)
class StudRules:
    """The rules that the dealer follows; `options` are those that differ from the procedure's own.

    `burn` unset is none or one, as the dealer likes."""

    procedure: Procedure
    decks: int
    max_boxes: int
    burn: int | Literal["unset"]
    pickup: Literal["unchecked"]
    deal_pattern: Pattern | Literal["either"]
    stub_count_rounds: int
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def from_shoe(self) -> bool:
        """Whether the players' cards come out of a shoe, in stacks of two."""
        return self.procedure == "nj-ms-shoe"

    @property
    def needs_shuffler(self) -> bool:
        """Whether only a device may shuffle."""
        return self.procedure == "nj-ms-hand"

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """In which orders the boxes may be served."""
        return get_args(Pattern) if self.deal_pattern == "either" else (self.deal_pattern,)

    @property
    def least_burned(self) -> int:
        """Fewer burned cards than this are too few."""
        return 0 if self.burn == "unset" else self.burn

    @property
    def most_burned(self) -> int:
        """More burned cards than this are too many."""
        return 1 if self.burn == "unset" else self.burn


def stud_rules(procedure: Procedure, options: Mapping[str, Any] | None = None) -> StudRules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    given = dict(options or {})
    settled: Choices = {"deal_pattern": ("pairs",)} if procedure == "nj-ms-shoe" else {}
    defaults = {**_DEFAULTS, **{name: value for name, [value] in settled.items()}}
    return StudRules(procedure, **chosen(procedure, given, defaults, {**_VALUES, **settled}), options=given)
