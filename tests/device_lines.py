"""Real lines for tests: a pty whose path vanishes and comes back, a TCP server, and what a process holds open."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from firmware_bridge.transport import LinkLost, Transport


class PtyLine:
    """The device's end of a serial line at `path`, a link that exists while the line is plugged in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plug()

    def plug(self) -> None:
        self._master, slave = os.openpty()
        tty.setraw(slave)
        node = os.ttyname(slave)
        self.path.symlink_to(node)
        os.close(slave)

    def unplug(self) -> None:
        self.path.unlink()
        os.close(self._master)

    def send(self, data: bytes) -> None:
        os.write(self._master, data)

    def try_to_send(self, data: bytes) -> int:
        """How much of it the line took without waiting."""
        os.set_blocking(self._master, False)
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0

    def receive(self) -> bytes:
        return os.read(self._master, 65536)


class TcpLine:
    """The device's end of a TCP line on loopback, which serves one client after the other."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._clients: list[asyncio.StreamWriter] = []
        self.received = bytearray()

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        self._server.close()
        self.hang_up()
        await asyncio.sleep(0)

    def send(self, data: bytes) -> None:
        self._clients[-1].write(data)

    def hang_up(self) -> int:
        """Close all clients: how many there were."""
        closed = len(self._clients)
        while self._clients:
            self._clients.pop().close()
        return closed

    async def connected(self) -> None:
        await until(lambda: bool(self._clients))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.append(writer)
        while data := await reader.read(4096):
            self.received += data


async def until(holds: Callable[[], bool], deadline_s: float = 5.0) -> None:
    """Return once `holds()`; fail at the deadline."""
    end = time.monotonic() + deadline_s
    while not holds():
        assert time.monotonic() < end, "not within the deadline"
        await asyncio.sleep(0.005)


async def read_to_the_end(transport: Transport) -> tuple[bytes, LinkLost]:
    """All bytes, and how the stream ended."""
    data = bytearray()
    while True:
        try:
            data += (await transport.read()).data
        except LinkLost as lost:
            return bytes(data), lost


def descriptors() -> frozenset[str]:
    """What this process has open, as `number -> target`."""
    return frozenset(f"{number} -> {target}" for number, target in _links("/proc/self/fd"))


def _links(folder: str) -> Iterator[tuple[str, str]]:
    for number in os.listdir(folder):
        with suppress(OSError):
            yield number, os.readlink(f"{folder}/{number}")


def device_threads() -> int:
    """Threads beside the main one."""
    return threading.active_count() - 1
