"""The outbox against real brokers: every record, in order, at least once, whatever breaks."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sqlite3
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from mqtt_table import TABLE, TOPICS, add, in_order_without_gap, listening, opened, publishing, until
from proxy import Proxy

from controller.broker import EmbeddedBroker
from controller.journal_file import read_all
from controller.mqtt import Dialer
from controller.mqtt_address import parse_address
from protocols.records import SystemNoted


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_every_record_arrives_once_in_order_with_the_bytes_of_the_journal(
    any_broker: EmbeddedBroker, path: Path
) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, listening(any_broker.url) as listener:
            await add(journal, 100)
            async with publishing(journal, any_broker.url) as outbox:
                await outbox.drained()
                for _ in range(100):
                    await add(journal, 1)
                    outbox.wake()
                await outbox.drained()
            await until(lambda: len(listener.ids) == 200)
            records = [each for each in listener.messages if each.topic != TOPICS.status]
            assert [each.payload for each in records] == [row.body for row in read_all(path)]
            assert {each.topic for each in records} == {f"{TOPICS.base}/evt/link"}

    asyncio.run(scenario())


def test_what_was_journaled_before_the_broker_came_arrives(any_broker: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with Proxy(any_broker.port) as proxy, opened(path) as journal, listening(any_broker.url) as listener:
            proxy.cut()
            async with publishing(journal, proxy.url) as outbox:
                await add(journal, 500)
                await asyncio.sleep(0.3)
                assert listener.ids == []
                proxy.restore()
                await outbox.drained()
                await until(lambda: len(listener.ids) >= 500)
            assert listener.ids == list(range(1, 501))

    asyncio.run(scenario())


def test_a_restart_goes_on_behind_the_cursor(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with listening(mosquitto.url) as listener:
            for last in (20, 40):
                async with opened(path) as journal:
                    await add(journal, 20)
                    async with publishing(journal, mosquitto.url) as outbox:
                        await outbox.drained()
                    assert await journal.cursor("mqtt") == last
            await until(lambda: len(listener.ids) >= 40)
            assert listener.ids == list(range(1, 41))

    asyncio.run(scenario())


def test_a_broker_that_dies_and_comes_back_empty_gets_the_rest_and_the_status(
    mosquitto: EmbeddedBroker, path: Path
) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy, opened(path) as journal:  # noqa: SIM117
            async with publishing(journal, proxy.url) as outbox:
                async with listening(mosquitto.url) as listener:
                    await add(journal, 50)
                    outbox.wake()
                    await until(lambda: listener.ids == list(range(1, 51)))
                    await outbox.drained()
                mosquitto.kill()
                proxy.cut()
                await add(journal, 50)
                mosquitto.start()
                async with listening(mosquitto.url) as listener:
                    proxy.restore()
                    await until(lambda: len(listener.ids) == 50 and bool(listener.statuses), 25)
                    assert listener.ids == list(range(51, 101))
                    assert listener.statuses == ["online"]

    asyncio.run(scenario())


def cut_at_random(broker: EmbeddedBroker, path: Path, records: int, seed: int) -> None:
    dice = random.Random(seed)

    async def scenario() -> None:
        async with Proxy(broker.port) as proxy, opened(path) as journal, listening(broker.url) as listener:
            async with publishing(journal, proxy.url) as outbox:
                while journal.last_seq < records:
                    await add(journal, dice.randint(1, 40))
                    outbox.wake()
                    await asyncio.sleep(dice.uniform(0, 0.02))
                    if dice.random() < 0.2:
                        proxy.break_lines()
                await outbox.drained()
                await until(lambda: listener.ids[-1:] == [journal.last_seq])
            assert proxy.accepted > 3
            assert in_order_without_gap(listener.ids, journal.last_seq)

    asyncio.run(scenario())


@pytest.mark.parametrize("seed", [1])
def test_a_line_cut_at_random_repeats_records_but_loses_none(any_broker: EmbeddedBroker, path: Path, seed: int) -> None:
    cut_at_random(any_broker, path, 3000, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_a_line_cut_at_random_soak(any_broker: EmbeddedBroker, path: Path, seed: int) -> None:
    cut_at_random(any_broker, path, 30_000, seed)


def test_a_line_that_goes_dead_is_noticed_and_replaced(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with (
            Proxy(mosquitto.port) as proxy,
            opened(path) as journal,
            listening(mosquitto.url) as listener,
            publishing(journal, proxy.url) as outbox,
        ):
            await until(lambda: listener.statuses == ["online"])
            proxy.freeze()
            await add(journal, 40)
            outbox.wake()
            async with asyncio.timeout(5 * 3):
                await outbox.drained()
            await until(lambda: len(listener.ids) >= 40)
            assert in_order_without_gap(listener.ids, 40)

    asyncio.run(scenario())


DENYING = """
topic readwrite casino/#
topic deny casino/v1/riverside/bac-01/evt/device
"""


def test_a_refused_record_is_parked_with_an_alarm_and_the_rest_goes_on(
    mosquitto: EmbeddedBroker, path: Path, tmp_path: Path
) -> None:
    acl = tmp_path / "acl"
    acl.write_text(DENYING)
    write = mosquitto.engine.config
    engine = replace(mosquitto.engine, config=lambda port, folder: f"acl_file {acl}\n{write(port, folder)}")

    async def scenario(url: str) -> None:
        notes: list[SystemNoted] = []
        async with opened(path) as journal, listening(url) as listener:
            await add(journal, 10)
            await add(journal, 2, "device")
            await add(journal, 30)
            async with publishing(journal, url, notes) as outbox:
                async with asyncio.timeout(15):
                    await outbox.drained()
                await until(lambda: listener.ids[-1:] == [42])
            assert set(listener.ids) == {*range(1, 43)} - {11, 12}
            assert [note.data["seq"] for note in notes] == [11, 12]
            assert notes[0].what == "record.parked"
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("SELECT seq, reason FROM parked").fetchall() == [
                (11, "Not authorized"),
                (12, "Not authorized"),
            ]

    with EmbeddedBroker(engine) as strict:
        asyncio.run(scenario(strict.url))


def test_a_false_status_is_corrected(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with (
            opened(path) as journal,
            listening(mosquitto.url) as listener,
            publishing(journal, mosquitto.url),
        ):
            await until(lambda: listener.statuses == ["online"])
            async with Dialer(parse_address(mosquitto.url)).connect() as stranger:
                await stranger.publish(TOPICS.status, b'{"status":"offline"}', retain=True)
            await until(lambda: listener.statuses == ["online", "offline", "online"], 25)

    asyncio.run(scenario())


def test_a_clean_stop_leaves_offline_once(any_broker: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, listening(any_broker.url) as listener:
            async with publishing(journal, any_broker.url):
                await until(lambda: listener.statuses == ["online"])
            await until(lambda: listener.statuses == ["online", "offline"])
        async with listening(any_broker.url) as late:
            await until(lambda: late.statuses == ["offline"])

    asyncio.run(scenario())


DAEMON = """
import asyncio, sys
from pathlib import Path
from mqtt_table import opened, publishing

async def run():
    async with opened(Path(sys.argv[1])) as journal, publishing(journal, sys.argv[2]):
        await asyncio.Event().wait()

asyncio.run(run())
"""


def test_a_killed_daemon_leaves_offline_and_the_next_one_online(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with listening(mosquitto.url) as listener:
            for seen in ([], ["online", "offline"]):
                command = [sys.executable, "-c", DAEMON, str(path), mosquitto.url]
                daemon = await asyncio.create_subprocess_exec(*command, cwd=Path(__file__).parent)
                await until(lambda: listener.statuses == [*seen, "online"])  # noqa: B023
                daemon.kill()
                await daemon.wait()
                await until(lambda: listener.statuses == [*seen, "online", "offline"], 25)  # noqa: B023

    asyncio.run(scenario())


@pytest.mark.parametrize("broker", ["unreachable", "silent", "dead line"])
def test_a_stop_is_quick_whatever_the_broker_does(broker: str, mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> float:
        async with Proxy(mosquitto.port) as proxy, opened(path) as journal, listening(mosquitto.url) as listener:
            silent = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
            port = silent.sockets[0].getsockname()[1]
            urls = {"unreachable": "mqtt://127.0.0.1:1", "silent": f"mqtt://127.0.0.1:{port}", "dead line": proxy.url}
            await add(journal, 20)
            async with publishing(journal, urls[broker]):
                if broker == "dead line":
                    await until(lambda: listener.statuses == ["online"])
                    proxy.freeze()
                    await add(journal, 20)
                await asyncio.sleep(0.2)
                begun = time.monotonic()
            silent.close()
            return begun

    begun = asyncio.run(scenario())
    assert time.monotonic() - begun < 2.0


def test_a_stop_at_any_moment_ends_it_and_leaves_nothing(mosquitto: EmbeddedBroker, path: Path) -> None:
    dice = random.Random(3)

    async def scenario() -> None:
        async with opened(path) as journal:
            await add(journal, 2000)
            descriptors, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
            for _ in range(40):
                async with asyncio.timeout(10), publishing(journal, mosquitto.url):
                    await asyncio.sleep(dice.uniform(0, 0.03))
            await until(lambda: len(asyncio.all_tasks()) == 1)
            await until(lambda: threading.active_count() <= threads)
            await until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors)

    asyncio.run(scenario(), debug=True)


def test_lost_lines_make_no_noise(
    mosquitto: EmbeddedBroker, path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    cut_at_random(mosquitto, path, 1000, seed=9)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert {record.name for record in warnings} == {"controller.floor_link"}
    assert capfd.readouterr().err == ""


def test_the_client_id_is_that_of_the_table(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, publishing(journal, mosquitto.url):
            await until(lambda: f"as riverside-{TABLE} " in mosquitto.log)

    asyncio.run(scenario())
