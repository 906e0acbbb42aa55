"""What the archive has confirmed, and when what is sent again: the pure part, in a time of its own."""

from __future__ import annotations

import itertools

import pytest

from controller.confirming import AHEAD, Confirming
from controller.missed import Range


def standing(cursor: int = 0, sent: int = 100) -> Confirming:
    """Connected at time 0 behind the cursor, with everything up to `sent` sent."""
    made = Confirming()
    made.begin(cursor)
    assert made.connected(0) == cursor
    made.sent(sent)
    return made


@pytest.mark.parametrize(
    ("seq", "moved", "cursor"), [(40, True, 40), (100, True, 100), (10, False, 10), (101, False, 10)]
)
def test_the_cursor_moves_forward_and_never_beyond_what_was_sent(seq: int, moved: bool, cursor: int) -> None:
    made = standing(10)
    assert (made.ack(seq, 1), made.cursor) == (moved, cursor)


def test_a_lower_confirmation_takes_nothing_back() -> None:
    made = standing()
    made.ack(50, 1)
    made.ack(20, 2)
    assert made.cursor == 50


def test_what_is_wanted_again_is_sent_from_there_once() -> None:
    made = standing()
    made.ack(50, 1)
    made.nak(30)
    assert [made.taken_back(1), made.taken_back(1)] == [30, None]
    assert made.cursor == 50


def test_what_was_never_sent_is_not_wanted_again() -> None:
    made = standing()
    made.nak(101)
    assert made.taken_back(1) is None


def test_a_hello_wants_all_that_is_not_confirmed() -> None:
    made = standing()
    made.ack(50, 1)
    made.hello()
    assert made.taken_back(1) == 51


def test_who_asks_again_and_again_without_progress_is_answered_ever_more_rarely() -> None:
    made, granted = standing(), 0
    for tenth in range(6000):
        made.nak(1)
        granted += made.taken_back(tenth / 10) is not None
    assert granted < 18
    made.ack(5, 600)
    made.nak(6)
    assert made.taken_back(600.5) == 6


def test_a_silent_archive_is_reminded_ever_more_rarely() -> None:
    made = standing(sent=500)
    times = [second for second in range(1, 601) if made.probe(500, second) == Range(1, 16)]
    assert times[:5] == [3, 9, 21, 45, 93]
    assert max(later - earlier for earlier, later in itertools.pairwise(times)) == 60


def test_where_it_answers_to_the_reminder_all_behind_that_is_sent_again() -> None:
    made = standing(sent=500)
    assert made.probe(500, 3) == Range(1, 16)
    assert made.ack(16, 4)
    assert made.taken_back(5) == 17


def test_where_it_was_only_slow_nothing_is_sent_again() -> None:
    made = standing(sent=500)
    made.probe(500, 3)
    made.ack(400, 4)
    assert made.taken_back(5) is None


def test_an_archive_that_follows_is_never_far_behind_and_a_silent_one_holds_up_nothing() -> None:
    made = standing(sent=AHEAD)
    assert made.room(AHEAD) == 0
    made.ack(10, 1)
    assert made.room(AHEAD) == 10
    made.probe(AHEAD, 4)
    assert not made.follows
    assert made.room(10 * AHEAD) == AHEAD


def test_when_nothing_is_unconfirmed_nothing_is_due() -> None:
    made = standing()
    made.ack(100, 1)
    assert (made.next_look(100), made.probe(100, 1000)) == (None, None)
