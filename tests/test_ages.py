"""What may go by its age: a wall clock that was wrong for a while, before or behind, lets nothing go too early."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.ages import DOUBTED_NS, Now, older_than
from controller.journal_schema import JournalError

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
HOUR_NS = 3600 * 10**9
KEEP_DAYS = 30


@dataclass(frozen=True)
class Boot:
    """A computer that ran for so many `hours` after it was `off`; `wrong`: by how much its wall clock was ahead in
    hours, from the hour of the boot on that is given with it."""

    hours: int
    off: int = 0
    wrong: tuple[tuple[int, float], ...] = ()

    def ahead(self, hour: int) -> float:
        return next((hours for begin, hours in reversed(self.wrong) if begin <= hour), 0.0)


@dataclass(frozen=True)
class Made:
    """A record an hour, and when it truly was, in hours."""

    clock: Now
    true: int


def told(boots: Sequence[Boot]) -> list[Made]:
    made, true = [], 0
    for number, boot in enumerate(boots):
        true += boot.off
        for hour in range(boot.hours):
            wall = BEGIN + timedelta(hours=true + boot.ahead(hour))
            made.append(Made(Now(f"boot-{number}", hour * HOUR_NS, wall), true))
            true += 1
    return made


def gone(made: Sequence[Made], days: int = KEEP_DAYS) -> int:
    """How many of the records may go, the last of them being now."""
    *records, now = made
    with closing(sqlite3.connect(":memory:")) as file:
        file.execute("CREATE TABLE record(seq INTEGER PRIMARY KEY, boot TEXT, mono_ns INTEGER, wall TEXT) STRICT")
        clocks = [(each.clock.boot, each.clock.mono_ns, each.clock.wall.isoformat()) for each in records]
        file.executemany("INSERT INTO record(boot, mono_ns, wall) VALUES(?, ?, ?)", clocks)
        return older_than(days, now.clock)(file)


def old(made: Sequence[Made]) -> int:
    return sum(each.true <= made[-1].true - 24 * KEEP_DAYS for each in made)


NIGHTS = tuple(Boot(16, 8) for _ in range(60))
LEAP = 365 * 24.0
WEEK_H = DOUBTED_NS // HOUR_NS


@pytest.mark.parametrize(
    ("boots", "at_most_less"),
    [
        ((Boot(60 * 24),), 24),
        (NIGHTS, 8 * 16 + 24),
        ((*NIGHTS[:20], Boot(16, 40 * 24), *NIGHTS[:20]), WEEK_H + 24),
        ((Boot(20, 0, ((0, -56 * LEAP),)), *NIGHTS), 8 * 16 + 24),
        ((Boot(20, 0, ((0, 73 * LEAP),)), *NIGHTS), 8 * 16 + 24),
        ((*NIGHTS, Boot(16, 8, ((0, LEAP),))), 8 * 16 + 24),
        ((*NIGHTS, Boot(WEEK_H, 8, ((0, LEAP),))), 24 * 8 + 24),
        ((Boot(60 * 24, 0, ((30 * 24, LEAP), (30 * 24 + 5, 0.0))),), 24),
        ((Boot(60 * 24, 0, ((60 * 24 - 1, LEAP),)),), 24),
        ((Boot(60 * 24, 0, ((60 * 24 - 9, -LEAP),)),), 24),
        ((Boot(60 * 24, 0, ((0, -56 * LEAP),)),), 24),
    ],
    ids=[
        "it runs for ever",
        "off at night",
        "off for a month",
        "never set at first",
        "in the future at first",
        "in the future since the reboot",
        "in the future for a week",
        "set ahead and back",
        "set ahead just now",
        "set back",
        "never set",
    ],
)
def test_what_is_younger_stays_and_what_is_older_goes_soon(boots: Sequence[Boot], at_most_less: int) -> None:
    made = told(boots)
    goes, may_go = gone(made), old(made)
    assert may_go - at_most_less <= goes <= may_go
    assert may_go > 100


def test_a_leap_that_nobody_takes_back_is_believed_after_a_week_of_running() -> None:
    """As of a computer that was off for a year."""
    away = (*NIGHTS[:20], Boot(WEEK_H - 24, 365 * 24), Boot(48, 1))
    assert gone(told(away)) > 7 * 16
    assert gone(told(away[:-1])) == 0


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_clock_that_is_right_once_a_week_of_running_lets_nothing_go_too_early(data: st.DataObject) -> None:
    """Right for the records of a boot in its second half, wrong by anything before."""
    boots = []
    for _ in range(data.draw(st.integers(1, 12))):
        hours = data.draw(st.integers(2, WEEK_H - 1))
        ahead = data.draw(st.floats(-500_000, 500_000))
        off = data.draw(st.integers(0, 1000))
        boots.append(Boot(hours, off, ((0, ahead), (hours // 2, 0.0))))
    made = told(boots)
    for now in range(2, len(made), 97):
        assert gone(made[:now]) <= old(made[:now])


@pytest.mark.parametrize("wall", ["", "yesterday", None])
def test_a_record_without_a_time_is_named(wall: str | None) -> None:
    with closing(sqlite3.connect(":memory:")) as file:
        file.execute("CREATE TABLE record(seq INTEGER PRIMARY KEY, boot TEXT, mono_ns INTEGER, wall TEXT) STRICT")
        file.execute("INSERT INTO record VALUES(7, 'a', 1, ?)", (wall,))
        with pytest.raises(JournalError, match="record 7 of the journal is damaged"):
            older_than(1, Now("a", 2, BEGIN))(file)
