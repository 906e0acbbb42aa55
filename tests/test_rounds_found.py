"""A round is found in a long journal without reading all of it, and what is found is what reading all of it finds."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import shoewatch
from kept_rounds import dealt, keep, shown
from told_journal import changing

from controller import journal_file
from controller.by_hand import UNLIKE
from controller.journal import Journal
from controller.journal_file import missing_through, read_kinds
from controller.journal_schema import OUTLASTING
from controller.rounds.kept import InJournal
from controller.rounds.listing import KINDS, Summary, Wanted, listed, summaries, with_decisions
from controller.rounds.rows import LASTING_TYPES
from protocols.events import CardsShuffled, CutCardReached, LogGap, ShoeLoaded
from protocols.records import Resolution

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
ROUNDS = 24


def before_the_indexes(path: Path) -> None:
    """The file as the first version of the schema had it."""
    with changing(path) as file:
        for (name,) in file.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall():
            file.execute(f"DROP INDEX {name}")
        file.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")


def clocked(path: Path, step: Callable[[random.Random], int]) -> None:
    """Each record some seconds after the one before, by a clock that somebody sets now and then."""
    chance, now = random.Random(7), BEGIN
    with changing(path) as file:
        for (seq,) in file.execute("SELECT seq FROM record ORDER BY seq").fetchall():
            now += timedelta(seconds=step(chance))
            label = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            file.execute("UPDATE record SET wall = ? WHERE seq = ?", (label, seq))


def going(chance: random.Random) -> int:
    return chance.choice([0, 1, 7])


def stepping(chance: random.Random) -> int:
    return going(chance) + (chance.choice([-90_000, -3000, 3000, 90_000]) if chance.random() < 0.03 else 0)


def pruned(path: Path) -> None:
    """As after a pruning that kept single records of what went."""
    with changing(path) as file:
        last = file.execute("SELECT max(seq) FROM record WHERE round = 6").fetchone()[0]
        file.execute("DELETE FROM record WHERE seq > 1 AND seq % 11 != 0 AND seq <= ?", (last,))
        file.execute("INSERT INTO checkpoint(seq) VALUES(?)", (last + 1,))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rounds of three headers, with readers that fail over the ends of rounds."""
    logs = [dealt(name, seed, 8, 0.4) for seed, name in enumerate(("nd-card-reader", "us-card-reader", "pb-fr"), 4)]
    return keep(tmp_path_factory.mktemp("kept") / "journal.db", *((log.header, log.events) for log in logs))


@pytest.fixture(params=["going", "stepping", "stepping, pruned"])
def path(written: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "journal.db"
    path.write_bytes(written.read_bytes())
    clocked(path, going if request.param == "going" else stepping)
    if "pruned" in request.param:
        pruned(path)
    return path


def every(path: Path, wanted: Wanted) -> list[Summary]:
    """By reading all."""
    found = with_decisions(summaries(read_kinds(path, KINDS), missing_through(path)), InJournal(path))
    return [each for each in found if wanted.takes(each)]


def test_what_times_find_is_what_reading_all_finds(path: Path) -> None:
    begun = sorted({datetime.fromisoformat(each.started) for each in every(path, Wanted())})
    moments = [None, *begun[::3], begun[-1] + timedelta(microseconds=1), begun[0] - timedelta(microseconds=1)]
    spans = [Wanted(since=since, until=until) for since in moments for until in moments]
    found = [list(listed(InJournal(path), wanted)) for wanted in spans]
    assert found == [every(path, wanted) for wanted in spans]
    assert len({len(each) for each in found}) > 4


async def opened_once(path: Path) -> None:
    await Journal.open(path, "riverside", "bj-07").close()


def test_an_older_file_gives_the_same_and_is_brought_up_to_date(path: Path) -> None:
    def said() -> list[str]:
        told = [shoewatch("rounds", "show", str(number), str(path)).stdout for number in (1, 12, ROUNDS, 99)]
        return [*told, shoewatch("rounds", "list", str(path), "--since", "2026-11-01T00:10:00Z").stdout]

    def schema() -> list[tuple[str, str]]:
        with closing(sqlite3.connect(path)) as file:
            return sorted(file.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))

    newest, now = schema(), said()
    before_the_indexes(path)
    assert said() == now
    asyncio.run(opened_once(path))
    assert schema() == newest
    assert said() == now


def test_what_outlasts_a_round_is_indexed() -> None:
    types = {*LASTING_TYPES, *(model.name for model in (CutCardReached, ShoeLoaded, CardsShuffled, LogGap))}
    looked_for = {*(f'"type":"{name}"' for name in types), f'"report":"{UNLIKE}"', f'"{Resolution.name}":{{'}
    assert looked_for == {*OUTLASTING}


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One for every ten steps that SQLite takes to answer."""
    counted: list[None] = []
    connected = journal_file._read_only

    def watched(path: Path) -> sqlite3.Connection:
        connection = connected(path)
        connection.set_progress_handler(lambda: counted.append(None), 10)
        return connection

    monkeypatch.setattr(journal_file, "_read_only", watched)
    return counted


def test_ten_times_the_rounds_are_not_ten_times_the_work(tmp_path: Path, steps: list[None]) -> None:
    def taken(rounds: int) -> tuple[int, int]:
        log = dealt("pb-fr", 3, rounds)
        path = keep(tmp_path / f"{rounds}.db", (log.header, log.events))
        clocked(path, lambda _: 1)
        [*_, last] = every(path, Wanted())
        steps.clear()
        shown(path, rounds - 2)
        of_show = len(steps)
        found = list(listed(InJournal(path), Wanted(since=datetime.fromisoformat(last.started))))
        assert found == [last]
        return of_show, len(steps) - of_show

    few, many = taken(10), taken(100)
    assert many[0] < 3 * few[0]
    assert many[1] < 3 * few[1]
