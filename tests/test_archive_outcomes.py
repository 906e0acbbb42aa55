"""Tables without a past, with the real daemon: each case has one outcome, and none loses or mixes records."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from archive_floor import CATCH_UP_S, ArchiveFloor, Table, archive_floor
from archived import kept, looking, proved
from mqtt_table import SITE, listening, until
from test_chaos import wait_for

from controller.archive.database import parse_database
from controller.archive.query import Asked, incidents
from controller.broker import EmbeddedBroker
from protocols.floor.topics import Topics

DOUBTING = [sys.executable, str(Path(__file__).with_name("doubting_daemon.py")), "2"]
NAME = "bac-01"


@pytest.fixture
def floor(tmp_path: Path, mosquitto: EmbeddedBroker) -> Iterator[ArchiveFloor]:
    database = parse_database(str(tmp_path / "archive.db"))
    with archive_floor(tmp_path, mosquitto, database, 1, [NAME]) as floor:
        wait_for(lambda: floor.count() > 20 and floor.has_most(), CATCH_UP_S)
        yield floor


def copied(path: Path, name: str) -> Path:
    """A copy of a database that nobody writes, in a folder of its own."""
    folder = path.parent / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in path.parent.glob(f"{path.name}*"):
        if file.is_file():
            shutil.copy2(file, folder)
    return folder


def restored(folder: Path, path: Path) -> None:
    """The copy in place of what is there."""
    for file in path.parent.glob(f"{path.name}*"):
        if file.is_file() and file.suffix != ".toml" and "-key" not in file.name:
            file.unlink()
    for file in folder.iterdir():
        shutil.copy2(file, path.parent)


def told(floor: ArchiveFloor) -> list[str]:
    with looking(floor.database) as connection:
        return [each.what for each in incidents(connection, Asked())]


def alarms(floor: ArchiveFloor) -> list[str]:
    """What the table says of itself now."""

    async def scenario() -> list[str]:
        async with listening(floor.broker.url, Topics(SITE, NAME).status) as listener:
            await until(lambda: bool(listener.messages))
            found: list[str] = json.loads(listener.messages[-1].payload)["alarms"]
            return found

    return asyncio.run(scenario())


def all_sound(floor: ArchiveFloor) -> bool:
    return [each.problem for each in proved(floor.database)] == [None] * len(floor.stored())


@pytest.mark.soak
def test_a_new_journal_has_a_chain_beside_the_old_one(floor: ArchiveFloor) -> None:
    [table] = floor.tables
    table.daemon.end()
    past, before = floor.dealt(), kept(floor.database)
    for file in table.folder.glob("journal.db*"):
        file.unlink()
    table.begin()
    wait_for(lambda: len(floor.stored()) == 2, CATCH_UP_S)
    floor.check_beside(past, before)
    assert told(floor) == ["new_epoch"]
    assert all_sound(floor)


@pytest.mark.soak
def test_an_archive_that_is_restored_from_an_older_copy_gets_what_it_lost(floor: ArchiveFloor) -> None:
    floor.archives["main"].end()
    assert floor.database.file is not None
    older = copied(floor.database.file, "older")
    had = sum(floor.stored().values())
    floor.begin_archive("main")
    floor.wait_for_more(40)
    wait_for(lambda: sum(floor.stored().values()) > had + 20, CATCH_UP_S)
    floor.archives["main"].end()
    restored(older, floor.database.file)
    assert sum(floor.stored().values()) == had
    floor.begin_archive("main")
    floor.check()
    assert told(floor) == []


def test_a_journal_that_is_restored_from_a_backup_is_refused_and_the_table_says_so(floor: ArchiveFloor) -> None:
    [table] = floor.tables
    table.daemon.end()
    backup = copied(table.journal, "backup")
    table.begin()
    floor.wait_for_more(20)
    table.close_the_shoe()
    wait_for(floor.has_all, CATCH_UP_S)
    table.daemon.end()
    before = kept(floor.database)
    restored(backup, table.journal)
    table.begin(DOUBTING)
    wait_for(lambda: "fork" in told(floor), CATCH_UP_S)
    wait_for(lambda: any("the archive has confirmed nothing" in each for each in alarms(floor)), CATCH_UP_S)
    assert kept(floor.database) == before
    assert all_sound(floor)


def long_absence(table: Table, floor: ArchiveFloor, records: int) -> None:
    floor.archives["main"].end()
    floor.wait_for_more(records)
    floor.broker.kill()
    floor.broker.start()


@pytest.mark.soak
def test_a_table_that_comes_back_goes_on_where_it_stopped(floor: ArchiveFloor) -> None:
    """All this while nobody confirmed, and the broker has forgotten what it had for the archive."""
    [table] = floor.tables
    long_absence(table, floor, 300)
    floor.begin_archive("main")
    floor.check()
    assert told(floor) == []


@pytest.mark.soak
def test_a_table_that_comes_back_after_many_records(floor: ArchiveFloor) -> None:
    [table] = floor.tables
    long_absence(table, floor, 10_000)
    floor.begin_archive("main")
    floor.check()
    assert told(floor) == []


@pytest.mark.soak
def test_two_tables_of_one_name_have_two_chains(floor: ArchiveFloor) -> None:
    """The broker ends the connection of one for the other's, again and again."""
    [first] = floor.tables
    second = Table(floor.folder / "again", NAME, floor.broker.url, 7)
    floor.tables.append(second)
    wait_for(lambda: len(floor.stored()) == 2 and "two_tables" in told(floor), CATCH_UP_S)
    for table in floor.tables:
        table.close_the_shoe()
    second.daemon.end()
    of_first = {of: bodies for of, bodies in floor.dealt().items() if bodies[0] == first.rows()[0].body}
    wait_for(lambda: floor.stored().items() >= {of: len(bodies) for of, bodies in of_first.items()}.items(), CATCH_UP_S)
    first.daemon.end()
    second.begin()
    floor.wait_for_more(1)
    wait_for(floor.has_all, CATCH_UP_S)
    second.daemon.end()
    assert kept(floor.database) == floor.dealt()
    assert all_sound(floor)
