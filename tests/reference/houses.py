"""What each procedure of blackjack plays where nothing else is chosen: its options, and the rules around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class House:
    """`faces`: how the dealer's cards of the deal lie; `reader`: whether it must, may or must not be used."""

    hole: bool
    faces: str
    reader: str = "never"
    look: str = "never"
    max_hands: int | str = 4
    soft_17: str = "stand"
    pair: str = "value"
    split_second_card: str = "when_played"
    resplit_aces: bool = False
    double_after_split: bool = True
    surrender: str = "none"
    insurance: str = "pre_peek_round"
    scanner_approved: bool = True
    signal: str = "optional"
    draw_on_21: str = "warn"
    dealer_draw_no_live_hands: str = "warn"
    pickup: str = "unchecked"


_DAKOTA = House(hole=True, faces="either", look="after_players", resplit_aces=True, signal="required")
_STATES = House(hole=True, faces="up_down", reader="required")
_HOUSES: Mapping[str, House] = {
    "sl": replace(
        _STATES,
        reader="allowed",
        max_hands=2,
        draw_on_21="violation",
        dealer_draw_no_live_hands="violation",
        pickup="checked",
    ),
    "nd-card-reader": replace(_DAKOTA, reader="required"),
    "nd-no-peek": _DAKOTA,
    "nd-no-hole": replace(_DAKOTA, hole=False, faces="up"),
    "nz": House(hole=False, faces="up", insurance="at_turn", draw_on_21="violation"),
    "fr": House(hole=False, faces="up", max_hands="none", insurance="at_turn", draw_on_21="allow", pickup="checked"),
    "pa": _STATES,
    "us-card-reader": _STATES,
}
PROCEDURES = tuple(_HOUSES)


def house(procedure: str, options: Mapping[str, Any]) -> House:
    """The procedure with what the table chose; `peek` tells whether the reader must or may be used."""
    chosen = dict(options)
    if "peek" in chosen:
        chosen["reader"] = chosen.pop("peek")
    return replace(_HOUSES[procedure], **chosen)
