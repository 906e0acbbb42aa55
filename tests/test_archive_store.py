"""What an archive stores is the chain of each epoch of each table, whatever comes and in whatever order."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from archived import SITE, TABLE, bodies, kept, looking, of, proved, received
from hypothesis import given, settings
from hypothesis import strategies as st
from postgres import Postgres
from sqlalchemy import select
from told_journal import FACTS, SIGNER, STRANGER, round_of

from controller.archive.database import Database, parse_database
from controller.archive.judging import MOST_BYTES
from controller.archive.query import Asked, incidents
from controller.archive.schema import RECORD
from controller.archive.store import Received, Store, Taken
from protocols.floor.evidence import read_message
from protocols.keys import KnownKey, with_key

TRUSTED: Final = with_key({}, KnownKey(TABLE, ("table",), SIGNER.public_key, "2026-01-01T00:00:00Z"))


@pytest.fixture(scope="module")
def epochs(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bytes], ...]:
    """What two tables of the same name published, or one that began a new journal."""
    folder = tmp_path_factory.mktemp("told")
    return bodies(folder, "first"), bodies(folder, "second", (*FACTS, *round_of("9d")))


def changed(body: bytes, **fields: Any) -> bytes:
    """The message with other fields, as somebody writes it who has no key."""
    return json.dumps(json.loads(body) | fields, ensure_ascii=False, separators=(",", ":")).encode()


def told(database: Database) -> list[tuple[str, str, int, int]]:
    with looking(database) as connection:
        return [(each.what, each.epoch, each.seq, each.through) for each in incidents(connection, Asked())]


def test_what_follows_is_stored_and_confirmed_once(any_database: Database, epochs: tuple[list[bytes], ...]) -> None:
    whole = epochs[0]
    came, source = received(whole), of(whole[0])
    with Store(any_database, TRUSTED) as store:
        assert store.take(came[3:5], {}) == Taken(gaps={source: 1})
        assert store.sources() == []
        assert store.take([*came[:4], *came[2:5], *came[7:]], {}) == Taken(5, 2, {source: 5}, {source: 6})
        assert store.take(came[4:], {}) == Taken(len(came) - 5, 1, {source: len(came)})
        assert store.take(came[:3], {}) == Taken(0, 3, {source: 3})
        [chain] = store.sources()
        assert (chain.source, chain.epoch, chain.first, chain.mark) == (*source, 1, len(came))
    assert kept(any_database) == {source: whole}
    [found] = proved(any_database, TRUSTED)
    assert (found.problem, found.records, found.opened) == (None, len(whole), 2)
    assert told(any_database) == []


REFUSED: dict[str, tuple[str, Callable[[list[bytes]], Received]]] = {
    "no text": ("no_record", lambda whole: Received(SITE, TABLE, b"\xff")),
    "no JSON": ("no_record", lambda whole: Received(SITE, TABLE, whole[20][:-1])),
    "a status": ("no_record", lambda whole: Received(SITE, TABLE, b'{"status":"online"}')),
    "nested without end": ("no_record", lambda whole: Received(SITE, TABLE, b"[" * 100_000)),
    "a number that is none": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[20], seq=True))),
    "record 0": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[0], seq=0))),
    "a record beyond all": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[0], seq=2**63))),
    "no time": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[20], time="yesterday"))),
    "a time without a zone": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[20], time="2026-11-30"))),
    "the end of time": (
        "no_record",
        lambda whole: Received(SITE, TABLE, changed(whole[20], time="9999-12-31T23:59:59-23:59")),
    ),
    "an epoch that is none": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[0], epoch="a\0b"))),
    "no hash before it": ("no_record", lambda whole: Received(SITE, TABLE, changed(whole[20], prev=7))),
    "no table's record": (
        "no_record",
        lambda whole: Received(SITE, TABLE, changed(whole[20], data={"kind": "table"})),
    ),
    "of another table": ("other_source", lambda whole: Received(SITE, "bj-08", whole[20])),
    "of another site": ("other_source", lambda whole: Received("lakeside", TABLE, whole[20])),
    "too large": ("too_large", lambda whole: Received(SITE, TABLE, changed(whole[20], more="x" * MOST_BYTES))),
    "a record changed": ("fork", lambda whole: Received(SITE, TABLE, changed(whole[9], more=1))),
    "a record put behind": ("fork", lambda whole: Received(SITE, TABLE, changed(whole[20], prev="ab" * 32))),
    "a checkpoint of nobody": ("unsound", lambda whole: Received(SITE, TABLE, signed_anew(whole[20]))),
    "a key that nobody changed to": ("unsound", lambda whole: Received(SITE, TABLE, of_another_key(whole[20]))),
    "a card that was not drawn": ("unsound", lambda whole: Received(SITE, TABLE, opening(whole[20], "2c"))),
    "what nobody committed to": ("unsound", lambda whole: Received(SITE, TABLE, opening(whole[20], "Kh", seq=2))),
    "what comes later": ("unsound", lambda whole: Received(SITE, TABLE, opening(whole[20], "Kh", seq=22))),
    "a half number": ("unsound", lambda whole: Received(SITE, TABLE, opening(whole[20], "Kh", seq=8.0))),
}


def signed_anew(body: bytes) -> bytes:
    message = read_message(body)
    point = STRANGER.checkpoint("another epoch", message.seq - 1, message.prev)
    return changed(body, data={"kind": "system", "what": "checkpoint", "data": point.data()})


def of_another_key(body: bytes) -> bytes:
    message = read_message(body)
    point = STRANGER.checkpoint(message.epoch, message.seq - 1, message.prev)
    return changed(body, data={"kind": "system", "what": "checkpoint", "data": point.data()})


def opening(body: bytes, value: str, seq: float = 8) -> bytes:
    data = dict(read_message(body).data)
    return changed(body, data=data | {"disclosed": [{"seq": seq, "field": "card", "value": value, "nonce": "00"}]})


@pytest.mark.parametrize(("code", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_changes_nothing(
    tmp_path: Path, epochs: tuple[list[bytes], ...], code: str, message: Callable[[list[bytes]], Received]
) -> None:
    whole = epochs[0]
    database = parse_database(str(tmp_path / "archive.db"))
    with Store(database, TRUSTED) as store:
        store.take(received(whole[:20]), {})
        before = kept(database), store.sources()
        for _ in range(2):
            taken = store.take([message(whole)], {})
            assert taken == Taken(refused=Counter({code: 1}))
        assert (kept(database), store.sources()) == before
        noted = told(database)
        assert [each[0] for each in noted] == ([code] if code in ("fork", "unsound") else [])
        assert store.take(received(whole[20:]), {}).stored == len(whole) - 20


def test_a_batch_with_a_fork_confirms_nothing_behind_it(tmp_path: Path, epochs: tuple[list[bytes], ...]) -> None:
    whole = epochs[0]
    source = of(whole[0])
    with Store(parse_database(str(tmp_path / "archive.db"))) as store:
        store.take(received(whole), {})
        spoiled = [*whole[:10], changed(whole[10], more=1), *whole[11:15]]
        assert store.take(received(spoiled), {}) == Taken(0, 14, {source: 10}, refused=Counter(fork=1))


def test_an_unknown_key_signs_for_no_table(tmp_path: Path) -> None:
    whole = bodies(tmp_path, "stranger", signer=STRANGER)
    signed = next(number for number, body in enumerate(whole) if b'"checkpoint"' in body)
    for name, keys, stored in (("any", None, len(whole)), ("known", TRUSTED, signed)):
        with Store(parse_database(str(tmp_path / f"{name}.db")), keys) as store:
            assert store.take(received(whole), {}).stored == stored


def test_two_epochs_live_side_by_side(any_database: Database, epochs: tuple[list[bytes], ...]) -> None:
    first, second = epochs
    of_first, of_second = of(first[0]), of(second[0])
    with Store(any_database) as store:
        store.take(received(first[:10]), {})
        taken = store.take(received([*first[10:20], *second[:5]]), {})
        assert taken.marks == {of_first: 20, of_second: 5}
        assert told(any_database) == [("new_epoch", of_second[1], 1, 1)]
        store.take(received(first[20:30]), {})
        store.take(received([*second[5:], *first[30:]]), {})
    assert kept(any_database) == {of_first: first, of_second: second}
    assert told(any_database)[1:] == [("two_tables", of_first[1], 21, 21)]
    assert [each.problem for each in proved(any_database)] == [None, None]


def test_what_no_table_has_any_more_is_missed(any_database: Database, epochs: tuple[list[bytes], ...]) -> None:
    whole, second = epochs
    source, other = of(whole[0]), of(second[0])
    with Store(any_database) as store:
        assert store.take(received(second[30:]), {}).gaps == {other: 1}
        assert store.take(received(second[30:]), {other: 31}).marks == {other: len(second)}
        store.take(received(whole[:10]), {})
        assert store.take(received(whole[20:]), {source: 20}).gaps == {source: 11}
        kept_by_pruning = [whole[14]]
        taken = store.take(received([*kept_by_pruning, *whole[20:]]), {source: 21})
        assert (taken.stored, taken.marks) == (len(whole) - 19, {source: len(whole)})
        assert store.take(received(whole[10:20]), {}) == Taken(0, 1, {source: 15}, refused=Counter(late=9))
    assert kept(any_database) == {other: second[30:], source: [*whole[:10], whole[14], *whole[20:]]}
    assert [each for each in told(any_database) if each[0] == "missing"] == [
        ("missing", other[1], 1, 30),
        ("missing", source[1], 11, 14),
        ("missing", source[1], 16, 20),
    ]
    assert [each.problem for each in proved(any_database)] == [None, None]


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("came"), st.integers(0, 1), st.integers(0, 60), st.integers(1, 12), st.integers()),
        st.tuples(st.just("on"), st.integers(0, 1), st.just(0), st.integers(1, 30), st.integers()),
        st.tuples(st.just("changed"), st.integers(0, 1), st.integers(0, 60), st.just(1), st.integers()),
        st.tuples(st.just("put behind"), st.integers(0, 1), st.integers(1, 60), st.just(1), st.integers()),
        st.tuples(st.just("foreign"), st.integers(0, 1), st.integers(0, 60), st.just(1), st.integers()),
    ),
    max_size=8,
)
BATCHES = st.lists(st.tuples(MOVES, st.booleans()), max_size=8)


def interleaved(database: Database, epochs: tuple[list[bytes], ...], batches: list[Any]) -> None:
    """Batches come; after each one the archive has the beginning of each chain that the moves have brought about."""
    marks = [0, 0]
    store = Store(database, TRUSTED)
    for moves, restarts in batches:
        batch: list[Received] = []
        genuine: tuple[set[int], set[int]] = (set(), set())
        for move, which, at, length, seed in moves:
            whole = epochs[which]
            if move in ("came", "on"):
                begins = marks[which] if move == "on" else at
                numbers = list(range(begins, min(len(whole), begins + length)))
                random.Random(seed).shuffle(numbers)
                genuine[which].update(numbers)
                batch += received([whole[number] for number in numbers])
            elif move == "changed" and marks[which]:
                batch += received([changed(whole[at % marks[which]], more=seed)])
            elif move == "put behind":
                batch += received([changed(whole[at % len(whole)], seq=at + 1, prev="cd" * 32)])
            elif move == "foreign":
                batch += [Received(SITE, "bj-08", whole[at % len(whole)])]
        random.Random(len(batch)).shuffle(batch)
        before = list(marks)
        for which, numbers_ in enumerate(genuine):
            while marks[which] in numbers_:
                marks[which] += 1
        taken = store.take(batch, {})
        assert taken.stored == sum(marks) - sum(before)
        if restarts:
            store.close()
            store = Store(database, TRUSTED)
        expected = {of(whole[0]): whole[:mark] for whole, mark in zip(epochs, marks, strict=True) if mark}
        assert kept(database) == expected
        assert {(each.source, each.epoch): each.mark for each in store.sources()} == {
            name: len(chain) for name, chain in expected.items()
        }
    store.take(received([*epochs[1], *epochs[0]]), {})
    store.close()
    assert kept(database) == {of(whole[0]): whole for whole in epochs}
    assert [each.problem for each in proved(database, TRUSTED)] == [None, None]


@settings(max_examples=20, deadline=None)
@given(BATCHES)
def test_any_interleaving_in_sqlite(epochs: tuple[list[bytes], ...], batches: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        interleaved(parse_database(f"{folder}/archive.db"), epochs, batches)


@settings(max_examples=5, deadline=None)
@given(BATCHES)
def test_any_interleaving_in_postgresql(
    postgresql: Postgres, epochs: tuple[list[bytes], ...], batches: list[Any]
) -> None:
    interleaved(postgresql.database(), epochs, batches)


@pytest.mark.soak
@settings(max_examples=1000, deadline=None)
@given(BATCHES)
def test_any_interleaving_at_length(epochs: tuple[list[bytes], ...], batches: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        interleaved(parse_database(f"{folder}/archive.db"), epochs, batches)


def test_two_stores_on_one_database(any_database: Database, epochs: tuple[list[bytes], ...]) -> None:
    """Both begin at once, on a database that is not there yet, and each receives everything."""

    def work(seed: int) -> int:
        dice = random.Random(seed)
        stored = 0
        with Store(any_database, TRUSTED) as store:
            at = [0, 0]
            while any(mark < len(whole) for mark, whole in zip(at, epochs, strict=True)):
                batch = [body for mark, whole in zip(at, epochs, strict=True) for body in whole[mark : mark + 7]]
                dice.shuffle(batch)
                taken = store.take(received(batch), {})
                stored += taken.stored
                at = [taken.marks.get(of(whole[0]), mark) for mark, whole in zip(at, epochs, strict=True)]
        return stored

    with ThreadPoolExecutor(2) as pool:
        stored = list(pool.map(work, (1, 2)))
    assert sum(stored) == sum(map(len, epochs))
    assert kept(any_database) == {of(whole[0]): whole for whole in epochs}
    assert [each.problem for each in proved(any_database, TRUSTED)] == [None, None]


def test_what_is_derived(tmp_path: Path, epochs: tuple[list[bytes], ...]) -> None:
    """Texts that a database takes nowhere, and numbers beyond it, are cut down in columns alone."""
    source = of(epochs[0][0])
    data = {"kind": "security", "code": "\0auth" + "x" * 4000, "device": "shoe", "detail": "\0", "n": 2**70}
    odd = changed(epochs[0][0], data=data)
    database = parse_database(str(tmp_path / "archive.db"))
    with Store(database) as store:
        assert store.take(received([odd]), {}).marks == {source: 1}
    with looking(database) as connection:
        [row] = connection.execute(select(RECORD))
    assert (row.code, row.n, bytes(row.body)) == (("auth" + "x" * 4000)[:200], None, odd)
    [found] = proved(database)
    assert found.problem is None


def test_nothing_face_down_is_in_it(tmp_path: Path, epochs: tuple[list[bytes], ...]) -> None:
    """The second round of these was voided: its hole card was never turned."""
    database = parse_database(str(tmp_path / "archive.db"))
    with Store(database) as store:
        store.take(received(epochs[0]), {})
    written = (tmp_path / "archive.db").read_bytes() + b"".join(kept(database)[of(epochs[0][0])])
    assert b'"Kh"' in written
    assert b'"4c"' not in written
