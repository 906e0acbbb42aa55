"""A TCP proxy on loopback whose lines a test can cut, or leave dead without telling anybody."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Proxy:
    """Forwards to a port of this computer, within an `async with`; `traffic` is all that went through, both ways."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._lines: set[_Line] = set()
        self._cut = False
        self.accepted = 0
        self.traffic = bytearray()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Break all lines, and every new one at once, until `restore`."""
        self._cut = True
        self.break_lines()

    def restore(self) -> None:
        self._cut = False

    def break_lines(self) -> None:
        """Break the lines there are; new ones are served."""
        for line in self._lines:
            line.abort()

    def freeze(self) -> None:
        """Let nothing through on the lines there are, which stay open; new ones are served."""
        for line in self._lines:
            line.frozen = True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        self.accepted += 1
        line = _Line(self.traffic, writer, far_writer)
        self._lines.add(line)
        try:
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(line.pump(reader, far_writer))
                pumps.create_task(line.pump(far_reader, writer))
        finally:
            self._lines.discard(line)
            line.abort()


class _Line:
    def __init__(self, traffic: bytearray, *ends: asyncio.StreamWriter) -> None:
        self._traffic = traffic
        self._ends = ends
        self.frozen = False

    def abort(self) -> None:
        for end in self._ends:
            end.transport.abort()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                if not self.frozen:
                    self._traffic += data
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        self.abort()
