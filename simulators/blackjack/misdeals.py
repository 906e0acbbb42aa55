"""What a dealer, a supervisor or a reader can do wrongly in blackjack, and what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from protocols.events import Observed
from simulators.blackjack.rules import BlackjackRules
from simulators.boxes.misdeals import Fault, told


class Misdeal(Fault):
    """One named fault; its value is the code of the check, but where a place is passed over."""

    ORDER = "order"
    FACE = "face"
    BOX_WITHOUT_WAGER = "box_without_wager"
    BOX_LIMIT = "box_limit"
    EXTRA_CARD = "extra_card"
    MISSING_CARD = "missing_card"
    BURN_MISSING = "burn_missing"
    BURN_EXTRA = "burn_extra"
    BURN_COUNT = "burn_count"
    NMB_MISSING = "nmb_missing"
    CALL_MISSING = "call_missing"
    WAGER_CHANGED = "wager_changed"
    SHUFFLE_OVERDUE = "shuffle_overdue"
    SHUFFLE_MIDROUND = "shuffle_midround"
    CUTTER_WRONG = "cutter_wrong"
    CUTCARD_POSITION = "cutcard_position"
    DRAW_OUTSIDE_ROUND = "draw_outside_round"
    PEEK_FORBIDDEN_UPCARD = "peek_forbidden_upcard"
    PEEK_BEFORE_INSURANCE_CLOSED = "peek_before_insurance_closed"
    PEEK_MISSING = "peek_missing"
    PEEK_REPEATED = "peek_repeated"
    PEEK_IN_NO_PEEK_MODE = "peek_in_no_peek_mode"
    PEEK_DEVICE_NOT_APPROVED = "peek_device_not_approved"
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
    INVENTORY = "inventory"
    DEALER_PASSED_OVER = "the dealer's first card is missed, and dealt after the players have two"
    BOX_PASSED_OVER = "a box is missed, and served last or not at all"

    @property
    def code(self) -> str:
        return "order" if self in (Misdeal.DEALER_PASSED_OVER, Misdeal.BOX_PASSED_OVER) else str(self.value)


ALL: Final = frozenset(Misdeal)
UNARMED_PEEK: Final = frozenset(
    {
        Misdeal.PEEK_FORBIDDEN_UPCARD,
        Misdeal.PEEK_BEFORE_INSURANCE_CLOSED,
        Misdeal.PEEK_REPEATED,
        Misdeal.PEEK_IN_NO_PEEK_MODE,
        Misdeal.PEEK_DEVICE_NOT_APPROVED,
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


def possible(rules: BlackjackRules) -> frozenset[Misdeal]:
    """The misdeals that can be done under these rules."""
    forbidden = {
        **_forbidden_around_shoe(rules),
        **_forbidden_around_reader(rules),
        Misdeal.NMB_MISSING: not rules.demands("no_more_bets"),
        Misdeal.CALL_MISSING: not (rules.demands("upcard") or rules.demands("total")),
        Misdeal.DRAW_WITHOUT_SIGNAL: rules.signal != "required",
        Misdeal.DRAW_AFTER_SURRENDER: rules.surrender != "late",
        Misdeal.DRAW_ON_21: rules.draw_on_21 != "violation",
        Misdeal.DEALER_DRAW_NO_LIVE_HANDS: rules.dealer_draw_no_live_hands != "violation",
        Misdeal.PICKUP_ORDER: rules.pickup != "checked",
        Misdeal.INSURANCE_LATE: rules.insurance == "none",
        Misdeal.INSURANCE_WITHOUT_ACE: rules.insurance == "none",
        Misdeal.SPLIT_LIMIT: rules.max_hands == "none",
    }
    of_other_games = _OF_A_HOLE_CARD if rules.custom.method == "no-hole" else _OF_NO_HOLE_CARD
    return ALL - of_other_games - {misdeal for misdeal, impossible in forbidden.items() if impossible}


def _forbidden_around_shoe(rules: BlackjackRules) -> Mapping[Misdeal, bool]:
    burns = max(rules.least_burned, rules.new_dealer_burns)
    return {
        Misdeal.BURN_MISSING: burns == 0,
        Misdeal.BURN_COUNT: rules.least_burned < 2,
        Misdeal.BURN_EXTRA: rules.most_burned > 1 and not rules.new_dealer_burns,
        Misdeal.CUTTER_WRONG: rules.custom.new_cards_cut_by is None,
        Misdeal.CUTCARD_POSITION: rules.custom.cut_card is None,
    }


def _forbidden_around_reader(rules: BlackjackRules) -> Mapping[Misdeal, bool]:
    unapproved = rules.custom.method == "peek" and not rules.scanner_approved
    return {
        **dict.fromkeys(_OF_THE_READER, not rules.uses_reader),
        Misdeal.PEEK_MISSING: not rules.uses_reader or rules.peek != "required",
        Misdeal.PEEK_BEFORE_INSURANCE_CLOSED: not rules.uses_reader or rules.insurance != "pre_peek_round",
        Misdeal.PEEK_IN_NO_PEEK_MODE: rules.custom.method == "peek",
        Misdeal.PEEK_DEVICE_NOT_APPROVED: not unapproved,
    }


_PLACED_PLAY: Final = frozenset({"positions", "signals"})
_NEEDS: Final[Mapping[Misdeal, frozenset[str]]] = {
    **dict.fromkeys(Misdeal, _PLACED_PLAY | {"faces", "wagers"}),
    Misdeal.FACE: frozenset({"positions", "faces"}),
    Misdeal.BOX_WITHOUT_WAGER: frozenset({"positions", "wagers"}),
    Misdeal.BOX_LIMIT: frozenset({"wagers"}),
    Misdeal.MISSING_CARD: frozenset({"positions", "wagers"}),
    Misdeal.CALL_MISSING: _PLACED_PLAY | {"calls"},
    Misdeal.NMB_MISSING: frozenset({"calls"}),
    Misdeal.CUTTER_WRONG: frozenset({"cut", "wagers", "positions"}),
    Misdeal.CUTCARD_POSITION: frozenset({"cut"}),
    Misdeal.INVENTORY: _PLACED_PLAY | {"faces", "wagers", "shuffle"},
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
"""The inputs without which a table cannot tell a fault: all that a hand's play needs, or those named."""


def expressible(observes: Collection[Observed] | None = None) -> frozenset[Misdeal]:
    """The misdeals that a table with these inputs (None: all) can tell, each by one code at one event."""
    return told(_NEEDS, observes)
