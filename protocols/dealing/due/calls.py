"""The calls that a dealer has to make, as far as the table has an input for them."""

from __future__ import annotations

from protocols.dealing.blackjack.hands import cards, play_of, up_to
from protocols.dealing.blackjack.play import Hand, Play
from protocols.dealing.setting import Setting
from protocols.dealing.table import Round


def told(setting: Setting) -> bool:
    """Whether a call that nobody heard was not made; else only what is said of it counts."""
    return setting.observes is not None and setting.sees("calls")


def no_more_bets_due(setting: Setting, seen: Round) -> bool:
    """Whether no more bets has to be called before the first card and was not heard."""
    required = "no_more_bets" in setting.procedure.calls.required
    return required and not (seen.begun or seen.called) and (setting.sees("calls") or seen.called is False)


def called_first(setting: Setting, seen: Round) -> bool:
    """Whether no card is right before no more bets is called: it is told not to have been, or would have been heard."""
    return no_more_bets_due(setting, seen) and (told(setting) or seen.called is False)


def upcard_call_missing(setting: Setting, play: Play) -> bool:
    """Whether the upcard has to be called and was not: told so, or never heard where calls are told."""
    missing = play.upcard_called is False or (told(setting) and play.upcard_called is None)
    return missing and "upcard" in setting.procedure.calls.required


def total_call_missing(setting: Setting, seen: Round, hand: Hand | None) -> bool:
    """Whether a total has to be called and was not: told so, or not heard where calls are told of a hand up to `hand`
    in the order of play, since its last card."""
    if "total" not in setting.procedure.calls.required:
        return False
    if play_of(seen).totals_missed:
        return True
    return hand is not None and told(setting) and any(_uncalled(seen, other) for other in up_to(setting, seen, hand))


def told_missing(setting: Setting, seen: Round) -> bool:
    """Whether it was told that a call was not made, and no card may go to a player before it is."""
    play = play_of(seen)
    upcard = play.upcard_called is False and "call_missing" not in seen.reported and upcard_call_missing(setting, play)
    return upcard or (bool(play.totals_missed) and "total" in setting.procedure.calls.required)


def _uncalled(seen: Round, hand: Hand) -> bool:
    held = len(cards(seen, hand))
    return held > 1 and hand.called < held
