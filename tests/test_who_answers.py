"""Each component answers while it moves and does not while it hangs: what the heartbeat asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import NoReturn

import pytest
from mqtt_table import add, opened, publishing, until
from panel_client import connected
from proxy import Proxy

from controller.broker import EmbeddedBroker
from firmware_bridge.arrival import Intake
from firmware_bridge.link import Backoff, LinkSupervisor
from firmware_bridge.panel import Panel
from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.records import LinkChanged

LONG = Backoff(first_s=600, cap_s=600)
Step = Callable[[], Awaitable[None]]


async def answers(answer: Callable[[], Awaitable[None]], seconds: float = 5.0) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await answer()
    except TimeoutError:
        return False
    return True


async def hangs() -> None:
    await asyncio.Event().wait()


async def passes() -> None: ...


async def is_absent() -> None:
    raise LinkLost("absent", "not there")


async def has_ended() -> None:
    raise LinkLost("ended", "at its end")


class Line:
    def __init__(self, reading: Step, closing: Step) -> None:
        self._reading, self._closing = reading, closing

    async def read(self) -> Chunk:
        await self._reading()
        return Chunk(b"\x06", 0)

    async def write(self, data: bytes) -> None: ...

    async def close(self) -> None:
        await self._closing()


@pytest.mark.parametrize(
    ("opening", "reading", "closing", "moves"),
    [
        (passes, hangs, passes, True),
        (is_absent, hangs, passes, True),
        (passes, has_ended, passes, True),
        (hangs, hangs, passes, False),
        (passes, is_absent, hangs, False),
    ],
    ids=["being served", "waiting for the next attempt", "ended", "in the opening", "in the closing"],
)
def test_a_link(opening: Step, reading: Step, closing: Step, moves: bool) -> None:
    async def opened_line() -> Transport:
        await opening()
        return Line(reading, closing)

    async def session(transport: Transport) -> NoReturn:
        while True:
            await transport.read()

    async def report(change: LinkChanged) -> None: ...

    async def scenario() -> None:
        link = LinkSupervisor("shoe", opened_line, report, LONG)
        task = asyncio.create_task(link.run(session))
        for _ in range(10):
            await asyncio.sleep(0)
        assert await answers(link.answer, 5 if moves else 0.05) is moves
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(scenario())


def test_a_journal(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "journal.db") as journal:
            await add(journal, 1)
            assert await answers(journal.answer)
            assert journal.last_seq == 1

    asyncio.run(scenario())


def test_an_outbox_with_a_broker_without_one_and_with_one_that_is_silent(
    mosquitto: EmbeddedBroker, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy, opened(tmp_path / "journal.db") as journal:
            await add(journal, 1)
            async with publishing(journal, proxy.url) as outbox:
                await outbox.drained()
                assert await answers(outbox.answer)
                proxy.cut()
                assert await answers(outbox.answer, 25)
                proxy.restore()
                await add(journal, 1)
                outbox.wake()
                await until(lambda: journal.last_seq == 2)
                await outbox.drained()
                proxy.freeze()
                assert await answers(outbox.answer, 25)

    asyncio.run(scenario())


def test_a_panel_answers_and_takes_nobody_s_place(tmp_path: Path) -> None:
    async def scenario() -> None:
        queue: Intake = asyncio.Queue()
        panel = Panel(tmp_path, queue)
        async with panel.serving(), AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(tmp_path / "dealer.sock")) for _ in range(16)]
            for _ in range(20):
                assert await answers(panel.answer)
            for client in clients:
                client.tell({"watch": True})
            panel.show(None, ["card.drawn"])
            for client in clients:
                assert (await client.hear())["due"] == ["card.drawn"]

    asyncio.run(scenario())


@pytest.mark.parametrize("role", ["dealer", "supervisor"])
def test_a_panel_without_one_of_its_sockets_says_so(tmp_path: Path, role: str) -> None:
    async def scenario() -> None:
        panel = Panel(tmp_path, asyncio.Queue())
        async with panel.serving():
            (tmp_path / f"{role}.sock").unlink()
            with pytest.raises(FileNotFoundError):
                await panel.answer()

    asyncio.run(scenario())
