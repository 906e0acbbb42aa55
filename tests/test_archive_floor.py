"""`shoewatch archive run` on the shipped broker configuration, as a service, and with mistakes in what it is told."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from archive_floor import CATCH_UP_S, archive, archive_config
from archived import kept
from command import shoewatch
from daemon import Process, running
from floor_broker import opened as floor_opened
from manager import Manager
from mqtt_table import BOOT, SITE, TABLE, TOPICS, add, opened, publishing, until
from test_archive_link import confirming
from test_chaos import wait_for

from controller.archive.database import parse_database
from controller.broker import EmbeddedBroker
from controller.floor_link import FloorLink
from controller.journal_file import read_all
from controller.outbox import Outbox
from controller.presence import Presence

STOP_S = 5.0


def test_on_the_shipped_broker_the_archive_may_do_what_it_does(tmp_path: Path) -> None:
    database = parse_database(str(tmp_path / "archive.db"))
    with floor_opened(tmp_path) as floor:
        user, client = floor.add_table(TABLE), floor.add_client("archive", "main")
        files = floor.files(client)
        lines = {"ca": files.ca, "certificate": files.certificate, "key": files.key}
        more = "".join(f'{name} = "{path}"\n' for name, path in lines.items())

        async def scenario() -> None:
            async with opened(tmp_path / "journal.db") as journal:
                await add(journal, 100)
                dialer, presence = floor.dialer(user), Presence(TOPICS.status, journal.epoch, BOOT, insecure=False)
                outbox = Outbox(journal, TOPICS, lambda _: None, confirming(journal))
                task = asyncio.create_task(FloorLink(floor.url, dialer, presence, [outbox]).run())
                await until(lambda: outbox.confirmed_seq == 100, CATCH_UP_S)
                task.cancel()
                await asyncio.wait([task])

        with running(archive(archive_config(tmp_path, database, floor.url, more=more))) as process:
            asyncio.run(scenario())
            assert "refuses" not in process.log
    [stored] = kept(database).values()
    assert stored == [row.body for row in read_all(tmp_path / "journal.db")]


def test_the_service_manager_is_told_and_a_stop_waits_for_nothing(tmp_path: Path, mosquitto: EmbeddedBroker) -> None:
    """Not even for a database that somebody else holds."""
    database = parse_database(str(tmp_path / "archive.db"))
    config = archive_config(tmp_path, database, mosquitto.url)
    with Manager(tmp_path / "manager") as manager:
        environment = {**os.environ, "NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "2000000"}
        command = ("archive", "run", "--config", str(config))
        with running(Process(config.with_suffix(".log"), *command, environment=environment)) as process:
            wait_for(lambda: "READY=1" in manager.heard() and "WATCHDOG=1" in manager.heard(), CATCH_UP_S)
            with closing(sqlite3.connect(tmp_path / "archive.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                asyncio.run(one_record(tmp_path, mosquitto.url))
                begun = time.monotonic()
                process.signal(signal.SIGTERM)
                wait_for(lambda: process.has_ended, 60)
                assert time.monotonic() - begun < STOP_S
            assert (process.status, "STOPPING=1" in manager.heard()) == (0, True)
            assert "Traceback" not in process.log


async def one_record(folder: Path, url: str) -> None:
    """A table publishes it, and the archive has had a moment to begin with it."""
    async with opened(folder / "journal.db") as journal:
        await add(journal, 1)
        async with publishing(journal, url) as outbox:
            await outbox.drained()
    await asyncio.sleep(0.5)


@pytest.mark.parametrize(
    ("old", "new", "status", "says"),
    [
        ("[mqtt]", "[keys]", 78, "keys.url"),
        ("mqtt://", "http://", 78, "mqtt: "),
        ('instance = "main"', 'instance = "Main 1"', 78, "instance"),
        ("archive.db", "nowhere/archive.db", 1, "cannot be used as an archive"),
    ],
)
def test_what_it_is_told_wrong(tmp_path: Path, old: str, new: str, status: int, says: str) -> None:
    config = archive_config(tmp_path, parse_database(str(tmp_path / "archive.db")), "mqtt://127.0.0.1:1")
    config.write_text(config.read_text().replace(old, new, 1))
    told = shoewatch("archive", "run", "--config", str(config))
    assert (told.status, told.stdout) == (status, "")
    assert says in told.stderr


def test_without_a_broker_there_is_nothing_to_run(tmp_path: Path) -> None:
    config = tmp_path / "archive.toml"
    config.write_text(f'site = "{SITE}"\n[database]\nurl = "archive.db"\n')
    told = shoewatch("archive", "run", "--config", str(config))
    assert (told.status, "mqtt: the section is missing" in told.stderr) == (78, True)
