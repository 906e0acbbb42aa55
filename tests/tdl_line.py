"""The scripted TDL/1 device on real lines: behind a TCP server on loopback, or behind a pty."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from device_lines import PtyLine
from tdl_device import Device

_STATUS_S = 0.1


class Served:
    """A device that answers whatever comes; `silent`: it hears nothing and says nothing, its line stays open."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.silent = False
        self._rest = b""

    def answer(self, data: bytes) -> bytes:
        whole, end, self._rest = (self._rest + data).rpartition(b"\0")
        return b"" if self.silent else self.device.hear(whole + end)

    def heartbeat(self) -> bytes:
        return b"" if self.silent or self.device.to_host is None else self.device.status()


class TcpDevice(Served):
    """`port` is where it listens; `say` sends to the host that is there."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._writers: list[asyncio.StreamWriter] = []
        self.visits = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        beat = asyncio.create_task(self._beat())
        try:
            yield f"tcp:127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            beat.cancel()
            server.close()
            self.hang_up()
            await asyncio.sleep(0)

    def say(self, data: bytes) -> None:
        if self._writers and not self.silent:
            self._writers[-1].write(data)

    def hang_up(self) -> None:
        """Whoever is connected is hung up on."""
        self.device.to_host = None
        while self._writers:
            self._writers.pop().close()

    def plug_in(self) -> None:
        """Whoever connects is served, as ever."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._rest = b""
        self.visits += 1
        self._writers.append(writer)
        with suppress(OSError):
            while data := await reader.read(4096):
                writer.write(self.answer(data))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_STATUS_S)
            self.say(self.heartbeat())


class PtyDevice(Served):
    """At the end of a serial line."""

    def __init__(self, device: Device, path: Path) -> None:
        super().__init__(device)
        self.line = PtyLine(path)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        self._attend()
        try:
            yield f"serial:{self.line.path}"
        finally:
            self.hang_up()

    def hang_up(self) -> None:
        """The line is unplugged."""
        self.device.to_host = None
        asyncio.get_running_loop().remove_reader(self.line._master)
        self.line.unplug()

    def plug_in(self) -> None:
        """It is there again."""
        self._rest = b""
        self.line.plug()
        self._attend()

    def _attend(self) -> None:
        os.set_blocking(self.line._master, False)
        asyncio.get_running_loop().add_reader(self.line._master, self._hear)

    def say(self, data: bytes) -> None:
        self.line.send(data)

    def _hear(self) -> None:
        with suppress(OSError):
            self.say(self.answer(self.line.receive()))
