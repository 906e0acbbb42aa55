"""What a start finds in a journal's file: an older schema, a torn write-ahead log, a damaged tail, a backup."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mqtt_table import SITE, TABLE, add, opened
from told_journal import SIGNER, changing, found, rechained, rewritten, tell

from controller import journal_schema
from controller.journal import Journal
from controller.journal_backup import back_up
from controller.journal_file import JournalError, read_all
from controller.journal_verify import verify_journal
from protocols.records import STOP

OLDER = (
    "CREATE TABLE record(seq INTEGER PRIMARY KEY, boot TEXT, mono_ns INTEGER, wall TEXT, kind TEXT, n INTEGER,"
    " round INTEGER, body BLOB, hash BLOB) STRICT",
    "INSERT INTO record SELECT seq, boot, mono_ns, wall, kind, n, round, body, hash FROM newer.record",
    "CREATE TABLE cursor(name TEXT PRIMARY KEY, seq INTEGER) STRICT",
    "CREATE TABLE parked(seq INTEGER PRIMARY KEY, reason TEXT) STRICT",
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) STRICT",
    "INSERT INTO meta SELECT key, value FROM newer.meta",
    "UPDATE meta SET value = '0' WHERE key = 'schema'",
)
"""A journal before there was anything sealed or signed."""


def to_the_first(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE record RENAME TO old")
    connection.execute(
        "CREATE TABLE record(seq INTEGER PRIMARY KEY, boot TEXT, mono_ns INTEGER, wall TEXT, kind TEXT, n INTEGER,"
        " round INTEGER, body BLOB, sealed BLOB, hash BLOB) STRICT"
    )
    connection.execute("INSERT INTO record SELECT seq, boot, mono_ns, wall, kind, n, round, body, NULL, hash FROM old")
    connection.execute("DROP TABLE old")
    connection.execute("CREATE TABLE checkpoint(seq INTEGER PRIMARY KEY, signature BLOB, key_id TEXT) STRICT")


@pytest.fixture
def older(tmp_path: Path) -> Path:
    newer, path = tmp_path / "newer.db", tmp_path / "journal.db"

    async def fill() -> None:
        async with opened(newer) as journal:
            await add(journal, 30)

    asyncio.run(fill())
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("ATTACH ? AS newer", (str(newer),))
        for statement in OLDER:
            file.execute(statement)
    return path


def test_an_older_journal_is_brought_up_to_date(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JournalError, match=r"schema 0, older than 2: .* brings it up to date"):
        next(read_all(older))
    monkeypatch.setitem(journal_schema.MIGRATIONS, 0, to_the_first)

    async def go_on() -> None:
        async with opened(older) as journal:
            assert journal.last_seq == 30
            await add(journal, 5)

    asyncio.run(go_on())
    assert [row.seq for row in read_all(older)] == list(range(1, 36))
    assert verify_journal(older).problem is None


def test_a_step_that_fails_leaves_the_file_as_it_was(older: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(connection: sqlite3.Connection) -> None:
        to_the_first(connection)
        connection.execute("CREATE TABLE meta(key TEXT)")

    def dump() -> list[str]:
        with closing(sqlite3.connect(older)) as file:
            return list(file.iterdump())

    before = dump()
    monkeypatch.setitem(journal_schema.MIGRATIONS, 0, half)
    with pytest.raises(JournalError, match="cannot be brought up to date"):
        Journal.open(older, SITE, TABLE)
    assert dump() == before


def test_a_schema_that_nobody_knows_any_more_is_refused(older: Path) -> None:
    with pytest.raises(JournalError, match="too old for this shoewatch"):
        Journal.open(older, SITE, TABLE)


def test_a_newer_schema_is_refused_with_what_to_do(older: Path) -> None:
    with changing(older) as file:
        file.execute("UPDATE meta SET value = '7' WHERE key = 'schema'")
    with pytest.raises(JournalError, match=r"A newer shoewatch wrote it: run that one, or begin a new journal"):
        Journal.open(older, SITE, TABLE)


@pytest.fixture(scope="module")
def unfolded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a journal as a power cut leaves it: everything is still in the write-ahead log."""
    folder = tmp_path_factory.mktemp("cut")

    async def fill() -> None:
        async with opened(folder / "journal.db") as journal:
            for _ in range(40):
                await add(journal, 3)
            (folder / "cut").mkdir()
            for name in ("journal.db", "journal.db-wal"):
                shutil.copy(folder / name, folder / "cut" / name)

    asyncio.run(fill())
    assert (folder / "cut" / "journal.db-wal").stat().st_size > 100_000
    return folder / "cut"


def reopened(unfolded: Path, folder: Path, wal: bytes) -> int:
    """How many records there are after a start on this write-ahead log; the chain is proved, and the table goes on."""
    folder.mkdir(exist_ok=True)
    shutil.copy(unfolded / "journal.db", folder / "journal.db")
    (folder / "journal.db-wal").write_bytes(wal)
    (folder / "journal.db-shm").unlink(missing_ok=True)

    async def go_on() -> int:
        async with opened(folder / "journal.db") as journal:
            last = journal.last_seq
            await add(journal, 1)
            return last

    last = asyncio.run(go_on())
    assert verify_journal(folder / "journal.db").problem is None
    assert [row.seq for row in read_all(folder / "journal.db")] == list(range(1, last + 2))
    return last


@settings(max_examples=20, deadline=None)
@given(part=st.floats(0.25, 1.0))
def test_a_torn_end_loses_whole_commits_and_nothing_before(
    unfolded: Path, tmp_path_factory: pytest.TempPathFactory, part: float
) -> None:
    wal = (unfolded / "journal.db-wal").read_bytes()
    last = reopened(unfolded, tmp_path_factory.getbasetemp() / "torn", wal[: int(len(wal) * part)])
    assert last % 3 == 0
    assert last >= int(120 * part) - 60 or part < 0.5
    assert last == 120 or part < 1.0


@settings(max_examples=20, deadline=None)
@given(part=st.floats(0.25, 0.999), bit=st.integers(0, 7))
def test_a_flipped_bit_in_it_ends_it_there(
    unfolded: Path, tmp_path_factory: pytest.TempPathFactory, part: float, bit: int
) -> None:
    wal = bytearray((unfolded / "journal.db-wal").read_bytes())
    wal[int(len(wal) * part)] ^= 1 << bit
    assert reopened(unfolded, tmp_path_factory.getbasetemp() / "flipped", bytes(wal)) % 3 == 0


def test_numbers_that_were_published_are_not_given_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    tell(path, delivered=True)
    last = len(found(path))
    with changing(path) as file:
        file.execute("DELETE FROM record WHERE seq = ?", (last,))
    with pytest.raises(
        JournalError, match=rf"record {last} of the journal is missing: it was published already\. Keep"
    ):
        Journal.open(path, "riverside", "bj-07")


def test_a_tail_that_is_not_what_was_signed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    tell(path)
    rewritten(path, found(path)[:-3])
    with pytest.raises(JournalError, match="is missing: it was signed already"):
        Journal.open(path, "riverside", "bj-07")


def test_a_damaged_record_of_the_tail_is_named_and_one_long_ago_keeps_nobody(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    tell(path)
    rows = found(path)
    with changing(path) as file:
        file.execute("UPDATE record SET body = x'7b7d' WHERE seq = 3")
    asyncio.run(opens(path))
    told = verify_journal(path).problem
    assert told is not None
    assert told.seq == 3
    with changing(path) as file:
        file.execute("UPDATE record SET body = x'7b7d' WHERE seq = ?", (len(rows) - 1,))
    with pytest.raises(
        JournalError, match=rf"record {len(rows) - 1} of the journal is damaged.*Keep the file as evidence"
    ):
        Journal.open(path, "riverside", "bj-07")


async def opens(path: Path) -> None:
    await Journal.open(path, "riverside", "bj-07").close()


def test_a_backup_is_taken_while_the_daemon_writes_and_is_sound(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.db", tmp_path / "backup.db"

    async def work() -> int:
        async with opened(path) as journal:
            await add(journal, 2000)
            copying = asyncio.create_task(asyncio.to_thread(back_up, path, out))
            while not copying.done():
                await add(journal, 5)
                await asyncio.sleep(0)
            told = await copying
            assert told.problem is None
            assert 2000 <= told.last <= journal.last_seq
            return told.last

    last = asyncio.run(work())
    assert (out.stat().st_mode & 0o777, sorted(each.name for each in tmp_path.glob("backup*"))) == (
        0o600,
        ["backup.db"],
    )
    assert list(read_all(out)) == list(read_all(path))[:last]


def test_a_backup_is_no_journal_to_go_on_with(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.db", tmp_path / "backup.db"
    tell(path, [STOP])
    back_up(path, out)
    with pytest.raises(JournalError, match=r"this is a backup of the records up to 3, .* begin a new journal"):
        Journal.open(out, "riverside", "bj-07")
    with pytest.raises(JournalError, match="is there already"):
        back_up(path, out)
    assert verify_journal(out).checkpoints == {SIGNER.key_id: 1}


def test_a_backup_of_what_is_not_sound_says_so(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.db", tmp_path / "backup.db"
    tell(path)
    rewritten(path, rechained(found(path)[:4] + found(path)[5:]))
    told = back_up(path, out).problem
    assert told is not None
    assert out.exists()
