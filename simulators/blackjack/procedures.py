"""The procedures that the dealer knows, as data: their options and what stands around the options (procedures 11)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from simulators.blackjack.acts import Call, Method, Procedure
from simulators.options import Choices

PROCEDURES: Final[tuple[Procedure, ...]] = get_args(Procedure)

_OPTIONS: Final = """
option                     sl              nd-card-reader   nd-no-peek      nd-no-hole      nz          fr         pa              us-card-reader
decks                      6               6                6               6               8           6          6               6
max_boxes                  7               7                7               7               7           7          7               7
max_hands                  2               4                4               4               4           none       4               4
soft_17                    stand           stand            stand           stand           stand       =stand     stand           stand
pair                       value           value            value           value           value       value      value           value
split_second_card          when_played     when_played      when_played     when_played     when_played when_played when_played    when_played
resplit_aces               false           true             true            true            false       false      false           false
double_after_split         true            true             true            true            true        true       true            true
surrender                  =none           none             none            none            none        none       none            none
insurance                  pre_peek_round  =pre_peek_round  pre_peek_round  pre_peek_round  at_turn     =at_turn   pre_peek_round  pre_peek_round
peek                       allowed         =required        -               -               -           -          required        required
scanner_approved           true            -                -               -               -           -          true            true
signal                     optional        =required        =required       =required       optional    optional   optional        optional
burn                       =1              unset            unset           unset           unset       =5         =1              1
draw_on_21                 violation       warn             warn            warn            violation   allow      warn            warn
dealer_draw_no_live_hands  violation       warn             warn            warn            warn        warn       warn            warn
cut_card_first             reshuffle       reshuffle        reshuffle       reshuffle       reshuffle   =play      =play           play
pickup                     checked         unchecked        unchecked       unchecked       unchecked   checked    unchecked       unchecked
fallback                   nd-no-peek      nd-no-peek       -               -               -           -          nd-no-peek      nd-no-peek
"""  # noqa: E501
"""Each procedure's defaults: `=` before a value that the text settles, `-` where the procedure has no such option."""

_VALUES: Final[Choices] = {
    "decks": tuple(range(1, 17)),
    "max_boxes": tuple(range(1, 8)),
    "max_hands": ("none", *range(1, 27)),
    "soft_17": ("stand", "hit"),
    "pair": ("value", "rank"),
    "split_second_card": ("when_played", "at_split"),
    "resplit_aces": (True, False),
    "double_after_split": (True, False),
    "surrender": ("none", "late", "early"),
    "insurance": ("pre_peek_round", "at_turn", "none"),
    "peek": ("required", "allowed"),
    "scanner_approved": (True, False),
    "signal": ("required", "optional"),
    "burn": ("unset", *range(53)),
    "draw_on_21": ("violation", "warn", "allow"),
    "dealer_draw_no_live_hands": ("violation", "warn", "allow"),
    "cut_card_first": ("reshuffle", "play"),
    "pickup": ("checked", "unchecked"),
    "fallback": ("nd-no-peek", "nd-no-hole"),
}
_DECKS: Final[Mapping[Procedure, tuple[int, ...]]] = {
    "nd-card-reader": (4, 6, 8),
    "nd-no-peek": (4, 6, 8),
    "nd-no-hole": (4, 6, 8),
    "nz": (4, 5, 6, 7, 8),
    "fr": tuple(range(3, 17)),
}
"""The numbers of decks that a procedure takes, where not any; the French stop card wants a deck behind it."""


@dataclass(frozen=True, slots=True)
class Custom:
    """What a procedure prescribes around its options.

    `first_faces`: how the dealer's first card may lie. `new_dealer_burns`: a new dealer burns one. `looks`: a look at
    the hole card is allowed once all hands are finished. `new_cards_cut_by`: whose the cut of new cards is, None where
    anybody may cut; `supervisor_cuts` where no player wants to. `cut_card`: between how many decks from the back the
    cutting card goes, None: a quarter to a half of them; `by_direction` up to half way."""

    method: Method
    first_faces: Literal["up", "either"] = "up"
    calls: frozenset[Call] = frozenset()
    new_dealer_burns: bool = False
    looks: bool = False
    new_cards_cut_by: Literal["left", "right"] | None = None
    supervisor_cuts: bool = False
    cut_card: tuple[float, float] | None = None
    by_direction: bool = False


_ND_CALLS: Final = frozenset[Call]({"upcard"})
CUSTOMS: Final[Mapping[Procedure, Custom]] = {
    "sl": Custom("peek", calls=frozenset({"total"}), new_cards_cut_by="right"),
    "nd-card-reader": Custom("peek", "either", calls=_ND_CALLS, looks=True),
    "nd-no-peek": Custom("no-peek", "either", calls=_ND_CALLS, looks=True),
    "nd-no-hole": Custom("no-hole", calls=_ND_CALLS),
    "nz": Custom(
        "no-hole",
        calls=frozenset({"no_more_bets"}),
        new_cards_cut_by="left",
        supervisor_cuts=True,
        cut_card=(1, 2),
        by_direction=True,
    ),
    "fr": Custom("no-hole", cut_card=(1, 1.5)),
    "pa": Custom("peek", new_dealer_burns=True),
    "us-card-reader": Custom("peek", new_dealer_burns=True),
}


def defaults(procedure: Procedure) -> Mapping[str, Any]:
    """The options that the procedure has, at their defaults."""
    return {name: _value(text) for name, text in _columns(procedure).items()}


def choices(procedure: Procedure) -> Choices:
    """The values that each option of the procedure can have."""
    found = {
        name: (_value(text),) if text.startswith("=") else _VALUES[name] for name, text in _columns(procedure).items()
    }
    return {**found, "decks": _DECKS.get(procedure, _VALUES["decks"])}


def _columns(procedure: Procedure) -> Mapping[str, str]:
    head, *rows = (line.split() for line in _OPTIONS.strip().splitlines())
    column = head.index(procedure)
    return {row[0]: row[column] for row in rows if row[column] != "-"}


def _value(text: str) -> Any:
    word = text.removeprefix("=")
    try:
        return json.loads(word)
    except ValueError:
        return word
