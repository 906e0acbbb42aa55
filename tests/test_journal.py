"""The journal: durable, in order, one transaction for all that waits, and honest about damage."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from mqtt_table import SITE, TABLE, add, opened, rows

from controller.journal import Journal
from controller.journal_file import JournalError, Row, read_all
from protocols.errors import ShoewatchError
from protocols.records import NO_HASH

HERE = Path(__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def filled(path: Path, count: int) -> None:
    async def fill() -> None:
        async with opened(path) as journal:
            await add(journal, count)

    asyncio.run(fill())


def test_a_new_journal_is_empty_private_and_has_an_epoch_of_its_own(path: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, opened(tmp_path / "other.db") as other:
            assert (journal.last_seq, journal.last_hash, journal.last_round) == (0, NO_HASH, 0)
            assert len(journal.epoch) == 16
            assert journal.epoch != other.epoch
            await add(journal, 1)
            modes = {each.name: each.stat().st_mode & 0o777 for each in os.scandir(tmp_path) if path.name in each.name}
            assert modes == dict.fromkeys(("journal.db", "journal.db-wal", "journal.db-shm", "journal.db-lock"), 0o600)

    asyncio.run(scenario())


def test_rows_come_back_as_they_were_after_reopening(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            written = rows(journal.source, 1, 5, NO_HASH)
            await journal.append(written[:2])
            await journal.append(written[2:])
            epoch = journal.epoch
        async with opened(path) as journal:
            assert journal.epoch == epoch == json.loads(next(read_all(path)).body)["epoch"]
            assert (journal.last_seq, journal.last_hash) == (5, written[-1].hash.hex())
            assert await journal.rows(after=1, limit=3) == written[1:4]
            assert list(read_all(path)) == written
            assert list(read_all(path, after=4)) == written[4:]

    asyncio.run(scenario())


def test_the_last_round_is_the_highest_one(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            first, second = rows(journal.source, 1, 2, NO_HASH)
            await journal.append([replace(first, round=7), second])
            assert journal.last_round == 7
        async with opened(path) as journal:
            assert journal.last_round == 7

    asyncio.run(scenario())


def test_what_waits_is_committed_in_one_transaction(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            commits = 0

            def count(statement: str) -> None:
                nonlocal commits
                commits += statement == "COMMIT"

            journal._worker._connection.set_trace_callback(count)
            written = rows(journal.source, 1, 300, NO_HASH)
            done: list[int] = []

            async def append(row: Row) -> None:
                await journal.append([row])
                done.append(row.seq)

            await asyncio.gather(*map(append, written))
            assert done == list(range(1, 301))
            assert commits < 30
            assert [row.seq for row in await journal.rows(0, 1000)] == done

    asyncio.run(scenario())


def test_nobody_reads_what_is_not_on_disk(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            for _ in range(50):
                appended = add(journal, 3)
                seen = await journal.rows(0, 1000)
                with closing(sqlite3.connect(path)) as other:
                    stored = other.execute("SELECT count(*) FROM record").fetchone()[0]
                assert len(seen) <= stored
                await appended

    asyncio.run(scenario())


def test_a_failed_append_fails_every_later_one(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            await add(journal, 3)
            good = rows(journal.source, 4, 2, journal.last_hash)
            with pytest.raises(JournalError, match="UNIQUE"):
                await journal.append([good[0], good[0]])
            with pytest.raises(JournalError, match="UNIQUE"):
                await journal.append(good)
            assert journal.last_seq == 3
            assert [row.seq for row in await journal.rows(0, 10)] == [1, 2, 3]
            await journal.move_cursor("mqtt", 2)
            assert await journal.cursor("mqtt") == 2

    asyncio.run(scenario())


def test_cursors_only_go_forward_and_outlast_a_restart(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            await add(journal, 7)
            assert await journal.cursor("mqtt") == 0
            await journal.move_cursor("mqtt", 7)
            await journal.move_cursor("mqtt", 5)
            await journal.park(3, "Not authorized")
        async with opened(path) as journal:
            assert await journal.cursor("mqtt") == 7
            assert await journal.cursor("archive") == 0
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT * FROM parked").fetchall() == [(3, "Not authorized")]

    asyncio.run(scenario())


def test_the_tables_are_strict_and_as_decided(path: Path) -> None:
    filled(path, 1)
    with closing(sqlite3.connect(path)) as file:
        strict = dict(file.execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"))
        columns = [name for (name,) in file.execute("SELECT name FROM pragma_table_info('record')")]
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert {name: strict[name] for name in ("record", "cursor", "parked", "checkpoint", "meta")} == dict.fromkeys(
        ("record", "cursor", "parked", "checkpoint", "meta"), 1
    )
    assert columns == ["seq", "boot", "mono_ns", "wall", "kind", "n", "round", "body", "sealed", "hash"]


def test_the_journal_of_another_table_is_refused(path: Path) -> None:
    filled(path, 1)
    with pytest.raises(ShoewatchError, match=r"riverside/bac-01, not of riverside/bac-02"):
        Journal.open(path, SITE, "bac-02")


def test_what_is_no_journal_is_refused(path: Path) -> None:
    path.write_text("site = 'riverside'\n" * 100)
    with pytest.raises(ShoewatchError, match="not a usable journal"):
        Journal.open(path, SITE, TABLE)


def test_another_database_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE song(title TEXT)")
    with pytest.raises(ShoewatchError, match="not a shoewatch journal"):
        Journal.open(path, SITE, TABLE)


def test_a_newer_schema_is_refused(path: Path) -> None:
    filled(path, 1)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE meta SET value = '9' WHERE key = 'schema'")
    with pytest.raises(ShoewatchError, match="schema 9"):
        Journal.open(path, SITE, TABLE)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ShoewatchError, match="No such file or directory"):
        Journal.open(tmp_path / "missing" / "journal.db", SITE, TABLE)
    with pytest.raises(ShoewatchError, match="no journal can be read"):
        next(read_all(tmp_path / "missing.db"))


def test_a_damaged_last_record_is_told(path: Path) -> None:
    filled(path, 3)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'shoe', 'sho3') AS BLOB) WHERE seq = 3")
    with pytest.raises(ShoewatchError, match=r"record 3 of the journal is damaged"):
        Journal.open(path, SITE, TABLE)


def test_a_torn_file_is_told(path: Path) -> None:
    filled(path, 500)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(ShoewatchError, match=r"damaged|malformed"):
        Journal.open(path, SITE, TABLE)


def test_two_daemons_cannot_share_a_journal(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path):
            with pytest.raises(ShoewatchError, match="another shoewatch"):
                Journal.open(path, SITE, TABLE)
        async with opened(path) as journal:
            await add(journal, 1)

    asyncio.run(scenario())


def test_closing_leaves_no_thread_and_no_descriptor(path: Path) -> None:
    async def scenario() -> None:
        threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))
        for _ in range(10):
            async with opened(path) as journal:
                await add(journal, 1)
                await journal.close()
                with pytest.raises(JournalError, match="closed"):
                    await add(journal, 1)
        assert threading.active_count() == threads
        assert len(os.listdir("/proc/self/fd")) == descriptors

    asyncio.run(scenario())


WRITER = """
import asyncio, sys
from pathlib import Path
from mqtt_table import add, opened

async def write():
    async with opened(Path(sys.argv[1])) as journal:
        while True:
            await add(journal, 3)
            print(journal.last_seq, flush=True)

asyncio.run(write())
"""


@pytest.mark.parametrize("acknowledged", [1, 40])
def test_a_killed_writer_loses_nothing_that_it_told(path: Path, acknowledged: int) -> None:
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE) as writer:
        assert writer.stdout
        told = [int(writer.stdout.readline()) for _ in range(acknowledged)]
        writer.send_signal(signal.SIGKILL)
        told += [int(line) for line in writer.stdout if line.endswith("\n")]
    stored = [row.seq for row in read_all(path)]
    assert len(stored) >= told[-1]
    assert stored == list(range(1, len(stored) + 1))
    assert len(stored) % 3 == 0
    filled(path, 1)
    assert [row.seq for row in read_all(path)][-1] == len(stored) + 1
