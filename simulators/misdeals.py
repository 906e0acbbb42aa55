"""What a dealer or a shoe can do wrongly in a coup, and what the check must say about it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


class Misdeal(Enum):
    """One named fault."""

    PLAYER_THIRD = "player draws on 6 or 7"
    BANKER_THIRD = "banker draws and should stand"
    THIRD_ON_NATURAL = "a third card on a natural"
    MISSING_THIRD = "a third card that was due is not dealt"
    ORDER = "two cards to the player in a row"
    OVER_DRAW = "a card leaves the shoe after the last one of the coup"
    BURN_MISSING = "no card is burned"
    BURN_SHORT = "too few cards are burned"
    BURN_LONG = "too many cards are burned"
    EXTRA_COUP = "a coup after the last one of the shoe"
    WRONG_RESULT = "the shoe tells a result that the cards do not give"


CODES: Final[Mapping[Misdeal, str]] = {
    Misdeal.PLAYER_THIRD: "bac_draw",
    Misdeal.BANKER_THIRD: "bac_draw",
    Misdeal.THIRD_ON_NATURAL: "bac_draw_on_natural",
    Misdeal.MISSING_THIRD: "bac_missing_third",
    Misdeal.ORDER: "order",
    Misdeal.OVER_DRAW: "draw_outside_round",
    Misdeal.BURN_MISSING: "burn_missing",
    Misdeal.BURN_SHORT: "burn_count",
    Misdeal.BURN_LONG: "burn_count",
    Misdeal.EXTRA_COUP: "bac_extra_coup",
    Misdeal.WRONG_RESULT: "result_mismatch",
}
ALL: Final = frozenset(Misdeal)
AROUND_THE_BURN: Final = frozenset({Misdeal.BURN_MISSING, Misdeal.BURN_SHORT, Misdeal.BURN_LONG})
SHOWN_BY_FIRST_CARD: Final = frozenset({Misdeal.BURN_MISSING, Misdeal.BURN_SHORT, Misdeal.EXTRA_COUP})
SHOE_CAN_TELL: Final = frozenset({Misdeal.OVER_DRAW, Misdeal.BURN_SHORT, Misdeal.EXTRA_COUP, Misdeal.WRONG_RESULT})
"""What shows in the reports of a shoe that gives each card its slot by the order of play: such a shoe takes any
false third card for the next card due or for an over-draw. A burn is short where the shoe is switched off in it."""
