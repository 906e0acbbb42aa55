"""What a wrong act does to the round, and the remedies that are accepted after it.

After a violation without a prescribed remedy the round is disputed: only what is wrong on every reading of what came
before is still reported."""

from __future__ import annotations

from typing import Final

from protocols.dealing.coups import uncertain
from protocols.dealing.frozen import replace
from protocols.dealing.setting import Setting
from protocols.dealing.table import Draw, Round, State

DISPUTING: Final = frozenset(
    {
        "action_not_offered",
        "box_without_wager",
        "dealer_played_early",
        "draw_after_bust",
        "draw_after_dealer_natural",
        "community_from_shoe",
        "draw_after_double",
        "draw_after_fold",
        "draw_after_stand",
        "draw_after_surrender",
        "draw_on_21",
        "draw_on_blackjack",
        "draw_without_signal",
        "hand_skipped",
        "hole_not_allowed",
        "split_ace_extra",
        "split_limit",
        "split_not_pair",
        "split_order",
        "extra_card",
        "bac_draw",
        "bac_draw_on_natural",
        "burn_extra",
        "draw_outside_round",
        "reader_mismatch",
    }
)
"""Codes after which the round is disputed at once."""

STILL_REPORTED: Final = frozenset(
    {
        "box_limit",
        "box_without_wager",
        "shuffle_overdue",
        "nmb_missing",
        "shuffle_midround",
        "peek_in_no_peek_mode",
        "peek_device_not_approved",
        "insurance_without_ace",
        "method_unreachable",
        "round_void",
        "stub_exposed",
        "wager_range",
        "wager_changed",
        "draw_outside_round",
        "inventory",
    }
)
"""Codes that no reading of a disputed round excuses."""

BEFORE_FIRST_CARD: Final = frozenset(
    {"burn_missing", "burn_extra", "burn_count", "bac_extra_coup", "cutter_wrong", "cutcard_position"}
    | {"shuffler_required", "stub_count_overdue"}
)
"""Codes that are reported in a disputed round too where they are judged before its first card or on it."""

WHEREVER_CARDS_WENT: Final = frozenset({"stub_count_mismatch"})
"""Codes that only ask how many cards are out: the round need not be known, but nothing in it may be disputed."""

FALSE_CARD: Final = frozenset(
    {"extra_card", "draw_after_fold", "dealer_overdraw", "bac_draw", "bac_draw_on_natural", "draw_outside_round"}
)
"""Codes whose card should not have been drawn: it may be burned, or carried where the options say so."""


UNCERTAIN_WITHOUT_PLACES: Final = frozenset({"burn_missing", "burn_count", "face", "hole_not_turned"})
"""Codes after which nobody can say any more where the cards went, where places are not observed."""

_DEALT: Final = 2
"""Cards of the deal that a hand gets."""


def disputes(code: str, seen: Round) -> bool:
    """Whether this violation leaves the round disputed; a card outside of any round leaves the next one alone."""
    return code in DISPUTING and (code != "draw_outside_round" or seen.opened)


def boxed_card_lies(setting: Setting, seen: Round) -> bool:
    """Whether a card that was found face up in the shoe still lies on the table instead of being burned.

    Where its place or burning is not observed nobody can say so."""
    boxed = [draw for draw in seen.draws if draw.boxed] if seen.lying.boxed else []
    left = any(not draw.gone and draw.place not in ("burn", None) for draw in boxed)
    return left and setting.sees("collection")


def taken_away(state: State, draw: Draw) -> State:
    """The card leaves the place where it lies."""
    return state.with_draws(lambda old: replace(old, gone=True) if old.event == draw.event else old)


def burned_away(state: State, place: str) -> State:
    """A card is burned as a remedy: the last one that should not be there, else the last one of the place.

    A third card that may yet prove wrong stays in the coup until it does. Where a sound card is burned nobody can
    say what is right any more: the round is disputed."""
    wrong = [draw for draw in state.draws if not draw.gone and (draw.false or draw.outside or draw.boxed)]
    here = [draw for draw in wrong if draw.place in (place, None)]
    if here:
        return taken_away(state, here[-1])
    sound = [draw for draw in state.round.hands if draw.place == place]
    if not sound or (len(sound) > _DEALT and uncertain(state.round)):
        return state
    state = taken_away(state, sound[-1])
    return replace(state, round=replace(state.round, disputed=True))
