"""An Angel Eye shoe's intake goes on where the journal ends: nothing changes but the gap."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from angel_frames import COUNTED_BURN, FIRST_CARD, PLAYER
from angel_story import (
    CUT,
    DEAL,
    FIRST,
    SHOW,
    STAND_BY,
    START,
    Sent,
    brief,
    card,
    drawn,
    outside,
    reports,
    result,
    shown,
    started,
    taken,
)
from hypothesis import given
from hypothesis import strategies as st

from protocols.events import (
    EVENT,
    CardDrawn,
    LogGap,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeLoaded,
    TableEvent,
    written,
)
from protocols.hidden import Hidden
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.records import DeviceReported, Fact


def journaled(fact: Fact) -> Fact:
    """The fact as it comes back from the journal: through JSON, without what lies face down."""
    if isinstance(fact, CardDrawn) and isinstance(fact.card, Hidden):
        fact = fact.model_copy(update={"card": None})
    if isinstance(fact, TableEvent):
        return EVENT.validate_json(json.dumps(written(fact)))
    assert isinstance(fact, DeviceReported)
    return DeviceReported(fact.device, fact.report, json.loads(json.dumps(fact.data)))


def two_rounds(facts: Sequence[Fact]) -> list[Fact]:
    """The facts of the round that the journal ends in, and of the one before it."""
    ends = [i for i, fact in enumerate(facts) if isinstance(fact, RoundClosed | RoundVoided)]
    return [journaled(fact) for fact in facts[ends[-2] + 1 if len(ends) > 1 else 0 :]]


def resumed(facts: Sequence[Fact]) -> AngelEyeIntake:
    intake = AngelEyeIntake()
    intake.resume(two_rounds(facts))
    return intake


def coup_open(facts: Sequence[Fact]) -> bool:
    bounds = [fact for fact in facts if isinstance(fact, RoundOpened | RoundClosed | RoundVoided)]
    return bool(bounds) and isinstance(bounds[-1], RoundOpened)


EVENING: list[Sent] = [
    *[FIRST, card("D", COUNTED_BURN, 1, "Jd"), card("D", COUNTED_BURN, 0), STAND_BY],
    *[*DEAL, drawn("P3"), *SHOW, shown("P3", "2s"), result(1), STAND_BY],
    *[*DEAL, ("E", b"\x82"), outside(), ("e", b"\x82"), *SHOW, result(1), drawn("P1", code="R"), *DEAL[1:]],
    *[result(4), *SHOW[:3], STAND_BY, outside(), drawn("P1", code="R"), *DEAL[1:], drawn("P3", code="R")],
    *[CUT, ("E", b"\xc4"), ("e", b"\x84"), ("L", b"\x81"), result(7), FIRST, START, FIRST],
    *[*DEAL, outside(), card("i", PLAYER, 3, "7s"), *SHOW, result(2), ("M", b"120001"), ("Q", b"\x80")],
    *[*DEAL[:3], START, *DEAL, *SHOW, result(1), STAND_BY],
]


@pytest.mark.parametrize("repeats", [0, 1, 2])
def test_a_restart_at_any_report_changes_nothing_but_the_gap(repeats: int) -> None:
    evening = started(*EVENING)
    for cut in range(1, len(evening)):
        first, rest = evening[:cut], evening[cut:]
        whole = AngelEyeIntake()
        facts = taken(whole, first)
        intake = resumed(facts)
        again = [] if first[-1].digit == 0 else first[-1:] * repeats
        assert taken(intake, again) == []
        news = taken(intake, rest)
        assert [f for f in news if not isinstance(f, LogGap)] == [
            f for f in taken(whole, rest) if not isinstance(f, LogGap)
        ]
        proven = rest[0].digit == 0 and not coup_open(facts)
        assert isinstance(news[0], LogGap) is not proven


@given(st.lists(st.sampled_from(EVENING), max_size=60), st.data())
def test_a_restart_anywhere_in_anything_changes_nothing_but_the_gap(sent: list[Sent], data: st.DataObject) -> None:
    some = started(*sent)
    cut = data.draw(st.integers(1, len(some)))
    whole = AngelEyeIntake()
    intake = resumed(taken(whole, some[:cut]))
    rest = [report for report in some[cut:] if report.frame != some[cut - 1].frame]
    assert [brief(f) for f in taken(intake, rest) if not isinstance(f, LogGap)] == [
        brief(f) for f in taken(whole, rest) if not isinstance(f, LogGap)
    ]


def test_values_given_at_once_close_a_coup_that_ran_across_a_restart_with_the_next_report() -> None:
    some = started(drawn("P1", "9s"), drawn("B1", "7c"), result(1), STAND_BY)
    facts = taken(AngelEyeIntake(), some[:3])
    intake = resumed(facts)
    assert [brief(fact) for fact in taken(intake, some[3:4])] == ["gap", "result player"]
    assert [brief(fact) for fact in taken(intake, some[4:5])] == ["closed", "[stand-by]"]


def test_a_fresh_journal_is_preceded_by_a_gap_unless_the_shoe_starts() -> None:
    assert [brief(f) for f in taken(AngelEyeIntake(), reports(STAND_BY, CUT, start=4))] == [
        *["gap", "[stand-by]", "cut_card.reached"]
    ]
    assert [brief(f) for f in taken(AngelEyeIntake(), reports(START, CUT))] == ["[start]", "cut_card.reached"]


def test_a_start_in_a_coup_that_ran_across_the_restart_is_preceded_by_a_gap() -> None:
    facts = taken(AngelEyeIntake(), started(*DEAL))
    assert [brief(f) for f in taken(resumed(facts), started(*DEAL[:1]))] == [
        *["gap", "[start]", "gap", "voided restarted", "opened", "draw player P1"]
    ]


def test_two_starts_around_a_restart_are_two() -> None:
    facts = taken(AngelEyeIntake(), started())
    assert [brief(f) for f in taken(resumed(facts), started(FIRST))] == ["[start]", "shoe.loaded", "draw burn 2c up"]


def test_after_a_restart_the_same_digit_that_says_something_else_is_news() -> None:
    facts = taken(AngelEyeIntake(), started(*DEAL[:2]))
    news = reports(CUT, start=2)
    assert [brief(f) for f in taken(resumed(facts), news)] == ["gap", "cut_card.reached"]


def test_the_load_is_remembered_across_a_restart() -> None:
    loaded = taken(AngelEyeIntake(), started(FIRST))
    assert ShoeLoaded(seq=1) in loaded
    again = reports(card("D", FIRST_CARD, 0, "9h"), start=2)
    assert [brief(f) for f in taken(resumed(loaded), again)] == ["gap", "draw burn 9h up"]
    assert [brief(f) for f in taken(AngelEyeIntake(), again)] == ["gap", "shoe.loaded", "draw burn 9h up"]
