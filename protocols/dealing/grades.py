"""What is judged of a procedure, by how much the table observes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from protocols.dealing.model import Procedure

_BY_PLACE: Final = frozenset({"order", "extra_card", "box_without_wager", "burn_extra"})
"""What only the observed place of a card shows."""
_BY_SIGNAL: Final = frozenset({"draw_without_signal", "wager_range", "wager_after_fold"})
"""What only an observed signal shows."""
_OF_SHOE: Final = frozenset(
    {
        *("burn_missing", "burn_count", "burn_extra", "shuffle_overdue", "shuffle_midround", "shuffler_required"),
        *("cutter_wrong", "cutcard_position", "stub_count_overdue", "stub_count_mismatch", "stub_exposed"),
        *("round_void", "draw_outside_round", "inventory"),
    }
)
"""What holds for the shoe and the stub, wherever the cards go."""
_WHATEVER_CARDS: Final = frozenset(
    {
        *("box_limit", "wager_changed", "nmb_missing", "insurance_without_ace"),
        *("method_unreachable", "peek_in_no_peek_mode", "peek_device_not_approved"),
    }
)
"""What an act by itself shows to be wrong, at a table that has this act as an input."""


@dataclass(frozen=True, slots=True)
class Grade:
    """`sees`: what the table observes and what follows from it; `judged`, `unjudged`: codes of the procedure."""

    letter: str
    sees: str
    judged: tuple[str, ...]
    unjudged: tuple[str, ...]


def grades(procedure: Procedure) -> tuple[Grade, ...]:
    """The four grades, from all inputs to hardly any."""
    return tuple(_grades(procedure))


def _grades(procedure: Procedure) -> Iterator[Grade]:
    codes = tuple(code for rule in procedure.rules.values() for code in rule.codes)
    yield _grade("a", "everything is observed", codes, frozenset())
    if procedure.deal is not None:
        yield _grade("b", "boxes and signals, no places: the place of each card follows", codes, _BY_PLACE)
        yield _grade("c", "places, no signals: the players' acts follow from the cards", codes, _BY_SIGNAL)
    else:
        yield _grade("b", "no places: the place of each card follows from the order of the deal", codes, _BY_PLACE)
        yield _grade(
            "c", "places, no signals: what the players did and when cards were turned is not told", codes, _BY_SIGNAL
        )
    rest = frozenset(codes) - _OF_SHOE - _WHATEVER_CARDS
    yield _grade(
        "d", "neither, or no rounds: the rules of the shoe, and acts that are wrong by themselves", codes, rest
    )


def _grade(letter: str, sees: str, codes: tuple[str, ...], unjudged: frozenset[str]) -> Grade:
    return Grade(
        letter,
        sees,
        tuple(code for code in codes if code not in unjudged),
        tuple(code for code in codes if code in unjudged),
    )
