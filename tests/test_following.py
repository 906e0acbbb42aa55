"""A consumer that follows a table's records takes each once, in order, and says what it lacks."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterable

import pytest
from mqtt_table import rows

from protocols.floor.chain import Link
from protocols.floor.following import Broken, Following, Gap, Heard, New, NotOurs, Place, Repeat
from protocols.floor.messages import Source, digest
from protocols.records import NO_HASH

OURS = Source("riverside", "bac-01", "8f3c")
LATER = Source("riverside", "bac-01", "9999")
OLD = [row.body for row in rows(OURS, 1, 30, NO_HASH)]
NEW = [row.body for row in rows(LATER, 1, 30, NO_HASH)]
FORGED = [row.body for row in rows(OURS, 5, 3, digest(b"something else"))]


def heard(following: Following, bodies: Iterable[bytes]) -> tuple[Following, list[str]]:
    """What each message was, in a word."""
    told = []
    for body in bodies:
        following, what = following.take(body)
        told.append(word(what))
    return following, told


def word(what: Heard) -> str:
    match what:
        case New(record, began):
            return f"{'epoch ' if began else ''}{record['seq']}"
        case Repeat(seq):
            return f"repeat {seq}"
        case Gap(epoch, first, last):
            return f"gap {first}-{last} of {epoch}"
        case Broken(seq):
            return f"broken {seq}"
        case NotOurs():
            return "not ours"


@pytest.mark.parametrize(
    ("bodies", "told"),
    [
        (OLD[:3], ["1", "2", "3"]),
        ([OLD[1]], ["gap 1-1 of 8f3c"]),
        ([*OLD[:3], OLD[1], OLD[2], OLD[3]], ["1", "2", "3", "repeat 2", "repeat 3", "4"]),
        ([*OLD[:2], OLD[4], OLD[2]], ["1", "2", "gap 3-4 of 8f3c", "3"]),
        ([*OLD[:4], FORGED[0], OLD[4]], ["1", "2", "3", "4", "broken 5", "5"]),
        ([*OLD[:5], FORGED[0], OLD[5]], ["1", "2", "3", "4", "5", "broken 5", "6"]),
        ([*OLD[:2], *NEW[:2]], ["1", "2", "epoch 1", "2"]),
        ([*OLD[:2], NEW[0], OLD[2], NEW[1]], ["1", "2", "epoch 1", "repeat 3", "2"]),
        ([*OLD[:2], NEW[3], NEW[0]], ["1", "2", "gap 1-3 of 9999", "epoch 1"]),
    ],
)
def test_what_comes_is_told(bodies: list[bytes], told: list[str]) -> None:
    assert heard(Following(OURS.path), bodies)[1] == told


def changed(body: bytes, **fields: object) -> bytes:
    return json.dumps({**json.loads(body), **fields}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b"7",
        b'{"seq":1}',
        changed(OLD[0], source="/riverside/bac-02"),
        changed(OLD[0], source=["/riverside/bac-01"]),
        changed(OLD[0], dataschema="urn:shoewatch:record:2"),
        changed(OLD[0], epoch=None),
        *(changed(OLD[0], seq=seq) for seq in (0, -1, True, "1", 1.0, None)),
        b'{"seq":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_record_of_the_table_changes_nothing(body: bytes) -> None:
    following, told = heard(Following(OURS.path), OLD[:3])
    assert following.take(body)[0] == following
    assert told == ["1", "2", "3"]
    assert isinstance(following.take(body)[1], NotOurs)


def test_it_goes_on_from_where_it_was() -> None:
    place = Place("8f3c", Link(7, digest(OLD[6])))
    assert heard(Following(OURS.path, place), OLD[5:9])[1] == ["repeat 6", "repeat 7", "8", "9"]
    wrong = Place("8f3c", Link(7, digest(b"")))
    assert heard(Following(OURS.path, wrong), OLD[6:8])[1] == ["broken 7", "broken 8"]


def test_one_that_may_begin_anywhere_does() -> None:
    assert heard(Following(OURS.path, anywhere=True), [*OLD[7:9], OLD[12]])[1] == ["8", "9", "gap 10-12 of 8f3c"]


def test_the_tail_that_nothing_reveals_is_told_from_the_last_number() -> None:
    following = Following(OURS.path)
    assert following.lacks("8f3c", 4) == Gap("8f3c", 1, 4)
    following, _ = heard(following, OLD[:10])
    assert following.lacks("8f3c", 10) is None
    assert following.lacks("8f3c", 9) is None
    assert following.lacks("8f3c", 12) == Gap("8f3c", 11, 12)
    assert following.lacks("9999", 3) == Gap("9999", 1, 3)
    following, _ = heard(following, NEW[:1])
    assert following.lacks("8f3c", 12) is None


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_lost_and_repeated_each_is_taken_once_in_order(seed: int) -> None:
    """A table that repeats from any earlier record and loses at random, and sends what it is asked for."""
    dice = random.Random(seed)
    following, taken, dropped, at = Following(OURS.path), list[int](), 0, 0
    while len(taken) < len(OLD):
        at = dice.randint(max(0, at - 5), at) if at == len(OLD) or dice.random() < 0.2 else at
        if dice.random() < 0.8:
            following, what = following.take(OLD[at])
            if isinstance(what, New):
                taken.append(what.record["seq"])
            dropped += isinstance(what, Repeat)
            at = what.first - 2 if isinstance(what, Gap) else at
        at += 1
        lacks = following.lacks("8f3c", len(OLD))
        at = lacks.first - 1 if at == len(OLD) and lacks else at
    assert taken == list(range(1, len(OLD) + 1))
    assert following.repeats == dropped


def test_memory_does_not_grow() -> None:
    following, _ = heard(Following(OURS.path), OLD)
    tracemalloc.start()
    try:
        for _ in range(200):
            following, _ = heard(following, OLD)
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert following.repeats == 200 * len(OLD)
    assert grown < 10 * following.repeats
