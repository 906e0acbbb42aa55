"""What a dealer, a device or a table can do wrongly in Mississippi stud, and what the check must say."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from protocols.events import Observed
from simulators.boxes.misdeals import Fault, told
from simulators.stud.rules import StudRules


class Misdeal(Fault):
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
    NMB_MISSING = "nmb_missing"
    WAGER_CHANGED = "wager_changed"
    SHUFFLE_OVERDUE = "shuffle_overdue"
    SHUFFLE_MIDROUND = "shuffle_midround"
    SHUFFLER_REQUIRED = "shuffler_required"
    PEEK_IN_NO_PEEK_MODE = "peek_in_no_peek_mode"
    READER_MISMATCH = "reader_mismatch"
    METHOD_UNREACHABLE = "method_unreachable"
    INSURANCE_WITHOUT_ACE = "insurance_without_ace"
    HAND_SKIPPED = "hand_skipped"
    DRAW_AFTER_FOLD = "draw_after_fold"
    REVEAL_EARLY = "reveal_early"
    REVEAL_ORDER = "reveal_order"
    SETTLEMENT_WRONG = "settlement_wrong"
    WAGER_AFTER_FOLD = "wager_after_fold"
    WAGER_RANGE = "wager_range"
    STUB_COUNT_OVERDUE = "stub_count_overdue"
    STUB_COUNT_MISMATCH = "stub_count_mismatch"
    STUB_EXPOSED = "stub_exposed"
    COMMUNITY_FROM_SHOE = "community_from_shoe"
    ROUND_VOID = "round_void"
    DRAW_OUTSIDE_ROUND = "draw_outside_round"
    INVENTORY = "inventory"


ALL: Final = frozenset(Misdeal)


def possible(rules: StudRules) -> frozenset[Misdeal]:
    """The misdeals that can be done under these rules; a round in which the stub has to be counted is never cut off
    before that."""
    counts_every_round = rules.stub_count_rounds == 1
    forbidden = {
        Misdeal.BURN_MISSING: rules.least_burned == 0,
        Misdeal.BURN_COUNT: rules.least_burned < 2,
        Misdeal.BURN_EXTRA: rules.most_burned > 1,
        Misdeal.SHUFFLER_REQUIRED: not rules.needs_shuffler,
        Misdeal.COMMUNITY_FROM_SHOE: not rules.from_shoe,
        Misdeal.ROUND_VOID: not rules.from_shoe or counts_every_round,
        Misdeal.BOX_LIMIT: counts_every_round,
        Misdeal.MISSING_CARD: counts_every_round,
        Misdeal.ORDER: rules.max_boxes == 1 and rules.from_shoe,
        Misdeal.HAND_SKIPPED: rules.max_boxes == 1,
        Misdeal.BOX_WITHOUT_WAGER: rules.max_boxes == 1,
    }
    return ALL - {misdeal for misdeal, impossible in forbidden.items() if impossible}


_PLACES: Final = frozenset({"positions", "wagers"})
_ACTS: Final = frozenset({"signals", "wagers"})
_STUB: Final = frozenset({"stub"})
_DEVICES: Final = frozenset[str]()
_NEEDS: Final[Mapping[Misdeal, frozenset[str]]] = {
    Misdeal.ORDER: _PLACES,
    Misdeal.FACE: _PLACES | {"faces"},
    Misdeal.BOX_WITHOUT_WAGER: _PLACES,
    Misdeal.BOX_LIMIT: frozenset({"wagers"}),
    Misdeal.EXTRA_CARD: _PLACES | _ACTS,
    Misdeal.MISSING_CARD: _PLACES | _ACTS | _STUB,
    Misdeal.BURN_MISSING: _PLACES,
    Misdeal.BURN_EXTRA: _PLACES,
    Misdeal.BURN_COUNT: _PLACES,
    Misdeal.NMB_MISSING: frozenset({"calls"}),
    Misdeal.WAGER_CHANGED: frozenset({"wagers"}),
    Misdeal.SHUFFLE_OVERDUE: frozenset({"shuffle"}),
    Misdeal.SHUFFLE_MIDROUND: frozenset({"shuffle"}),
    Misdeal.SHUFFLER_REQUIRED: frozenset({"shuffle"}),
    Misdeal.PEEK_IN_NO_PEEK_MODE: _DEVICES,
    Misdeal.READER_MISMATCH: _PLACES,
    Misdeal.METHOD_UNREACHABLE: _DEVICES,
    Misdeal.INSURANCE_WITHOUT_ACE: _DEVICES,
    Misdeal.HAND_SKIPPED: _ACTS | {"collection"},
    Misdeal.DRAW_AFTER_FOLD: _PLACES | _ACTS,
    Misdeal.REVEAL_EARLY: _ACTS,
    Misdeal.REVEAL_ORDER: _ACTS,
    Misdeal.SETTLEMENT_WRONG: _PLACES | _ACTS | {"collection"},
    Misdeal.WAGER_AFTER_FOLD: _ACTS,
    Misdeal.WAGER_RANGE: _ACTS,
    Misdeal.STUB_COUNT_OVERDUE: _STUB,
    Misdeal.STUB_COUNT_MISMATCH: _STUB,
    Misdeal.STUB_EXPOSED: _STUB,
    Misdeal.COMMUNITY_FROM_SHOE: _PLACES,
    Misdeal.ROUND_VOID: _PLACES,
    Misdeal.DRAW_OUTSIDE_ROUND: _DEVICES,
    Misdeal.INVENTORY: _PLACES | {"faces", "shuffle"},
}
"""The inputs without which a table cannot tell a fault."""
_NEEDS_VALUES_AT_ONCE: Final = frozenset({Misdeal.READER_MISMATCH})
_NEEDS_SUITS: Final = frozenset({Misdeal.INVENTORY, Misdeal.SETTLEMENT_WRONG})


def expressible(
    observes: Collection[Observed] | None = None, *, withhold: bool = False, suits: bool = True
) -> frozenset[Misdeal]:
    """The misdeals that a table with these inputs (None: all) can tell, each by one code at one event."""
    hidden = (_NEEDS_VALUES_AT_ONCE if withhold else frozenset()) | (frozenset() if suits else _NEEDS_SUITS)
    return told(_NEEDS, observes) - hidden
