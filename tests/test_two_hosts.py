"""Two hosts on one line: a serial line has one, who is named to the other; a serial device server may change hosts."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
from daemon import Journal, configure, daemon, running, shoe
from mqtt_table import until
from own_table import NOWHERE, DeviceAt, own_table
from reader_table import finish_peeked
from tools import free_port

from simulators.live.lines import TcpLine

TAKEN_S = 0.2


def test_the_second_daemon_on_a_serial_line_waits_and_names_the_first(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    ours, theirs = Journal(first), Journal(second)

    async def scenario() -> None:
        port = f"serial:{tmp_path}/shoe"
        with running(shoe(tmp_path, "--pace", "0.05")), running(daemon(configure(first, port, NOWHERE))) as holder:
            await until(lambda: ours.count(kind="table") > 0)
            with running(daemon(configure(second, port, NOWHERE))) as waiting:
                await until(lambda: theirs.count(kind="link", loss="busy") == 1)
                [busy] = [data for data in theirs.records() if data.get("loss") == "busy"]
                assert f"(pid {holder.pid})" in busy["detail"]
                dealt = ours.count(kind="table")
                await until(lambda: ours.count(kind="table") > dealt)
                assert (ours.count(kind="link", to="ready"), ours.count(kind="link", to="lost")) == (1, 0)
                assert theirs.count(kind="table") == 0
                holder.signal(signal.SIGTERM)
                assert await holder.ended() == 0, holder.log
                await until(lambda: theirs.count(kind="link", to="ready") == 1)
                await until(lambda: theirs.count(kind="table") > 0)
                waiting.signal(signal.SIGTERM)
                assert await waiting.ended() == 0, waiting.log

    asyncio.run(scenario())


@pytest.mark.parametrize("greeting", [b"", b"\0\x03\x10\x40\0"], ids=["listens", "talks"])
def test_whoever_takes_a_serial_server_from_the_daemon_costs_no_card(greeting: bytes, tmp_path: Path) -> None:
    port = free_port()

    async def stranger() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(greeting)
        await asyncio.sleep(TAKEN_S)
        writer.close()

    async def scenario() -> None:
        at = DeviceAt(f"tcp:127.0.0.1:{port}", TcpLine(port))
        async with own_table(tmp_path, shoe_at=at) as table:
            await table.open_round()
            await table.first_cards("Ks", "up")
            await stranger()
            await until(lambda: table.links("shoe", "lost") == 1)
            await table.second_cards("7c")
            await table.peek(natural=False)
            await finish_peeked(table)
            assert table.links("shoe", "ready") == 2
            assert len(table.events("card.drawn")) == 4
            assert table.events("log.gap") == []
            assert await table.stop() == 0

    asyncio.run(scenario())
