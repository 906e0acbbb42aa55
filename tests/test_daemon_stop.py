"""The end of the daemon: SIGTERM in every situation, a wrong configuration, a journal that is not this table's."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from angel_frames import numbered
from angel_story import DEAL, START
from daemon import COMMAND, Journal, Process, check_chain, configure, daemon, data_of, running
from device_lines import PtyLine
from mqtt_table import SITE, TABLE, add, listening, opened, rows, until
from proxy import Proxy

from controller.broker import EmbeddedBroker
from protocols.records import NO_HASH

STOP_S = 5 * 2.0
NOBODY = "mqtt://127.0.0.1:1"


@contextmanager
def shoe_line(folder: Path) -> Iterator[PtyLine]:
    line = PtyLine(folder / "shoe")
    try:
        yield line
    finally:
        line.unplug()


@asynccontextmanager
async def at_work(folder: Path, url: str) -> AsyncIterator[tuple[Process, Journal]]:
    """The daemon once it has written its start, with its shoe at `folder/shoe`."""
    config, journal = configure(folder, f"serial:{folder}/shoe", url), Journal(folder)
    with running(daemon(config)) as process:
        await until(lambda: journal.count(what="start") == 1)
        yield process, journal


async def stop(process: Process, journal: Journal, number: signal.Signals = signal.SIGTERM) -> None:
    """The signal, and then all of a clean end within the deadline."""
    begun = time.monotonic()
    process.signal(number)
    assert await process.ended() == 0, process.log
    assert time.monotonic() - begun < STOP_S
    *_, last, signed = journal.rows()
    assert data_of(last) == {"kind": "system", "what": "stop", "data": {}}
    assert (data_of(signed)["what"], data_of(signed)["data"]["seq"]) == ("checkpoint", last.seq)
    check_chain(journal.rows())
    assert "Traceback" not in process.log


@pytest.mark.parametrize("broker", ["there", "absent"])
@pytest.mark.parametrize("shoe", ["idle", "absent", "in mid-coup"])
def test_a_stop(mosquitto: EmbeddedBroker, tmp_path: Path, shoe: str, broker: str) -> None:
    async def scenario() -> None:
        with shoe_line(tmp_path) as line:
            if shoe == "absent":
                line.unplug()
            async with at_work(tmp_path, mosquitto.url if broker == "there" else NOBODY) as (process, journal):
                await until(lambda: journal.count(kind="link", to="absent" if shoe == "absent" else "ready") == 1)
                if shoe == "in mid-coup":
                    line.send(b"".join(frame * 3 for frame in numbered(START, *DEAL)))
                    await until(lambda: journal.count(kind="table") == 5)
                await stop(process, journal)
            if shoe == "absent":
                line.plug()
        if broker == "there":
            async with listening(mosquitto.url) as late:
                await until(lambda: late.statuses == ["offline"])

    asyncio.run(scenario())


def test_a_stop_while_the_line_to_the_broker_is_dead(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy, listening(mosquitto.url) as listener:
            with shoe_line(tmp_path) as line:
                async with at_work(tmp_path, proxy.url) as (process, journal):
                    await until(lambda: journal.count(to="ready") == 1)
                    await until(lambda: listener.ids[-1:] == [len(journal.rows())])
                    proxy.freeze()
                    line.send(b"".join(frame * 3 for frame in numbered(START, *DEAL)))
                    await until(lambda: journal.count(kind="table") == 5)
                    await stop(process, journal)

    asyncio.run(scenario())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_whatever_asks_for_it_is_a_clean_stop(tmp_path: Path, number: signal.Signals) -> None:
    async def scenario() -> None:
        with shoe_line(tmp_path):
            async with at_work(tmp_path, NOBODY) as (process, journal):
                await stop(process, journal, number)

    asyncio.run(scenario())


def test_a_closed_terminal_ends_nothing_under_nohup(tmp_path: Path) -> None:
    async def scenario() -> None:
        config, journal = configure(tmp_path, f"serial:{tmp_path}/shoe", NOBODY), Journal(tmp_path)
        with shoe_line(tmp_path) as line, running(daemon(config, command=["nohup", *COMMAND])) as process:
            await until(lambda: journal.count(to="ready") == 1)
            process.signal(signal.SIGHUP)
            line.send(b"".join(frame * 3 for frame in numbered(START, *DEAL)))
            await until(lambda: journal.count(kind="table") == 5)
            await stop(process, journal)

    asyncio.run(scenario())


BACKLOG = 20_000


def test_a_stop_while_a_long_backlog_drains(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, NOBODY) as (process, journal):
            await stop(process, journal)
        async with opened(tmp_path / "journal.db") as written:
            await add(written, BACKLOG)
        async with listening(mosquitto.url) as listener:
            config, journal = configure(tmp_path, f"serial:{tmp_path}/shoe", mosquitto.url), Journal(tmp_path)
            with running(daemon(config)) as process:
                await until(lambda: len(listener.messages) > 200)
                await stop(process, journal)
            assert listener.ids == list(range(1, len(listener.ids) + 1))
            assert len(listener.ids) < BACKLOG

    asyncio.run(scenario())


def end_of(config: Path) -> Process:
    """The daemon after it has ended by itself."""
    with running(daemon(config)) as process:
        asyncio.run(process.ended())
    return process


WRONG = """\
site    = "River Side"
table   = "bac-01"
profile = "production"

[game]
procedure = "pb-nk"

[shoe]
port     = "replay:nothing.txt"
protocl  = "angel-eye"

[journal]
path = "journal.db"

[mqtt]
url = "mqtt://broker.floor"
"""
COMPLAINTS = ["site:", "game.procedure:", "shoe.port:", "shoe.protocol:", "shoe.protocl:", "mqtt:"]


def test_a_wrong_configuration_is_told_in_full(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(WRONG)
    process = end_of(config)
    assert process.status == 78
    said = process.log.splitlines()
    assert all(line.startswith(f"{config}: ") for line in said)
    for complaint in COMPLAINTS:
        assert any(line.startswith(f"{config}: {complaint}") for line in said), process.log
    assert not (tmp_path / "journal.db").exists()


def test_the_journal_of_another_table_is_left_alone(tmp_path: Path) -> None:
    async def keep() -> None:
        async with opened(tmp_path / "journal.db") as journal:
            await journal.append(rows(journal.source, 1, 1, NO_HASH))

    asyncio.run(keep())
    before = (tmp_path / "journal.db").read_bytes()
    process = end_of(configure(tmp_path, "sim:x", NOBODY, table="bac-02"))
    assert process.status == 1
    told = f"{tmp_path}/journal.db: this is the journal of table {SITE}/{TABLE}, not of {SITE}/bac-02\n"
    assert process.log == told
    assert (tmp_path / "journal.db").read_bytes() == before


def test_a_second_daemon_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        with shoe_line(tmp_path):
            async with at_work(tmp_path, NOBODY) as (first, journal):
                with running(daemon(tmp_path / "table.toml")) as second:
                    assert await second.ended() == 1
                told = "another shoewatch is using this journal; each table needs its own"
                assert f"{tmp_path}/journal.db: {told}\n" in second.log
                assert not first.has_ended
                await stop(first, journal)
                assert journal.count(kind="system") == 3

    asyncio.run(scenario())
