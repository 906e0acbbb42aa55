"""What a house may choose in North Dakota twenty-one, as far as it changes what the dealer does (procedures 2, 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from simulators.blackjack.acts import Method
from simulators.options import Choices, chosen

METHODS: Final[tuple[Method, ...]] = get_args(Method)

_DEFAULTS: Final[Mapping[str, Any]] = {
    "decks": 6,
    "max_boxes": 7,
    "max_hands": 4,
    "soft_17": "stand",
    "pair": "value",
    "split_second_card": "when_played",
    "resplit_aces": True,
    "double_after_split": True,
    "surrender": "none",
    "insurance": "pre_peek_round",
    "burn": "unset",
    "draw_on_21": "warn",
    "dealer_draw_no_live_hands": "warn",
    "cut_card_first": "reshuffle",
    "pickup": "unchecked",
}
_VALUES: Final[Choices] = {
    "decks": (4, 6, 8),
    "max_boxes": tuple(range(1, 8)),
    "max_hands": ("none", *range(1, 27)),
    "soft_17": ("stand", "hit"),
    "pair": ("value", "rank"),
    "split_second_card": ("when_played", "at_split"),
    "resplit_aces": (True, False),
    "double_after_split": (True, False),
    "surrender": ("none", "late", "early"),
    "insurance": ("pre_peek_round", "at_turn", "none"),
    "burn": ("unset", *range(53)),
    "draw_on_21": ("violation", "warn", "allow"),
    "dealer_draw_no_live_hands": ("violation", "warn", "allow"),
    "cut_card_first": ("reshuffle", "play"),
    "pickup": ("checked", "unchecked"),
}
_OF_THE_READER: Final[Choices] = {"insurance": ("pre_peek_round",), "fallback": ("nd-no-peek", "nd-no-hole")}


@dataclass(frozen=True, slots=True)
class BlackjackRules:
    """The rules that the dealer follows; `options` are those that differ from the procedure's own.

    `burn` unset is none or one, as the dealer likes."""

    procedure: Method
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
    burn: int | Literal["unset"]
    draw_on_21: Literal["violation", "warn", "allow"]
    dealer_draw_no_live_hands: Literal["violation", "warn", "allow"]
    cut_card_first: Literal["reshuffle", "play"]
    pickup: Literal["checked", "unchecked"]
    fallback: Method = "nd-no-peek"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def most_burned(self) -> int:
        """More burned cards than this are too many."""
        return 1 if self.burn == "unset" else self.burn

    @property
    def least_burned(self) -> int:
        """Fewer burned cards than this are too few."""
        return 0 if self.burn == "unset" else self.burn

    def may_become(self, hands: int) -> bool:
        """Whether a box may have so many hands."""
        return self.max_hands == "none" or hands <= self.max_hands

    @property
    def cards_behind(self) -> int:
        """How many cards lie behind the cutting card: enough for any round to end."""
        return 78


def blackjack_rules(procedure: Method, options: Mapping[str, Any] | None = None) -> BlackjackRules:
    """The procedure's defaults, changed by `options`; ProcedureError for a name or value that it does not have."""
    given = dict(options or {})
    of_the_reader = _OF_THE_READER if procedure == "nd-card-reader" else {}
    return BlackjackRules(procedure, **chosen(procedure, given, _DEFAULTS, {**_VALUES, **of_the_reader}), options=given)
