"""An outbox and an archive on a real broker: what is confirmed, what is sent again, and that neither waits for ever."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from archived import kept
from mqtt_table import SITE, TABLE, TOPICS, add, listening, opened, publishing, until

from controller.archive.database import Database, parse_database
from controller.archive.store import Store
from controller.archive.taker import Taker
from controller.broker import EmbeddedBroker
from controller.confirmations import Confirmations
from controller.floor_link import FloorLink
from controller.journal import Journal
from controller.journal_file import read_all
from controller.mqtt import Dialer, Hearing
from controller.mqtt_address import parse_address


@asynccontextmanager
async def archiving(url: str, database: Database, instance: str = "main") -> AsyncIterator[Taker]:
    """An archive at work in this process."""
    with Store(database) as store:
        known = {(chain.source, chain.epoch): chain.mark for chain in store.sources()}
        taker = Taker(store, SITE, known)
        dialer = Dialer(parse_address(url), f"archive_{SITE}_{instance}", hearing=Hearing(kept_s=60))
        tasks = [asyncio.create_task(each) for each in (taker.store(), FloorLink(url, dialer, taker, []).run())]
        try:
            yield taker
        finally:
            assert not any(task.done() for task in tasks), tasks
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


def confirming(journal: Journal, alarms: list[list[str]] | None = None, alarm_s: float = 300.0) -> Confirmations:
    told = alarms if alarms is not None else []
    return Confirmations(journal, TOPICS, lambda _: None, lambda each: told.append([*each]), alarm_s)


def stored(database: Database) -> list[bytes]:
    return [body for bodies in kept(database).values() for body in bodies]


@pytest.mark.parametrize(
    "any_broker", ["mosquitto", pytest.param("nats-server", marks=pytest.mark.soak)], indirect=True
)
def test_the_cursor_moves_on_the_archives_word_alone(any_broker: EmbeddedBroker, tmp_path: Path) -> None:
    path, database = tmp_path / "journal.db", parse_database(str(tmp_path / "archive.db"))

    async def scenario() -> None:
        async with opened(path) as journal, listening(any_broker.url) as listener:
            await add(journal, 3000)
            async with publishing(journal, any_broker.url, archive=confirming(journal)) as outbox:
                await until(lambda: len(set(listener.ids)) == 3000, 60)
                assert (outbox.confirmed_seq, await journal.cursor("mqtt")) == (0, 0)
                async with archiving(any_broker.url, database):
                    await until(lambda: outbox.confirmed_seq == 3000, 60)
                    await add(journal, 10)
                    outbox.wake()
                    await outbox.drained()
                    assert outbox.confirmed_seq == 3010
            assert await journal.cursor("mqtt") == 3010
            assert stored(database) == [row.body for row in read_all(path)]

    asyncio.run(scenario())


def test_an_absent_archive_holds_up_nobody_and_is_not_flooded(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    async def scenario() -> None:
        alarms: list[list[str]] = []
        async with opened(tmp_path / "journal.db") as journal, listening(mosquitto.url) as listener:
            archive = confirming(journal, alarms, alarm_s=0.2)
            watch = asyncio.create_task(archive.watch())
            await add(journal, 2500)
            async with publishing(journal, mosquitto.url, archive=archive) as outbox:
                await until(lambda: len(set(listener.ids)) == 2500, 60)
                await asyncio.sleep(4)
                await add(journal, 1)
                outbox.wake()
                await until(lambda: listener.ids[-1:] == [2501])
                assert len(listener.ids) <= 2501 + 3 * 16
                await until(lambda: bool(alarms))
                assert "confirmed nothing behind record 0" in alarms[0][0]
            watch.cancel()

    asyncio.run(scenario())


def test_a_refused_record_reaches_the_archive_once_the_broker_takes_it(
    mosquitto: EmbeddedBroker, tmp_path: Path
) -> None:
    """Until then what comes behind it is published, and confirmed is what comes before it."""
    path, database, acl = tmp_path / "journal.db", parse_database(str(tmp_path / "archive.db")), tmp_path / "acl"
    write = mosquitto.engine.config
    engine = replace(mosquitto.engine, config=lambda port, folder: f"acl_file {acl}\n{write(port, folder)}")
    acl.write_text(f"topic readwrite casino/#\ntopic deny casino/v1/{SITE}/{TABLE}/evt/device\n")

    async def scenario(strict: EmbeddedBroker) -> None:
        async with opened(path) as journal:
            await add(journal, 10)
            await add(journal, 2, "device")
            await add(journal, 8)
            archive = confirming(journal)
            async with publishing(journal, strict.url, archive=archive) as outbox, archiving(strict.url, database):
                async with listening(strict.url) as listener:
                    await add(journal, 1)
                    outbox.wake()
                    await until(lambda: 21 in listener.ids)
                    await until(lambda: outbox.confirmed_seq == 10)
                    assert parked(path) == [11, 12]
                acl.write_text("topic readwrite casino/#\n")
                strict.kill()
                strict.start()
                await until(lambda: outbox.confirmed_seq == 21, 75)
                await until(lambda: parked(path) == [])
            assert stored(database) == [row.body for row in read_all(path)]

    with EmbeddedBroker(engine) as strict:
        asyncio.run(scenario(strict))


def parked(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as file:
        return [seq for (seq,) in file.execute("SELECT seq FROM parked ORDER BY seq")]


def test_two_archives_of_one_database_store_each_record_once(
    mosquitto: EmbeddedBroker, any_database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "journal.db"

    async def scenario() -> None:
        async with (
            opened(path) as journal,
            archiving(mosquitto.url, any_database, "main") as main,
            archiving(mosquitto.url, any_database, "standby") as standby,
            publishing(journal, mosquitto.url, archive=confirming(journal)) as outbox,
        ):
            for _ in range(20):
                await add(journal, 20)
                outbox.wake()
                await asyncio.sleep(0.01)
            await until(lambda: outbox.confirmed_seq == 400, 60)
            await until(lambda: main.stored + standby.stored == 400)
            await until(lambda: main.repeats + standby.repeats >= 400)
        assert stored(any_database) == [row.body for row in read_all(path)]

    asyncio.run(scenario())


def test_a_journal_that_was_pruned_meanwhile_begins_in_a_new_archive_where_it_has_all(
    mosquitto: EmbeddedBroker, tmp_path: Path
) -> None:
    """The table says in its health from which record on that is."""
    database = parse_database(str(tmp_path / "archive.db"))

    async def scenario() -> None:
        async with opened(tmp_path / "journal.db") as journal, archiving(mosquitto.url, database):
            await add(journal, 100)
            await journal.move_cursor("mqtt", 60)
            await journal.prune(40, [7])
            async with (
                publishing(journal, mosquitto.url, archive=confirming(journal)) as outbox,
                Dialer(parse_address(mosquitto.url)).connect() as session,
            ):
                health: dict[str, Any] = {"source": f"/{SITE}/{TABLE}", "epoch": journal.epoch}
                health |= {"journal": {"last_seq": 100, "first_seq": 41}}
                await session.publish(TOPICS.health, json.dumps(health).encode())
                await until(lambda: outbox.confirmed_seq == 100, 60)

    asyncio.run(scenario())
    assert len(stored(database)) == 61
