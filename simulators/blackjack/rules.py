"""The rules by which one table deals blackjack: its procedure's own, changed by the house's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from simulators.blackjack.acts import Call, Procedure
from simulators.blackjack.procedures import CUSTOMS, Custom, choices, defaults
from simulators.options import chosen

Strictness = Literal["violation", "warn", "allow"]


@dataclass(frozen=True, slots=True)
class BlackjackRules:
    """The rules that the dealer follows; `options` are those that differ from the procedure's own.

    `burn` unset is none or one, as the dealer likes. An option that the procedure does not have changes nothing."""

    procedure: Procedure
    decks: int
    max_boxes: int
    max_hands: int | Literal["none"]
    soft_17: Literal["stand", "hit"]
    pair: Literal["value", "rank"]
    split_second_card: Literal["when_played", "at_split"]
    resplit_aces: bool
    double_after_split: bool
    surrender: Literal["none", "late", "early"]
    insurance: Literal["pre_peek_round", "at_turn", "none"]
    signal: Literal["required", "optional"]
    burn: int | Literal["unset"]
    draw_on_21: Strictness
    dealer_draw_no_live_hands: Strictness
    cut_card_first: Literal["reshuffle", "play"]
    pickup: Literal["checked", "unchecked"]
    peek: Literal["required", "allowed"] = "required"
    scanner_approved: bool = True
    fallback: Procedure = "nd-no-peek"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def custom(self) -> Custom:
        """What the procedure prescribes around its options."""
        return CUSTOMS[self.procedure]

    @property
    def uses_reader(self) -> bool:
        """Whether the table has a reader that may be used."""
        return self.custom.method == "peek" and self.scanner_approved

    @property
    def most_burned(self) -> int:
        """More burned cards than this after a load are too many."""
        return 1 if self.burn == "unset" else self.burn

    @property
    def least_burned(self) -> int:
        """Fewer burned cards than this after a load are too few."""
        return 0 if self.burn == "unset" else self.burn

    @property
    def new_dealer_burns(self) -> int:
        """How many cards a new dealer burns."""
        return int(self.custom.new_dealer_burns and self.burn != 0)

    def demands(self, call: Call) -> bool:
        """Whether the dealer has to say this."""
        return call in self.custom.calls

    def may_become(self, hands: int) -> bool:
        """Whether a box may have so many hands."""
        return self.max_hands == "none" or hands <= self.max_hands


def blackjack_rules(procedure: Procedure, options: Mapping[str, Any] | None = None) -> BlackjackRules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    given = dict(options or {})
    return BlackjackRules(procedure, **chosen(procedure, given, defaults(procedure), choices(procedure)), options=given)
