"""What is asked of an archive across tables is what the tables' own journals say, and is found by index."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from archived import archive, bodies, looking, received
from command import shoewatch
from kept_rounds import dealt, keep
from postgres import Postgres
from sqlalchemy import Connection, Select
from told_journal import FACTS, tell

from controller.archive.database import Database, parse_database
from controller.archive.query import Asked, Found, chains_asked, counted, found, rounds_with, statement
from controller.archive.rows import InArchive
from controller.archive.schema import RECORD
from controller.archive.shifts import read_shifts, shift_of
from controller.archive.store import Store
from controller.journal_file import Row, read_all
from controller.rounds.kept import InJournal
from controller.rounds.listing import Wanted, listed
from controller.rounds.reconstruct import reconstructed
from controller.rounds.rows import round_records
from protocols.dealing.catalog import procedures
from protocols.errors import ShoewatchError
from protocols.events import DealerChanged
from protocols.records import LinkChanged

TABLES = {"bj-01": "nd-card-reader", "bac-01": "pb-fr", "st-01": "nj-ms-hand"}
ROUNDS = 12
FAULTS = {"shoe.faulted", "reader.faulted"}


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A journal of each game, with misdeals, a reader that fails and a line that was lost."""
    folder = tmp_path_factory.mktemp("journals")
    found: dict[str, Path] = {}
    for seed, (table, procedure) in enumerate(TABLES.items()):
        log = dealt(procedure, seed + 7, ROUNDS, 0.5)
        lost = LinkChanged("shoe", "ready", "lost", "gone")
        ended = DealerChanged(actor=f"dealer of {table}")
        half = len(log.events) // 2
        events = (*log.events[:half], lost, *log.events[half:], ended)
        found[table] = keep(folder / f"{table}.db", (log.header, events), table=table)
    return found


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory, journals: dict[str, Path]) -> Database:
    database = parse_database(str(tmp_path_factory.mktemp("archive") / "archive.db"))
    for path in journals.values():
        archive(path, database)
    return database


@pytest.fixture(scope="module")
def in_postgresql(postgresql: Postgres, journals: dict[str, Path]) -> Database:
    database = postgresql.database()
    for path in journals.values():
        archive(path, database)
    return database


@pytest.fixture(params=["sqlite", "in_postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    found: Database = request.getfixturevalue(request.param)
    return found


def datas(path: Path) -> Iterator[tuple[Row, dict[str, Any]]]:
    for row in read_all(path):
        yield row, json.loads(row.body)["data"]


def test_a_round_is_the_same_in_the_journal_and_in_the_archive(database: Database, journals: dict[str, Path]) -> None:
    with looking(database) as connection:
        for table, path in journals.items():
            [chain] = chains_asked(connection, [f"/riverside/{table}"])
            kept = InArchive(database, connection, chain)
            for number in range(1, ROUNDS + 1):
                shown, original = (
                    reconstructed(round_records(each, number), procedures()) for each in (kept, InJournal(path))
                )
                assert shown == original


SPANS: list[Callable[[datetime], Wanted]] = [
    lambda middle: Wanted(),
    lambda middle: Wanted(violations=True),
    lambda middle: Wanted(since=middle),
    lambda middle: Wanted(until=middle),
    lambda middle: Wanted(since=middle, until=middle + timedelta(milliseconds=20)),
]


@pytest.mark.parametrize("wanted", SPANS)
def test_the_list_is_the_same(
    database: Database, journals: dict[str, Path], wanted: Callable[[datetime], Wanted]
) -> None:
    with looking(database) as connection:
        for table, path in journals.items():
            rows = list(read_all(path))
            middle = datetime.fromisoformat(rows[len(rows) // 2].wall)
            [chain] = chains_asked(connection, [f"/riverside/{table}"])
            told = list(listed(InArchive(database, connection, chain), wanted(middle)))
            assert told == list(listed(InJournal(path), wanted(middle)))


def test_violations_faults_and_fallbacks(database: Database, journals: dict[str, Path]) -> None:
    said = [(table, row, data) for table, path in journals.items() for row, data in datas(path)]
    judged = [each for each in said if each[2]["kind"] == "table"]
    expected = {
        "violations": [each for each in judged if each[2]["verdict"]["outcome"] == "violation"],
        "faults": [
            each for each in said if each[2].get("event", {}).get("type") in FAULTS or each[2].get("to") == "lost"
        ],
        "fallbacks": [
            each
            for each in judged
            if each[2]["event"]["type"] in ("reader.faulted", "reader.restored", "method.selected")
        ],
    }
    assert all(expected.values())
    with looking(database) as connection:
        for what, wanted in expected.items():
            told = list(found(connection, what, Asked()))  # type: ignore[arg-type]
            assert sorted((each.table, each.seq) for each in told) == sorted(
                (f"riverside/{table}", row.seq) for table, row, _ in wanted
            )
            assert [each.time for each in told] == sorted(each.time for each in told)


def test_what_is_asked_narrows_it(database: Database, journals: dict[str, Path]) -> None:
    with looking(database) as connection:
        every = list(found(connection, "violations", Asked()))
        some = every[len(every) // 2]
        since = datetime.fromisoformat(some.time)
        asked: dict[str, tuple[Asked, Callable[[Found], bool]]] = {
            "code": (Asked(code=some.code), lambda each: each.code == some.code),
            "rule": (Asked(rule=some.rule), lambda each: each.rule == some.rule),
            "table": (Asked(sources=(f"/{some.table}",)), lambda each: each.table == some.table),
            "since": (Asked(since=since), lambda each: each.time >= some.time),
            "until": (Asked(until=since), lambda each: each.time < some.time),
            "dealer": (Asked(dealer="nobody"), lambda each: False),
        }
        for name, (limits, takes) in asked.items():
            assert list(found(connection, "violations", limits)) == [each for each in every if takes(each)], name
        with pytest.raises(ShoewatchError, match=r"no table riverside/bj-99 \(it has: riverside/bac-01, "):
            list(found(connection, "violations", Asked(sources=("/riverside/bj-99",))))


def test_a_dealer_is_known_from_when_he_came(tmp_path: Path) -> None:
    told = bodies(tmp_path, "j", (*FACTS, DealerChanged(actor="ada"), *FACTS, DealerChanged(), *FACTS))
    database = parse_database(str(tmp_path / "archive.db"))
    with Store(database) as store:
        for body in told:
            store.take(received([body]), {})
    came = [number for number, body in enumerate(told, start=1) if b'"dealer.changed"' in body]
    with looking(database) as connection:
        [chain] = chains_asked(connection, ())
        rows = connection.execute(RECORD.select().order_by(RECORD.c.seq))
        assert [row.seq for row in rows if row.dealer == "ada"] == list(range(came[0], came[1]))
        numbers = list(connection.scalars(rounds_with(chain, Asked(dealer="ada"))))
        assert len(numbers) == 4


def test_the_commands(sqlite: Database, journals: dict[str, Path], tmp_path: Path) -> None:
    where = ("--db", str(sqlite))
    text = shoewatch("archive", "query", "violations", *where)
    lines = [json.loads(each) for each in ask("violations", *where, "--format", "json").splitlines()]
    assert text.stdout.count("\n") == len(lines)
    in_csv = csv.DictReader(ask("violations", *where, "--format", "csv").splitlines())
    assert [each["code"] for each in in_csv] == [each["code"] for each in lines]
    assert f" {lines[0]['table']} {lines[0]['epoch']} #{lines[0]['seq']} " in text.stdout.splitlines()[0]
    counted = [json.loads(each) for each in ask("counts", *where, "--format", "json").splitlines()]
    codes: Counter[str] = Counter()
    for each in counted:
        codes[each["code"]] += each["count"] if each["outcome"] == "violation" else 0
    assert +codes == Counter(each["code"] for each in lines)
    code = lines[0]["code"]
    with_code = [json.loads(each) for each in ask("rounds", *where, "--code", code, "--format", "json").splitlines()]
    assert with_code
    assert all(code in each["codes"] for each in with_code)
    nothing = shoewatch("archive", "query", "incidents", *where)
    assert (nothing.status, nothing.stdout, nothing.stderr) == (0, "", "nothing is found\n")
    heading = shoewatch("archive", "query", "incidents", *where, "--format", "csv").stdout
    assert heading.split() == ["time,table,epoch,seq,through,what,why"]
    for form in ((), ("--json",), ("--html", "-")):
        original = shoewatch("rounds", "show", "3", str(journals["bj-01"]), *form)
        assert ask("round", "riverside/bj-01", "3", *where, *form) == original.stdout != ""


WRONG = [
    (("violations",), "one of the two says which archive"),
    (("violations", "--db", "nowhere.db"), "nowhere.db: there is no archive here"),
    (("rounds", "--db", "{}", "--table", "riverside/bj-02"), "the archive has no table riverside/bj-02"),
    (("rounds", "--db", "{}", "--since", "soon"), "'soon' is no time"),
    (("counts", "--db", "{}", "--shifts", "25:00"), "'25:00' names no shifts"),
    (("round", "riverside/bj-01", "99", "--db", "{}"), "there is no round 99"),
    (("round", "riverside/bj-01", "1", "--db", "{}", "--epoch", "x"), "riverside/bj-01 has no epoch x"),
    (("round", "riverside/bj-01", "1", "--db", "{}", "--json", "--html", "-"), "--json and --html"),
]


@pytest.mark.parametrize(("arguments", "why"), WRONG)
def test_what_cannot_be_asked(sqlite: Database, arguments: tuple[str, ...], why: str) -> None:
    told = shoewatch("archive", "query", *(each.format(sqlite) for each in arguments))
    assert (told.status, told.stdout) == (2, "")
    assert why in told.stderr


def ask(*arguments: str) -> str:
    told = shoewatch("archive", "query", *arguments)
    assert (told.status, told.stderr) == (0, "")
    return told.stdout


def test_shifts() -> None:
    starts = read_shifts("22:00, 06:00,14:00")
    assert starts == (time(6), time(14), time(22))
    zone = ZoneInfo("Europe/Paris")

    def shift(moment: str) -> tuple[date, time]:
        at = datetime.fromisoformat(moment).replace(tzinfo=zone)
        return shift_of(round(at.timestamp() * 1000), starts, lambda each: each.astimezone(zone))

    assert shift("2026-11-30T06:00") == (date(2026, 11, 30), time(6))
    assert shift("2026-11-30T05:59:59.999") == (date(2026, 11, 29), time(22))
    assert shift("2026-12-01T00:00") == (date(2026, 11, 30), time(22))
    assert shift("2026-03-29T03:00") == (date(2026, 3, 28), time(22))
    for wrong in ("", "6", "06:00+01:00", "06:00:30"):
        with pytest.raises(ShoewatchError, match="names no shifts"):
            read_shifts(wrong)


ASKED = {
    "all": Asked(),
    "a time": Asked(since=datetime(2026, 11, 30, tzinfo=UTC), until=datetime(2026, 12, 1, tzinfo=UTC)),
    "a table": Asked(sources=("/riverside/bj-07",), since=datetime(2026, 11, 30, tzinfo=UTC)),
    "a code": Asked(code="order"),
    "a rule": Asked(rule="1.c", since=datetime(2026, 11, 30, tzinfo=UTC)),
    "a dealer": Asked(dealer="ada", until=datetime(2026, 12, 1, tzinfo=UTC)),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_no_question_reads_every_record(tmp_path: Path, asked: Asked) -> None:
    database = parse_database(str(tmp_path / "archive.db"))
    archive(_journal(tmp_path), database)
    with looking(database) as connection:
        [chain] = chains_asked(connection, ())
        questions: dict[str, Select[Any]] = {
            "violations": statement(connection, "violations", asked),
            "faults": statement(connection, "faults", asked),
            "fallbacks": statement(connection, "fallbacks", asked),
            "counts": counted(connection, asked),
            "rounds": rounds_with(chain, asked),
        }
        for name, question in questions.items():
            assert not [step for step in plan(connection, question) if reads_all(step)], name


def test_nor_does_a_round(tmp_path: Path) -> None:
    database = parse_database(str(tmp_path / "archive.db"))
    archive(_journal(tmp_path), database)
    with looking(database) as connection:
        [chain] = chains_asked(connection, ())
        asked: list[str] = []
        connection.connection.set_trace_callback(asked.append)
        kept = InArchive(database, connection, chain)
        reconstructed(round_records(kept, 2), procedures())
        list(listed(kept, Wanted(since=datetime(2026, 11, 30, tzinfo=UTC))))
        connection.connection.set_trace_callback(None)
        selects = [each for each in asked if "FROM record" in each]
        assert len(selects) > 8
        for each in selects:
            steps = [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {each}")]
            assert not [step for step in steps if reads_all(step)], each


def plan(connection: Connection, question: Select[Any]) -> list[str]:
    compiled = question.compile(connection, compile_kwargs={"literal_binds": True})
    return [row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}")]


def reads_all(step: str) -> bool:
    """A scan of an index that holds only what is asked for is none of everything."""
    return step.startswith("SCAN record") and "record_faulty" not in step


def _journal(folder: Path) -> Path:
    tell(folder / "journal.db")
    return folder / "journal.db"
