"""What may go of a journal, what stays, and that what is left proves itself and brings the table back."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import shoewatch as run
from mqtt_table import until
from test_ledger import VAULT
from told_journal import FACTS, SIGNER, STRANGER, changing, found, ledger_at, rewritten, round_of, tell

from controller import config
from controller.ages import Now, made_before, older_than
from controller.clock import Clock
from controller.enforcement import LockStanding, last_lock
from controller.journal import Journal
from controller.journal_care import JournalCare
from controller.journal_file import JournalError, Row, delete_rows, lock, read_header_log
from controller.journal_verify import verify_journal
from controller.pruning import prune_journal
from controller.recovery import recovered
from controller.retention import Pruning, planned
from protocols.dealing.catalog import procedure_named
from protocols.dealing.digest import digest
from protocols.records import STOP, DeviceReported, Ordered, SystemNoted

LATER = datetime.now(UTC) + timedelta(days=1)
DEVICES = (
    DeviceReported("reader", "error", {"code": "tdl-03", "eseq": 7}),
    DeviceReported("reader", "counters", {"bad_check": 2}),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Five rounds that the broker has, the last one just begun."""
    path = tmp_path / "journal.db"
    tell(path, (*FACTS, *DEVICES, *round_of("9h"), *round_of("5d"), *round_of("2s")[:3]), delivered=True)
    return path


def pruned(path: Path, before: datetime = LATER) -> Pruning | None:
    return asyncio.run(prune_journal(path, made_before(before), SIGNER))


def standing(path: Path, epoch: str) -> object:
    """What a start makes of it, but for the record it ends with."""
    again = recovered(path, epoch, procedure_named, VAULT)
    assert again is not None
    assert again.differs is None
    there = again.standing
    commits = {n: each.commit for n, each in there.withheld.items()}
    state = digest(there.check.histories, commits)
    return state, there.check.events, there.round, there.lasting, there.facts_from, there.round_from, again.verdict


def test_whole_rounds_go_and_the_rest_proves_itself(path: Path) -> None:
    before, rows = verify_journal(path), found(path)
    told = pruned(path)
    assert told is not None
    assert json.loads(rows[told.through].body)["data"]["what"] == "checkpoint"
    after = verify_journal(path)
    assert (after.problem, after.pruned, after.epoch) == (None, told.through, before.epoch)
    left = [row.seq for row in found(path)]
    assert left == [*told.kept, *range(told.through + 1, len(rows) + 3)]
    assert after.signed == after.last - 1 == len(rows) + 1
    assert pruned(path) is None


def test_the_table_comes_back_the_same(path: Path) -> None:
    epoch = verify_journal(path).epoch
    before = standing(path, epoch)
    assert pruned(path)
    assert standing(path, epoch) == before
    tell(path, [*round_of("2s")[3:], STOP])
    assert verify_journal(path).problem is None


def test_what_a_start_looks_for_stays(path: Path) -> None:
    rows = found(path)
    told = pruned(path)
    assert told is not None
    stay = [json.loads(rows[seq - 1].body)["data"] for seq in told.kept]
    assert [data["kind"] for data in stay] == ["header", "system", "link", "device", "device"]
    assert [data["what"] for data in stay if data["kind"] == "system"] == ["start"]
    assert [data["to"] for data in stay if data["kind"] == "link"] == ["lost"]


GIVEN_LOCK = Ordered("shoe", "lock", {"locked": True}, "lock-order-9", "given")
DONE = Ordered("shoe", "lock", {"locked": True}, "lock-order-9", "ok")
LIFTED = Ordered("shoe", "lock", {"locked": False}, "u", "ok", "supervisor")
NOT_LIFTED = Ordered("shoe", "lock", {"locked": False}, "u", "no_link", "supervisor")


@pytest.mark.parametrize(
    ("orders", "stands"),
    [
        ((), LockStanding()),
        ((GIVEN_LOCK, DONE), LockStanding("lock-order-9", "order")),
        ((GIVEN_LOCK, DONE, NOT_LIFTED), LockStanding("lock-order-9", "order")),
        ((GIVEN_LOCK, DONE, LIFTED), LockStanding()),
        ((LIFTED, GIVEN_LOCK), LockStanding("lock-order-9", "order")),
    ],
)
def test_a_shoe_stays_locked_when_its_order_is_old(
    tmp_path: Path, orders: Sequence[Ordered], stands: LockStanding
) -> None:
    path = tmp_path / "journal.db"
    tell(path, (*FACTS, *orders, *round_of("9h"), *round_of("5d"), *round_of("2s")[:3]), delivered=True)
    rows = len(found(path))
    told = pruned(path)
    assert told is not None
    assert told.through > len(FACTS) + len(orders)
    assert len(found(path)) < rows
    assert last_lock(path) == stands
    assert verify_journal(path).problem is None


@pytest.mark.parametrize(
    "keep",
    [
        "UPDATE cursor SET seq = 9",
        "DELETE FROM cursor",
        "INSERT INTO cursor VALUES('archive', 3)",
        "DELETE FROM checkpoint",
        "DELETE FROM meta WHERE key = 'snapshot'",
    ],
)
def test_nothing_goes_that_somebody_needs(path: Path, keep: str) -> None:
    with changing(path) as file:
        file.execute(keep)
    assert planned(path, made_before(LATER)) is None


def test_what_the_broker_refused_stays(path: Path) -> None:
    with changing(path) as file:
        file.execute("INSERT INTO parked VALUES(12, 'too long')")
    told = pruned(path)
    assert told is not None
    assert 12 in told.kept
    assert verify_journal(path).problem is None


@pytest.mark.parametrize("change", ["DELETE FROM record WHERE seq = ?", "UPDATE record SET wall = '' WHERE seq = ?"])
def test_what_was_kept_is_proved_too(path: Path, change: str) -> None:
    told = pruned(path)
    assert told is not None
    with changing(path) as file:
        file.execute(change, (min(told.kept),))
    problem = verify_journal(path).problem
    assert problem is not None
    assert problem.seq == min(told.kept)


def test_records_that_somebody_else_let_go_are_missing(path: Path) -> None:
    with changing(path) as file:
        file.execute("DELETE FROM record WHERE seq <= 13")
    problem = verify_journal(path).problem
    assert problem is not None
    assert (problem.seq, "records 1 to 13 are missing" in problem.why) == (14, True)


def test_a_pruning_that_no_table_signed_is_none(path: Path) -> None:
    told = planned(path, made_before(LATER))
    assert told is not None
    tell(path, [SystemNoted("other")])
    forged = [row for row in found(path) if row.seq in told.kept or row.seq > told.through]
    data = {"kind": "system", "what": "journal.pruned", "data": told.note().data}
    fields = json.loads(forged[-1].body) | {"data": data}
    body = json.dumps(fields, separators=(",", ":")).encode()
    forged[-1] = replace(forged[-1], body=body, hash=hashlib.sha256(body).digest())
    rewritten(path, forged)
    problem = verify_journal(path).problem
    assert problem is not None
    assert (problem.seq, "no checkpoint covers it" in problem.why) == (forged[-1].seq, True)


def test_a_kill_in_the_middle_of_it_leaves_a_sound_journal(path: Path) -> None:
    """The oldest are gone, of the others each is still there."""
    told = planned(path, made_before(LATER))
    assert told is not None
    tell(path, [told.note()])
    for _ in range(told.through - len(told.kept) - 1):
        with changing(path) as file:
            delete_rows(file, told.through, [*told.kept], 1)
        again = verify_journal(path)
        assert (again.problem, again.pruned) == (None, told.through)
    then = pruned(path)
    assert then is not None
    assert [row.seq for row in found(path)][: len(then.kept)] == [*then.kept]
    assert verify_journal(path).problem is None


def aged(rows: Sequence[Row], boots: Sequence[tuple[str, int, str]]) -> list[Row]:
    """The rows with the clocks of these boots: its name, up to which record, and the wall clock at its first one; a
    record is an hour after the one before."""
    made: list[Row] = []
    for row in rows:
        index = next(at for at, (_, last, _) in enumerate(boots) if row.seq <= last)
        first = boots[index - 1][1] if index else 0
        hours = timedelta(hours=row.seq - first)
        wall = datetime.fromisoformat(boots[index][2]) + hours
        made.append(
            replace(row, boot=boots[index][0], mono_ns=int(hours.total_seconds()) * 10**9, wall=wall.isoformat())
        )
    return made


@pytest.mark.parametrize(
    ("walls", "clock_set", "last"),
    [
        ([("a", 20, "2026-01-01T00:00Z"), ("b", 999, "2026-02-01T00:00Z")], None, 20),
        ([("a", 20, "1970-01-01T00:00Z"), ("b", 999, "2026-02-01T00:00Z")], None, 20),
        ([("a", 20, "2026-01-01T00:00Z"), ("b", 999, "1970-01-01T00:00Z")], "2026-02-03T00:00Z", 20),
        ([("a", 20, "2099-01-01T00:00Z"), ("b", 999, "2026-02-01T00:00Z")], None, 0),
    ],
    ids=["right", "never set", "set late", "in the future"],
)
def test_the_age_is_reckoned_from_the_clock_once_it_is_set(
    path: Path, walls: Sequence[tuple[str, int, str]], clock_set: str | None, last: int
) -> None:
    """Whatever the wall clock said at first: a record that may be young stays."""
    rows = aged(found(path), walls)
    if clock_set:
        rows[-1] = replace(rows[-1], wall=datetime.fromisoformat(clock_set).isoformat())
    rewritten(path, rows)
    told = planned(path, made_before(datetime(2026, 1, 20, tzinfo=UTC)))
    signed = [row.seq - 1 for row in rows if b'"what":"checkpoint"' in row.body and row.seq - 1 <= last]
    assert (told.through if told else 0) == (signed[-1] if signed else 0)


@pytest.mark.parametrize(("boot", "ran_days", "goes"), [("boot", 0, False), ("another", 0, False), ("boot", 31, True)])
def test_a_clock_that_was_set_ahead_makes_no_record_old(path: Path, boot: str, ran_days: int, goes: bool) -> None:
    """Whether since a reboot or while the computer ran: only running makes it old at once."""
    now = Now(boot, ran_days * 86_400 * 10**9, datetime.now(UTC) + timedelta(days=3650))
    assert (planned(path, older_than(30, now)) is not None) is goes


def test_a_table_that_cannot_go_on_from_there_begins_a_new_header(path: Path) -> None:
    """As after a change of the rules, which the state that was kept does not fit any more."""
    epoch, rounds = verify_journal(path).epoch, [row.round or 0 for row in found(path)]
    assert pruned(path)
    with changing(path) as file:
        file.execute("UPDATE meta SET value = replace(value, '\"check\":', '\"chekc\":') WHERE key = 'snapshot'")
    told = recovered(path, epoch, procedure_named, VAULT)
    assert told is not None
    tell(path, [*round_of("7s"), STOP])
    data = [json.loads(row.body)["data"] for row in found(path)]
    begins = max(at for at, each in enumerate(data) if each["kind"] == "header")
    assert begins > 10
    assert [each["n"] for each in data[begins:] if each["kind"] == "table"] == list(range(1, 9))
    assert {each["round"] for each in data[begins:] if each["kind"] == "table"} == {max(rounds) + 1}
    assert verify_journal(path).problem is None


def test_a_log_that_lost_its_beginning_is_not_exported_as_if_it_had_it(path: Path) -> None:
    assert pruned(path)
    with pytest.raises(JournalError, match="were let go"):
        list(read_header_log(path))


class LongAgo(Clock):
    def wall(self) -> str:
        return "2020-01-01T00:00:00.000Z"


def test_a_daemon_lets_old_records_go_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    tell(path, (*FACTS, *round_of("9h"), *round_of("5d")), delivered=True, clock=LongAgo("long ago"))
    with changing(path) as file:
        file.execute("UPDATE record SET mono_ns = seq * 5 * 86400 * 1000000000")
    records = len(found(path))

    async def start() -> None:
        journal = Journal.open(path, "riverside", "bj-07")
        ledger = ledger_at(path, journal, SIGNER, Clock())

        async def note(fact: SystemNoted) -> None:
            entry = ledger.enter(fact, 0)
            assert entry.checkpoint
            await journal.append(entry.rows, checkpoints=[entry.checkpoint])

        care = JournalCare(journal, config.Journal.model_construct(path=path, keep_days=30), note, lambda _: None)
        task = asyncio.create_task(care.run())
        await until(lambda: verify_journal(path).pruned is not None and len(found(path)) < records // 2)
        task.cancel()
        await asyncio.wait([task])
        await journal.close()

    asyncio.run(start())
    assert verify_journal(path).problem is None


def test_the_command(path: Path) -> None:
    key = path.with_name("journal.db-signing-key")
    key.write_text(bytes(range(32)).hex())
    assert run("journal", "prune", str(path)).status == 2
    assert "no time" in run("journal", "prune", str(path), "--before", "yesterday").stderr
    done = run("journal", "prune", str(path), "--before", (LATER + timedelta(days=1)).date().isoformat())
    assert (done.status, done.stderr) == (0, "")
    assert "nothing can go" in run("journal", "prune", str(path), "--keep-days", "1").stdout

    held = lock(path)
    used = run("journal", "prune", str(path), "--keep-days", "1")
    os.close(held)
    assert (used.status, "another shoewatch is using this journal" in used.stderr) == (2, True)


def forged(row: Row) -> Row:
    body = row.body.replace(b'"time":"2', b'"time":"1')
    return replace(row, wall="1" + row.wall[1:], body=body, hash=hashlib.sha256(body).digest())


@pytest.mark.parametrize("which", [slice(10, 11), slice(4, 11), slice(10, None)], ids=["one", "a round", "the last"])
@pytest.mark.parametrize("change", [forged, lambda row: row], ids=["forged", "as it was"])
def test_nothing_can_be_put_among_what_was_let_go(path: Path, which: slice, change: Callable[[Row], Row]) -> None:
    rows = found(path)
    told = pruned(path)
    assert told is not None
    left = {row.seq: row for row in found(path)}
    put = [change(row) for row in rows[: told.through][which] if row.seq not in left]
    rewritten(path, sorted([*left.values(), *put], key=lambda row: row.seq))
    assert verify_journal(path).problem is not None


def test_another_key_lets_nothing_go(path: Path) -> None:
    before = found(path)
    with pytest.raises(JournalError, match=f"{SIGNER.key_id} signed last, and this is key {STRANGER.key_id}"):
        asyncio.run(prune_journal(path, made_before(LATER), STRANGER))
    assert found(path) == before


@pytest.mark.parametrize(("year", "goes"), [(1, False), (1700, False), (2300, True), (9999, True)])
def test_any_moment_can_be_named(path: Path, year: int, goes: bool) -> None:
    assert (planned(path, made_before(datetime(year, 1, 1, tzinfo=UTC))) is not None) is goes


def test_any_number_of_days_can_be_named() -> None:
    assert run("journal", "prune", "none.db", "--keep-days", str(10**9)).status == 2


WRONG_NUMBERS = ((999, 3, 1), (39, -7, 1), (39, "null", 1), (39, "1e400", 1), (39, 10**30, 1), (39, 40, 1))
SNAPSHOTS = (
    *("{", "[]", "5", '"x"', "{}", '{"seq":30}', '{"seq":"x","facts_from":1}', "[" * 100_000),
    *(f'{{"seq":{seq},"facts_from":{facts},"first_round":{first},"check":{{}},"lasting":{{}}}}'
      for seq, facts, first in WRONG_NUMBERS),
)  # fmt: skip


def changed_snapshot(path: Path, name: str, value: object) -> str:
    with changing(path) as file:
        fields = json.loads(file.execute("SELECT value FROM meta WHERE key = 'snapshot'").fetchone()[0])
    return json.dumps(fields | {name: value})


@pytest.mark.parametrize("text", SNAPSHOTS)
def test_a_damaged_snapshot_is_done_without(path: Path, text: str) -> None:
    epoch = verify_journal(path).epoch
    expected = standing(path, epoch)
    with changing(path) as file:
        file.execute("UPDATE meta SET value = ? WHERE key = 'snapshot'", (text,))
    assert standing(path, epoch) == expected
    planned(path, made_before(LATER))


@pytest.mark.parametrize(("name", "value"), [("first_round", 55), ("lasting", "x"), ("check", "x"), ("check", {})])
def test_a_snapshot_that_does_not_fit_is_done_without(path: Path, name: str, value: object) -> None:
    test_a_damaged_snapshot_is_done_without(path, changed_snapshot(path, name, value))
