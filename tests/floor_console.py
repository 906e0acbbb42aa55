"""Somebody on the floor who sends commands: with a key of their own, or with none that is known."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mqtt_table import TOPICS, Patience

from controller.clock import Clock
from controller.keys_file import change_keys
from controller.mqtt import Dialer, Session
from controller.mqtt_address import parse_address
from protocols.floor.checkpoints import Signer
from protocols.floor.commands import Command, sign
from protocols.floor.contract.commands import Ack
from protocols.keys import KnownKey, Role, with_key

Answer = dict[str, Any]
SOURCE = f"/{TOPICS.site}/{TOPICS.table}"
KEYS: Mapping[str, Signer] = {
    name: Signer(bytes([number]) * 32)
    for number, name in enumerate(("dealer", "supervisor", "console", "archive", "table", "stranger"), start=1)
}
"""By the role of each, and one of a key that nobody knows."""


def trust(path: Path, *roles: Role) -> None:
    """The registry in this file knows the keys of these roles, each by the name `F. ROLE`."""
    for role in roles:
        key = KnownKey(f"F. {role}", (role,), KEYS[role].public_key, Clock().wall())
        change_keys(path, lambda known, key=key: with_key(known, key))  # type: ignore[misc]


def moment(seconds: float = 0) -> str:
    """So many seconds from now."""
    at = datetime.fromtimestamp(time.time(), UTC) + timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def command(name: str, body: Mapping[str, Any], **fields: Any) -> Command:
    """A command for the table of the tests, good for half a minute."""
    text = json.dumps(body)
    made = Command("c-1", SOURCE, name, moment(), moment(30), text)
    return replace(made, **fields)


class Console:
    """`epoch`, `seq`: what its commands are based on where they say nothing else."""

    def __init__(self, session: Session, epoch: str, seq: int) -> None:
        self._session = session
        self._count = 0
        self._acks: dict[str, bytes] = {}
        self._came = asyncio.Event()
        self.epoch = epoch
        self.seq = seq

    def payload(self, name: str, by: str = "supervisor", fields: Mapping[str, Any] | None = None, **more: Any) -> bytes:
        """A command; `more`: other fields of it than usual."""
        self._count += 1
        body = {"epoch": self.epoch, "based_on": self.seq, **(fields or {})}
        return sign(replace(command(name, body, id=f"c-{self._count}"), **more), KEYS[by])

    async def ask(self, name: str, by: str = "supervisor", /, **fields: Any) -> Answer:
        """The answer to a command."""
        return await self.send(name, self.payload(name, by, fields))

    async def send(self, name: str, payload: bytes, *, retain: bool = False) -> Answer:
        """The answer to these bytes."""
        self.put(name, payload, retain=retain)
        return await self.answer_to(payload)

    def put(self, name: str, payload: bytes, *, retain: bool = False) -> None:
        self._session.publish(TOPICS.command(name), payload, retain=retain)

    @property
    def unheard(self) -> int:
        """How many answers came that nobody asked for here."""
        return len(self._acks)

    async def tell(self, topic: str, payload: bytes) -> None:
        """Have it stand there."""
        await self._session.publish(topic, payload, retain=True)

    async def answer_to(self, payload: bytes, seconds: float | None = None) -> Answer:
        digest = hashlib.sha256(payload).hexdigest()
        async with asyncio.timeout(seconds or Patience.seconds):
            while digest not in self._acks:
                self._came.clear()
                await self._came.wait()
        payload = self._acks.pop(digest)
        assert Ack.read(payload).message() == payload
        ack: Answer = json.loads(payload)
        assert ack.pop("dataschema") == "urn:shoewatch:ack:1"
        assert ack.pop("command") == digest
        assert ack["ok"] or ack["code"], ack
        return ack

    async def listen(self) -> None:
        async for message in self._session.messages():
            self._acks[json.loads(message.payload)["command"]] = message.payload
            self._came.set()


@asynccontextmanager
async def console(url: str, epoch: str, seq: int) -> AsyncIterator[Console]:
    async with Dialer(parse_address(url)).connect() as session:
        await session.subscribe(f"{TOPICS.base}/cmd/+/ack")
        made = Console(session, epoch, seq)
        task = asyncio.create_task(made.listen())
        try:
            yield made
        finally:
            task.cancel()
            await asyncio.wait([task])
