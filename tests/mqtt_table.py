"""A table that has something to publish, and somebody who listens: for the tests of journal, outbox and watch."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from controller.confirmations import Confirmations
from controller.floor_link import FloorLink, Part
from controller.journal import Journal
from controller.journal_file import Row
from controller.mqtt import Dialer, Message, Protocol, Session
from controller.mqtt_address import parse_address
from controller.outbox import Outbox
from controller.presence import Presence
from protocols.floor.messages import Source, digest, message
from protocols.floor.topics import Topics
from protocols.records import Kind, SystemNoted

SITE, TABLE, BOOT = "riverside", "bac-01", "boot-1"
TOPICS = Topics(SITE, TABLE)


def rows(source: Source, first: int, count: int, prev: str, kind: Kind = "link") -> list[Row]:
    """`count` rows that follow a row with the hash `prev`."""
    made = []
    for seq in range(first, first + count):
        body = message(source, seq, prev, "2026-11-30T07:03:48.143Z", kind, {"device": "shoe", "number": seq})
        prev = digest(body)
        wall = "2026-11-30T07:03:48.143Z"
        made.append(Row(seq, BOOT, seq, wall, kind, None, None, body, None, hashlib.sha256(body).digest()))
    return made


def add(journal: Journal, count: int, kind: Kind = "link") -> asyncio.Future[None]:
    """Append `count` rows behind the last one on disk."""
    return journal.append(rows(journal.source, journal.last_seq + 1, count, journal.last_hash, kind))


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Journal]:
    journal = Journal.open(path, SITE, TABLE)
    try:
        yield journal
    finally:
        await journal.close()


@asynccontextmanager
async def publishing(
    journal: Journal,
    url: str,
    notes: list[SystemNoted] | None = None,
    protocol: Protocol = "auto",
    parts: Sequence[Part] = (),
    archive: Confirmations | None = None,
) -> AsyncIterator[Outbox]:
    """An outbox at work, for an archive where one has to confirm, and other parts beside it; stopped like the daemon
    stops them."""
    dialer = Dialer(parse_address(url), f"{SITE}-{TABLE}", protocol)
    presence = Presence(TOPICS.status, journal.epoch, BOOT, insecure=False)
    outbox = Outbox(journal, TOPICS, (notes if notes is not None else []).append, archive)
    link = FloorLink(dialer.address, dialer, presence, [outbox, *parts])
    task = asyncio.create_task(link.run())
    try:
        yield outbox
    finally:
        assert not task.done(), task
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


class Listener:
    """Keeps what came, with the message's retained copies first."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    @property
    def ids(self) -> list[int]:
        return [json.loads(each.payload)["seq"] for each in self.messages if "/evt/" in each.topic]

    @property
    def statuses(self) -> list[str]:
        return [json.loads(each.payload)["status"] for each in self.messages if each.topic.endswith("/status")]

    @property
    def alarms(self) -> list[list[str]]:
        return [json.loads(each.payload)["alarms"] for each in self.messages if each.topic.endswith("/status")]

    async def listen(self, session: Session) -> None:
        async for each in session.messages():
            self.messages.append(each)


@asynccontextmanager
async def listening(url: str, *filters: str) -> AsyncIterator[Listener]:
    """A subscriber to these topics, as an integrator would be one; to the table's records and status where none is
    named."""
    listener = Listener()
    async with Dialer(parse_address(url)).connect() as session:
        await session.subscribe(*(filters or (TOPICS.all_events, TOPICS.status)))
        task = asyncio.create_task(listener.listen(session))
        try:
            yield listener
        finally:
            task.cancel()
            await asyncio.wait([task])


class Patience:
    """How long is waited for what comes in its own time; a test that runs on a slow machine waits longer."""

    seconds: float = 15.0


async def until(condition: Callable[[], bool], seconds: float | None = None) -> None:
    """Wait until it holds; a deadline that passes is a failure."""
    async with asyncio.timeout(seconds or Patience.seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


def in_order_without_gap(ids: list[int], last: int) -> bool:
    """1 to `last`, repeats allowed."""
    high = 0
    for each in ids:
        if each > high + 1:
            return False
        high = max(high, each)
    return high == last
