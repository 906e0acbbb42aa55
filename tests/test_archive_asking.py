"""What the archive asks for, and how often: in a time of its own."""

from __future__ import annotations

from controller.archive.asking import Asking
from controller.archive.heard import Told, Waiting, table_of, told_in
from controller.archive.store import Received
from controller.mqtt import Message

OF = ("/riverside/bj-07", "e1")


def test_a_gap_is_asked_for_at_once_and_then_not_more_than_twice_a_second() -> None:
    asking, asked = Asking(), 0
    for tenth in range(100):
        asking.took({}, {OF: 5})
        asked += len(list(asking.due(tenth / 10)))
    assert 19 <= asked <= 20


def test_what_came_meanwhile_is_not_asked_for() -> None:
    asking = Asking()
    asking.took({}, {OF: 5})
    asking.took({OF: 9}, {})
    assert (list(asking.due(1)), asking.waits) == ([], False)


def test_a_table_that_is_ahead_and_silent_is_asked_ever_more_rarely() -> None:
    asking = Asking()
    asking.knows({OF: 7})
    asked = []
    for second in range(0, 1000, 10):
        asking.told(Told(OF, 12, 1), second)
        asked += [(second, first) for _, first in asking.due(second)]
    assert asked[:4] == [(10, 8), (30, 8), (70, 8), (150, 8)]


def test_a_table_of_which_all_is_stored_is_not_asked() -> None:
    asking = Asking()
    asking.knows({OF: 12})
    for second in range(0, 100, 10):
        asking.told(Told(OF, 12, 1), second)
    assert list(asking.due(100)) == []


def test_of_invented_tables_no_more_than_some_thousands_are_remembered() -> None:
    asking = Asking()
    for number in range(30_000):
        asking.told(Told((f"/riverside/t-{number}", "e"), 12, 5), 0)
        asking.took({}, {(f"/riverside/t-{number}", "e"): 5})
    assert len(asking.oldest) == len(list(asking.due(1))) == 10_000


def test_what_does_not_fit_is_lost_and_counted() -> None:
    waiting = Waiting(most=3)
    for number in range(5):
        waiting.add(Received("riverside", "bj-07", b"%d" % number))
    batch = waiting.batch()
    assert ([each.payload for each in batch], waiting.lost, len(waiting)) == ([b"0", b"1", b"2"], 2, 3)
    waiting.took(batch)
    assert (len(waiting), waiting.batch()) == (0, [])


def test_large_messages_are_stored_in_smaller_batches() -> None:
    waiting = Waiting()
    for _ in range(40):
        waiting.add(Received("riverside", "bj-07", b"x" * (1 << 20)))
    assert (waiting.lost, len(waiting), len(waiting.batch())) == (8, 32, 4)


def test_which_table_a_topic_is_of() -> None:
    found = {
        topic: table_of(Message(topic, b""), "riverside")
        for topic in (
            "casino/v1/riverside/bj-07/evt/x",
            "casino/v1/elsewhere/bj-07/evt/x",
            "casino/v1/riverside/a b/evt/x",
        )
    }
    assert list(found.values()) == [("bj-07", "evt"), None, None]


def test_what_is_no_health_of_this_table() -> None:
    sound = b'{"source":"/riverside/bj-07","epoch":"e1","journal":{"last_seq":12,"first_seq":3},"more":[]}'
    assert told_in(sound, OF[0]) == Told(OF, 12, 3)
    for wrong in (
        b"",
        b"7",
        b"[]",
        b"{}",
        b'{"source":"/riverside/bj-07","epoch":"e1","journal":7}',
        sound.replace(b"12", b"true"),
        sound.replace(b"3}", b"-1}"),
        sound.replace(b"bj-07", b"bj-08"),
        sound.replace(b'"e1"', b"1"),
    ):
        assert told_in(wrong, OF[0]) is None, wrong
