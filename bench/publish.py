"""How long a card takes from the last byte at the pty to the message at a subscriber: `python bench/publish.py [N]`.

Beside it, in turn with the cards, what such a message costs at least: the payload appended to a file with fdatasync,
then published with QoS 1 to the same broker and awaited, until the same subscriber has it."""

from __future__ import annotations

import asyncio
import os
import pty
import statistics
import sys
import tempfile
import time
import tty
from collections.abc import Awaitable, Callable
from pathlib import Path

from controller.broker import EmbeddedBroker
from controller.mqtt import Dialer, Session
from controller.mqtt_address import parse_address
from protocols.floor.topics import Topics
from simulators.acts import CARD_LEAVES_SHOE
from simulators.table import Play, played

_TOPICS = Topics("bench", "bac-01")
_PAUSE_S = 0.02
_CONFIG = """
site = "{topics.site}"
table = "{topics.table}"
profile = "bench"
game = {{ procedure = "pb-nj" }}
shoe = {{ port = "serial:{line}", protocol = "angel-eye" }}
journal = {{ path = "journal.db" }}
mqtt = {{ url = "{url}" }}
"""


class Arrivals:
    """The monotonic time at which each payload came, and what waits for one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.payloads: list[bytes] = []
        self._came = asyncio.Event()

    async def listen(self) -> None:
        async for message in self._session.messages():
            self.payloads.append(message.payload)
            self._came.set()

    async def next_of(self, kind: bytes, after: int) -> float:
        """When a payload with `kind` in it came, past the first `after` ones."""
        while not any(kind in payload for payload in self.payloads[after:]):
            self._came.clear()
            await self._came.wait()
        return time.perf_counter()


async def main(number: int) -> None:
    with tempfile.TemporaryDirectory() as name, EmbeddedBroker() as broker:
        folder = Path(name)
        master, slave = pty.openpty()
        tty.setraw(slave)
        config = folder / "table.toml"
        config.write_text(_CONFIG.format(topics=_TOPICS, line=os.ttyname(slave), url=broker.url))
        async with Dialer(parse_address(broker.url)).connect() as session:
            await session.subscribe(_TOPICS.all_events, "bench/bare")
            arrivals = Arrivals(session)
            listening = asyncio.create_task(arrivals.listen())
            daemon = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "controller", "run", "--config", str(config), "--log-level", "error")
            )
            await arrivals.next_of(b'"to":"ready"', 0)
            cards, bare = await _timed(_cards(master, number, arrivals), _bare(folder / "log", session, arrivals))
            daemon.terminate()
            await daemon.wait()
            listening.cancel()
        os.close(master)
        os.close(slave)
        print(f"broker: {broker.engine.name}; {number} cards, milliseconds: median / 95th / 99th percentile / maximum")
        print(f"last byte at the pty to the subscriber:        {_row(cards)}")
        print(f"bare fdatasync append + awaited QoS 1 publish: {_row(bare)}")
        ratio, late = statistics.median(cards) / statistics.median(bare), _percentile(cards, 99) / _percentile(bare, 99)
        print(f"ratio of the medians: {ratio:.2f}; of the 99th percentiles: {late:.2f}")


def _cards(master: int, number: int, arrivals: Arrivals) -> list[Callable[[], Awaitable[float]]]:
    moments = (moment for moment in played(Play(seed=1)) if moment.sent)
    steps: list[Callable[[], Awaitable[float]]] = []
    for moment in moments:
        if isinstance(moment.act, CARD_LEAVES_SHOE):
            steps.append(_card(master, moment.sent, arrivals))
        else:
            steps.append(_untimed(master, moment.sent))
        if sum(step.__name__ == "card" for step in steps) == number:
            return steps
    return steps


def _card(master: int, sent: bytes, arrivals: Arrivals) -> Callable[[], Awaitable[float]]:
    async def card() -> float:
        before, third = len(arrivals.payloads), len(sent) // 3
        begun = time.perf_counter()
        os.write(master, sent[:third])
        came = await arrivals.next_of(b"card.drawn", before)
        os.write(master, sent[third:])
        return came - begun

    return card


def _untimed(master: int, sent: bytes) -> Callable[[], Awaitable[float]]:
    async def report() -> float:
        os.write(master, sent)
        return -1.0

    return report


def _bare(log: Path, session: Session, arrivals: Arrivals) -> Callable[[], Awaitable[float]]:
    """With the payload of the last card that came."""

    async def publish() -> float:
        payload = next(each for each in reversed(arrivals.payloads) if b"card-drawn" in each)
        before, begun = len(arrivals.payloads), time.perf_counter()
        with log.open("ab") as file:
            file.write(payload)
            file.flush()
            os.fdatasync(file.fileno())
        await session.publish("bench/bare", payload)
        return await arrivals.next_of(payload, before) - begun

    return publish


async def _timed(
    steps: list[Callable[[], Awaitable[float]]], bare: Callable[[], Awaitable[float]]
) -> tuple[list[float], list[float]]:
    """The seconds of each card, and of the bare path after each."""
    cards, least = list[float](), list[float]()
    for step in steps:
        seconds = await step()
        await asyncio.sleep(_PAUSE_S)
        if seconds >= 0:
            cards.append(seconds)
            least.append(await bare())
            await asyncio.sleep(_PAUSE_S)
    return cards, least


def _percentile(seconds: list[float], share: int) -> float:
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * share // 100)]


def _row(seconds: list[float]) -> str:
    figures = (statistics.median(seconds), _percentile(seconds, 95), _percentile(seconds, 99), max(seconds))
    return " / ".join(f"{1000 * each:7.2f}" for each in figures)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
