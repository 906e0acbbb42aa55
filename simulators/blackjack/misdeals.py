"""What a dealer, a supervisor or a reader can do wrongly in North Dakota twenty-one, and what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Final

from protocols.events import Observed
from simulators.blackjack.acts import Method
from simulators.blackjack.rules import BlackjackRules


class Misdeal(Enum):
    """One named fault; its value is the code of the check."""

    ORDER = "order"
    FACE = "face"
    BOX_WITHOUT_WAGER = "box_without_wager"
    BOX_LIMIT = "box_limit"
    EXTRA_CARD = "extra_card"
    MISSING_CARD = "missing_card"
    BURN_MISSING = "burn_missing"
    BURN_EXTRA = "burn_extra"
    BURN_COUNT = "burn_count"
    CALL_MISSING = "call_missing"
    WAGER_CHANGED = "wager_changed"
    SHUFFLE_OVERDUE = "shuffle_overdue"
    SHUFFLE_MIDROUND = "shuffle_midround"
    DRAW_OUTSIDE_ROUND = "draw_outside_round"
    PEEK_FORBIDDEN_UPCARD = "peek_forbidden_upcard"
    PEEK_BEFORE_INSURANCE_CLOSED = "peek_before_insurance_closed"
    PEEK_MISSING = "peek_missing"
    PEEK_REPEATED = "peek_repeated"
    PEEK_IN_NO_PEEK_MODE = "peek_in_no_peek_mode"
    LOOK_AT_HOLE = "look_at_hole"
    READER_MISMATCH = "reader_mismatch"
    METHOD_UNREACHABLE = "method_unreachable"
    HOLE_MISSING = "hole_missing"
    HOLE_NOT_ALLOWED = "hole_not_allowed"
    HOLE_NOT_TURNED = "hole_not_turned"
    INSURANCE_WITHOUT_ACE = "insurance_without_ace"
    INSURANCE_LATE = "insurance_late"
    DRAW_WITHOUT_SIGNAL = "draw_without_signal"
    HAND_SKIPPED = "hand_skipped"
    DRAW_AFTER_STAND = "draw_after_stand"
    DRAW_AFTER_DOUBLE = "draw_after_double"
    DRAW_AFTER_BUST = "draw_after_bust"
    DRAW_AFTER_SURRENDER = "draw_after_surrender"
    DRAW_ON_BLACKJACK = "draw_on_blackjack"
    DRAW_ON_21 = "draw_on_21"
    DRAW_AFTER_DEALER_NATURAL = "draw_after_dealer_natural"
    SPLIT_NOT_PAIR = "split_not_pair"
    SPLIT_ORDER = "split_order"
    SPLIT_LIMIT = "split_limit"
    SPLIT_ACE_EXTRA = "split_ace_extra"
    DEALER_PLAYED_EARLY = "dealer_played_early"
    DEALER_OVERDRAW = "dealer_overdraw"
    DEALER_UNDERDRAW = "dealer_underdraw"
    DEALER_DRAW_NO_LIVE_HANDS = "dealer_draw_no_live_hands"
    PICKUP_ORDER = "pickup_order"
    ACTION_NOT_OFFERED = "action_not_offered"
    SETTLEMENT_WRONG = "settlement_wrong"


ALL: Final = frozenset(Misdeal)
CODES: Final[Mapping[Misdeal, str]] = {misdeal: misdeal.value for misdeal in Misdeal}

UNARMED_PEEK: Final = frozenset(
    {
        Misdeal.PEEK_FORBIDDEN_UPCARD,
        Misdeal.PEEK_BEFORE_INSURANCE_CLOSED,
        Misdeal.PEEK_REPEATED,
        Misdeal.PEEK_IN_NO_PEEK_MODE,
    }
)
"""A peek for which nobody arms the reader: a reader that has to be armed refuses it and tells no result."""

_OF_THE_READER: Final = frozenset(
    {
        Misdeal.PEEK_FORBIDDEN_UPCARD,
        Misdeal.PEEK_BEFORE_INSURANCE_CLOSED,
        Misdeal.PEEK_MISSING,
        Misdeal.PEEK_REPEATED,
        Misdeal.READER_MISMATCH,
        Misdeal.DRAW_AFTER_DEALER_NATURAL,
    }
)
_OF_A_HOLE_CARD: Final = frozenset({Misdeal.LOOK_AT_HOLE, Misdeal.HOLE_MISSING, Misdeal.HOLE_NOT_TURNED})
_OF_NO_HOLE_CARD: Final = frozenset({Misdeal.HOLE_NOT_ALLOWED, Misdeal.MISSING_CARD})

_BY_METHOD: Final[Mapping[Method, frozenset[Misdeal]]] = {
    "nd-card-reader": ALL - _OF_NO_HOLE_CARD - {Misdeal.PEEK_IN_NO_PEEK_MODE},
    "nd-no-peek": ALL - _OF_NO_HOLE_CARD - _OF_THE_READER,
    "nd-no-hole": ALL - _OF_A_HOLE_CARD - _OF_THE_READER,
}


def possible(rules: BlackjackRules) -> frozenset[Misdeal]:
    """The misdeals that can be done under these rules."""
    forbidden = {
        Misdeal.BURN_MISSING: rules.least_burned == 0,
        Misdeal.BURN_COUNT: rules.least_burned < 2,
        Misdeal.BURN_EXTRA: rules.most_burned > 1,
        Misdeal.DRAW_AFTER_SURRENDER: rules.surrender != "late",
        Misdeal.DRAW_ON_21: rules.draw_on_21 != "violation",
        Misdeal.DEALER_DRAW_NO_LIVE_HANDS: rules.dealer_draw_no_live_hands != "violation",
        Misdeal.PICKUP_ORDER: rules.pickup != "checked",
        Misdeal.INSURANCE_LATE: rules.insurance != "pre_peek_round",
        Misdeal.MISSING_CARD: rules.insurance != "pre_peek_round",
        Misdeal.INSURANCE_WITHOUT_ACE: rules.insurance == "none",
        Misdeal.SPLIT_LIMIT: rules.max_hands == "none",
    }
    return _BY_METHOD[rules.procedure] - {misdeal for misdeal, impossible in forbidden.items() if impossible}


_PLACED_PLAY: Final = frozenset({"positions", "signals"})
_NEEDS: Final[Mapping[Misdeal, frozenset[str]]] = {
    Misdeal.FACE: frozenset({"positions", "faces"}),
    Misdeal.BOX_WITHOUT_WAGER: frozenset({"positions", "wagers"}),
    Misdeal.BOX_LIMIT: frozenset({"wagers"}),
    Misdeal.MISSING_CARD: frozenset({"positions", "wagers"}),
    Misdeal.CALL_MISSING: _PLACED_PLAY | {"calls"},
    Misdeal.WAGER_CHANGED: frozenset({"wagers"}),
    Misdeal.SHUFFLE_OVERDUE: frozenset({"shuffle"}),
    Misdeal.SHUFFLE_MIDROUND: frozenset({"shuffle"}),
    Misdeal.DRAW_OUTSIDE_ROUND: frozenset(),
    Misdeal.PEEK_FORBIDDEN_UPCARD: frozenset({"positions", "faces", "wagers"}),
    Misdeal.HOLE_NOT_ALLOWED: frozenset({"positions", "faces"}),
    Misdeal.METHOD_UNREACHABLE: frozenset(),
    Misdeal.SETTLEMENT_WRONG: _PLACED_PLAY | {"faces", "wagers", "collection"},
    Misdeal.PICKUP_ORDER: frozenset({"positions", "collection", "wagers"}),
}
"""The inputs without which a table cannot tell a fault; all that a hand's play needs where none are named."""


def expressible(observes: Collection[Observed] | None = None) -> frozenset[Misdeal]:
    """The misdeals that a table with these inputs (None: all) can tell, each by one code at one event."""
    if observes is None:
        return ALL
    inputs = frozenset(observes)
    return frozenset(m for m in Misdeal if _NEEDS.get(m, _PLACED_PLAY | {"faces", "wagers"}) <= inputs)


def named(misdeals: Collection[Misdeal]) -> Sequence[Misdeal]:
    """In the order of the list above, so that a seed always picks the same."""
    return [misdeal for misdeal in Misdeal if misdeal in misdeals]
