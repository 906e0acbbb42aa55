"""Who is at the panel: places, watchers, and that nobody who is slow delays anybody."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from device_lines import until
from panel_alone import dealer, next_asked, table, with_table
from panel_client import Client, connected

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.panel import Panel
from protocols.verdicts import Verdict

OK = Verdict("verdict", 1, 1, None, "ok", None, None, None, (), None, None)
SHOWN_BYTES = 100_000


def test_one_connection_too_many_is_told_so(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(dealer(tmp_path))) for _ in range(16)]
            for number, client in enumerate(clients):
                client.tell({"id": str(number), "type": "call.made"})
                assert (await next_asked(queue)).id == str(number)
            async with connected(dealer(tmp_path)) as late:
                assert "16 connections" in (await late.hear())["why"]
                assert await late.line() == b""
            async with connected(tmp_path / "panel" / "supervisor.sock") as other:
                other.tell({"id": "s", "type": "call.made"})
                assert (await next_asked(queue)).role == "supervisor"

    with_table(tmp_path, scenario)


def test_who_never_spoke_makes_room_and_who_watches_or_waits_does_not(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:

            async def come() -> Client:
                client = await stack.enter_async_context(connected(dealer(tmp_path)))
                count = len(clients) + 1
                await until(lambda: len(panel._clients["dealer"]) >= min(count, 16))
                clients.append(client)
                return client

            clients: list[Client] = []
            for _ in range(16):
                await come()
            clients[0].tell({"watch": True})
            clients[1].tell({"id": "1", "type": "call.made"})
            asked = await next_asked(queue)
            await until(lambda: any(client.watches for client in panel._clients["dealer"]))
            for dropped in (2, 3):
                late = await come()
                assert (await clients[dropped].hear())["why"] == "idle, and somebody else wanted a place"
                assert await clients[dropped].line() == b""
                late.tell({"id": f"late-{dropped}", "type": "call.made"})
                assert (await next_asked(queue)).id == f"late-{dropped}"
            panel.show(OK, ())
            assert (await clients[0].hear())["due"] == []
            asked.answer({"id": "1"})
            assert await clients[1].hear() == {"id": "1"}

    with_table(tmp_path, scenario)


def test_who_spoke_a_while_ago_makes_room_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(dealer(tmp_path))) for _ in range(16)]
            for number, client in enumerate(clients):
                client.tell({"id": str(number), "type": "call.made"})
                (await next_asked(queue)).answer({"id": str(number)})
                await client.hear()
            async with connected(dealer(tmp_path)) as refused:
                assert "16 connections" in (await refused.hear())["why"]
            monkeypatch.setattr("firmware_bridge.panel._IDLE_S", 0.0)
            async with connected(dealer(tmp_path)) as late:
                late.tell({"id": "late", "type": "call.made"})
                assert (await next_asked(queue)).id == "late"
            assert (await clients[0].hear())["why"] == "idle, and somebody else wanted a place"

    with_table(tmp_path, scenario)


def test_a_place_at_the_panel_is_free_again_when_somebody_leaves(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        for number in range(40):
            async with connected(dealer(tmp_path)) as client:
                client.tell({"watch": True})
                client.tell({"id": str(number), "type": "call.made"})
                (await next_asked(queue)).answer({"id": str(number)})
                assert await client.hear() == {"id": str(number)}

    with_table(tmp_path, scenario)


def test_watchers_see_verdicts_and_records_and_others_do_not(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        panel.show(OK, ("round.opened",))
        async with connected(dealer(tmp_path)) as watcher, connected(dealer(tmp_path)) as other:
            watcher.tell({"watch": True})
            assert (await watcher.hear())["due"] == ["round.opened"]
            panel.show(OK, ("card.drawn to player",), ("the shoe is in error",))
            panel.committed(b'{"seq":8}')
            shown = await watcher.hear()
            assert (shown["due"], shown["remarks"]) == (["card.drawn to player"], ["the shoe is in error"])
            assert (shown["verdict"]["type"], shown["verdict"]["outcome"], len(shown["verdict"])) == (
                "verdict",
                "ok",
                11,
            )
            assert await watcher.line() == b'{"seq":8}\n'
            other.tell({"id": "1", "type": "call.made"})
            (await next_asked(queue)).answer({"id": "1"})
            assert await other.hear() == {"id": "1"}

    with_table(tmp_path, scenario)


def test_a_watcher_that_does_not_read_is_dropped_and_delays_nobody(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        with deaf_watcher(tmp_path) as slow:
            async with connected(dealer(tmp_path)) as quick:
                quick.tell({"watch": True})
                panel.show(OK, ())
                await quick.hear()
                for number in range(2600):
                    panel.committed(json.dumps({"seq": number, "pad": "x" * 2000}).encode())
                    assert (await quick.hear())["seq"] == number
                lines = (await received(slow)).splitlines()
        assert json.loads(lines[-1]) == {"dropped": "too slow: more than 2048 lines were waiting"}
        assert len(lines) < 2600

    with_table(tmp_path, scenario)


def deaf_watcher(folder: Path) -> socket.socket:
    watcher = socket.socket(socket.AF_UNIX)
    watcher.connect(str(dealer(folder)))
    watcher.sendall(b'{"watch":true}\n')
    return watcher


async def received(sock: socket.socket) -> bytes:
    """Everything up to the end."""
    sock.setblocking(False)
    data = b""
    async with asyncio.timeout(10):
        while more := await asyncio.get_running_loop().sock_recv(sock, 1 << 20):
            data += more
    return data


def test_a_client_that_never_reads_again_is_cut_off(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        with deaf_watcher(tmp_path):
            await until(lambda: any(client.watches for client in panel._clients["dealer"]))
            line = b"x" * SHOWN_BYTES
            for _ in range(2100):
                panel.committed(line)
                await asyncio.sleep(0)
            assert panel._clients["dealer"]
            await until(lambda: not panel._clients["dealer"], 10)

    with_table(tmp_path, scenario)


def test_the_end_of_the_daemon_does_not_wait_for_anybody(tmp_path: Path) -> None:
    async def scenario() -> float:
        with socket.socket(socket.AF_UNIX) as deaf:
            async with table(tmp_path, 1) as (panel, queue):
                deaf.connect(str(dealer(tmp_path)))
                deaf.sendall(b'{"watch":true}\n{"id":"1","type":"call.made"}\n')
                async with connected(dealer(tmp_path)) as client:
                    client.tell({"id": "2", "type": "call.made"})
                    await until(queue.full)
                    for _ in range(50):
                        panel.committed(b"x" * SHOWN_BYTES)
                    begun = time.monotonic()
        return time.monotonic() - begun

    assert asyncio.run(scenario()) < 1.25


def test_a_full_queue_holds_up_the_person_and_not_the_loop(tmp_path: Path) -> None:
    async def scenario(panel: Panel, queue: Intake) -> None:
        queue.put_nowait(Arrival((), 0))
        async with connected(dealer(tmp_path)) as client:
            client.tell({"id": "1", "type": "call.made"})
            await asyncio.sleep(0.05)
            assert isinstance(await queue.get(), Arrival)
            assert (await next_asked(queue)).id == "1"

    with_table(tmp_path, scenario, 1)
