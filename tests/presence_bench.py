"""A daemon before a broker, ended, begun and disturbed in every way; what its retained status says after each."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from daemon import COMMAND, Process, configure, daemon
from mqtt_table import SITE, TABLE, TOPICS, until
from paho.mqtt.enums import CallbackAPIVersion
from proxy import Proxy

from controller.broker import EmbeddedBroker, Engine
from controller.clock import Clock
from controller.mqtt import Dialer, Disconnected
from controller.mqtt_address import parse_address

RIGHT_S = 5.0
DEADLINE_S = 5 * RIGHT_S
ANOTHER_BOOT = [sys.executable, str(Path(__file__).with_name("booted_daemon.py")), "another-boot"]
Way = Callable[["PresenceBench"], Awaitable[None]]


@dataclass
class PresenceBench:
    """`took`: the seconds until the status was right after each way."""

    folder: Path
    broker: EmbeddedBroker
    proxy: Proxy
    acl: Path
    config: Path
    process: Process | None = None
    took: dict[str, float] = field(default_factory=dict)
    boot: str = field(default_factory=lambda: Clock().boot)
    first_boot: str = ""
    epoch: str = ""

    async def go(self, ways: Sequence[Way]) -> None:
        """One after another; which one it was is told where one fails."""
        for way in ways:
            name = way.__name__
            begun = time.monotonic()
            try:
                await way(self)
            except Exception as error:
                error.add_note(f"after: {name}\n{self.running.log[-2000:] if self.process else ''}")
                raise
            self.took[name] = round(time.monotonic() - begun, 1)

    @property
    def running(self) -> Process:
        assert self.process is not None
        return self.process

    def begin(self, command: Sequence[str] = COMMAND) -> None:
        self.process = daemon(self.config, command=command)

    async def end(self, by: signal.Signals) -> None:
        self.running.signal(by)
        await self.running.ended()

    async def right(self, status: str, boot: str = "") -> None:
        """Wait until whoever subscribes now is told this, of the daemon's one epoch, and is still told it a little
        later."""
        deadline, seen = time.monotonic() + DEADLINE_S, 0
        while seen < 2:
            said = await self.retained()
            self.epoch = self.epoch or said.get("epoch", "")
            wanted = {"status": status, "boot": boot or self.boot, "epoch": self.epoch}
            seen = seen + 1 if said.items() >= wanted.items() else 0
            assert seen or time.monotonic() < deadline, f"{said} is not {wanted}"
            await asyncio.sleep(0.05)

    async def retained(self) -> dict[str, Any]:
        """What stands there for somebody who comes now, {} where nothing does."""
        with suppress(Disconnected, TimeoutError):
            async with Dialer(parse_address(self.broker.url)).connect() as session, asyncio.timeout(1):
                await session.subscribe(TOPICS.status)
                async for message in session.messages():
                    said: dict[str, Any] = json.loads(message.payload or b"{}")
                    return said
        return {}

    async def say(self, payload: bytes) -> None:
        """As a stranger who may write there."""
        async with Dialer(parse_address(self.broker.url)).connect() as stranger:
            await stranger.publish(TOPICS.status, payload, retain=True)

    async def logged(self, text: str) -> None:
        """Wait until the daemon has said it."""
        await until(lambda: text in self.running.log, DEADLINE_S)

    def signal_broker(self, number: signal.Signals) -> None:
        assert self.broker._process is not None
        self.broker._process.send_signal(number)

    def end_broker(self, by: signal.Signals) -> None:
        self.signal_broker(by)
        assert self.broker._process is not None
        self.broker._process.wait()

    async def next_line(self) -> None:
        """Until the daemon has made another connection."""
        accepted = self.proxy.accepted
        await until(lambda: self.proxy.accepted > accepted, DEADLINE_S)

    async def twice(self) -> None:
        """A second client of the daemon's id, with a will of its own on the status, until it is put out."""
        client = paho.Client(CallbackAPIVersion.VERSION2, f"{SITE}-{TABLE}")
        client.will_set(TOPICS.status, b'{"status":"offline","epoch":"0","boot":"0"}', 1, retain=True)
        client.connect("127.0.0.1", self.broker.port, keepalive=5)
        end = time.monotonic() + 10
        while client.loop(0.01) == 0:
            await asyncio.sleep(0.01)
            assert time.monotonic() < end, "the daemon does not take its place back"

    async def told(self, seconds: float) -> Counter[str]:
        """How often something was said on each topic, within so many seconds, that is no record."""
        heard = Counter[str]()
        with suppress(TimeoutError, Disconnected):
            async with Dialer(parse_address(self.broker.url)).connect() as session, asyncio.timeout(seconds):
                await session.subscribe(f"{TOPICS.base}/#")
                async for message in session.messages():
                    heard[message.topic.removeprefix(f"{TOPICS.base}/")] += 1
        return heard


def persistent(engine: Engine) -> Engine:
    """mosquitto that writes down what it is told, at once."""
    lines = "persistence true\npersistence_location {}/\nautosave_interval 1\nautosave_on_changes true\n"

    def config(port: int, folder: Path) -> str:
        return engine.config(port, folder).replace("persistence false\n", lines.format(folder))

    return replace(engine, name="mosquitto, persistent", config=config)


def with_access_list(engine: Engine, acl: Path) -> Engine:
    return replace(engine, config=lambda port, folder: f"acl_file {acl}\n{engine.config(port, folder)}")


def _all_allowed(folder: Path) -> Path:
    folder.mkdir()
    acl = folder / "acl"
    acl.write_text("topic readwrite #\n")
    return acl


@asynccontextmanager
async def presence_bench(folder: Path, engine: Engine) -> AsyncIterator[PresenceBench]:
    """Nothing is begun yet; the daemon reaches the broker through the proxy."""
    acl = _all_allowed(folder)
    listed = with_access_list(engine, acl) if engine.name.startswith("mosquitto") else engine
    with EmbeddedBroker(listed) as broker:
        async with Proxy(broker.port) as proxy:
            config = configure(folder, "tcp:127.0.0.1:1", proxy.url)
            bench = PresenceBench(folder, broker, proxy, acl, config)
            try:
                yield bench
            finally:
                if bench.process is not None:
                    bench.process.end()
