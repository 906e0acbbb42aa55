"""How long an inspection holds: to the end of the gaming day, whatever the wall clock does meanwhile."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest

from controller.inspection import Inspection, Moment

S = 1_000_000_000
DAY_STARTS = time(6)
AT_NINE = datetime(2026, 11, 30, 21).astimezone()
MADE = Moment("one boot", 500 * S, AT_NINE)
NINE_HOURS = 9 * 3600 * S


@pytest.mark.parametrize(("hour", "hours"), [(21, 9), (5, 1), (6, 24), (0, 6)])
def test_it_holds_until_the_next_day_begins(hour: int, hours: int) -> None:
    wall = datetime(2026, 11, 30, hour).astimezone()
    assert Inspection(DAY_STARTS, 0).renewed(7, wall) == Inspection(DAY_STARTS, 7 + hours * 3600 * S)


@pytest.mark.parametrize("step", [timedelta(), timedelta(days=1), timedelta(days=-1)])
def test_a_step_of_the_wall_clock_changes_nothing_within_a_start_of_the_machine(step: timedelta) -> None:
    now = Moment("one boot", 900 * S, AT_NINE + step)
    assert Inspection.recalled(DAY_STARTS, MADE, now).holds_until == 500 * S + NINE_HOURS


@pytest.mark.parametrize(
    ("later", "left"),
    [
        (timedelta(hours=1), timedelta(hours=8)),
        (timedelta(hours=9), timedelta()),
        (timedelta(days=2), timedelta()),
        (timedelta(seconds=-1), timedelta()),
    ],
)
def test_after_a_start_of_the_machine_the_wall_clock_tells_what_is_left(later: timedelta, left: timedelta) -> None:
    now = Moment("another", 3 * S, AT_NINE + later)
    assert Inspection.recalled(DAY_STARTS, MADE, now).holds_until == 3 * S + int(left.total_seconds()) * S


def test_where_there_was_none_it_has_ended() -> None:
    now = Moment("one boot", 3 * S, AT_NINE)
    assert Inspection.recalled(DAY_STARTS, None, now).holds_until == 3 * S
