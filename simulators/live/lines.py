"""Lines on which a station can stand: TCP as behind a serial server, and one within the host's own process."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from firmware_bridge.transport import Chunk, LinkLost
from protocols.errors import ShoewatchError

_READ_MAX: Final = 4096
_HELD_MAX: Final = 65536
_ENDED: Final = "the last round is dealt"


class TcpLine:
    """Serves one host after the other on loopback; a later one takes the place of an earlier one.

    `first_host` is set once a host has opened the line, `openings` counts how often one did."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._plugged = True
        self._host: asyncio.StreamWriter | None = None
        self.first_host = asyncio.Event()
        self.openings = 0

    @property
    def is_heard(self) -> bool:
        """Whether somebody has the line open."""
        return self._host is not None and not self._host.is_closing()

    def plug_in(self) -> None:
        """Hosts are served again."""
        self._plugged = True

    def unplug(self) -> None:
        """Whoever is connected is cut off."""
        self._plugged = False
        if self._host:
            self._host.transport.abort()

    async def send(self, data: bytes) -> bool:
        """Whether a host took it; one that does not read for long loses bytes."""
        host = self._host
        if host is None or host.is_closing() or host.transport.get_write_buffer_size() > _HELD_MAX:
            return False
        host.write(data)
        return True

    async def attend(self, hear: Callable[[bytes], None]) -> None:
        """For ever: accept hosts and pass on what they send."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._take(writer)
            with suppress(OSError):
                while data := await reader.read(_READ_MAX):
                    hear(data)
            writer.close()

        try:
            server = await asyncio.start_server(serve, "127.0.0.1", self._port)
        except OSError as error:
            why = os.strerror(error.errno) if error.errno else error
            raise ShoewatchError(f"TCP port {self._port} of 127.0.0.1 is not to be had: {why}") from None
        async with server:
            await server.serve_forever()

    def _take(self, host: asyncio.StreamWriter) -> None:
        if self._host:
            self._host.transport.abort()
        self._host = host
        if not self._plugged:
            host.transport.abort()
            return
        self.openings += 1
        self.first_host.set()


class InnerLine:
    """The device's end of a line whose host is in the same process; `opened` gives the host's end."""

    def __init__(self) -> None:
        self._plugged = True
        self._ended = False
        self._end: InnerEnd | None = None
        self.openings = 0

    def plug_in(self) -> None:
        """The host can open the line."""
        self._plugged = True

    def unplug(self) -> None:
        """Whoever has the line open loses it."""
        self._plugged = False
        if self._end:
            self._end.lose(LinkLost("gone", "the line was unplugged"))

    def end(self) -> None:
        """Nothing will ever come any more."""
        self._ended = True
        if self._end:
            self._end.lose(LinkLost("ended", _ENDED))

    async def send(self, data: bytes) -> bool:
        """Whether a host has the line open."""
        return self._end is not None and self._end.put(data)

    def opened(self, hear: Callable[[bytes], None]) -> InnerEnd:
        """The host's end, which what the host writes is passed on from; LinkLost where the line is unplugged."""
        if self._ended:
            raise LinkLost("ended", _ENDED)
        if not self._plugged:
            raise LinkLost("absent", "the line is unplugged")
        if self._end:
            self._end.lose(LinkLost("gone", "somebody else opened the line"))
        self._end = InnerEnd(hear)
        self.openings += 1
        return self._end


class InnerEnd:
    """A transport to a simulated device."""

    def __init__(self, hear: Callable[[bytes], None]) -> None:
        self._hear = hear
        self._held = bytearray()
        self._lost: LinkLost | None = None
        self._news = asyncio.Event()

    async def read(self) -> Chunk:
        """All that the device has sent since the last read."""
        while not self._held:
            if self._lost:
                raise LinkLost(self._lost.kind, self._lost.detail)
            self._news.clear()
            await self._news.wait()
        data, self._held = bytes(self._held), bytearray()
        return Chunk(data, time.monotonic_ns())

    async def write(self, data: bytes) -> None:
        """The device hears it at once."""
        if self._lost:
            raise LinkLost(self._lost.kind, self._lost.detail)
        self._hear(data)

    async def close(self) -> None:
        """Leave the line."""
        self._held.clear()
        self.lose(LinkLost("gone", "the simulated line was left"))

    def put(self, data: bytes) -> bool:
        """The device sends; whether the line is open."""
        if self._lost or len(self._held) > _HELD_MAX:
            return False
        self._held += data
        self._news.set()
        return True

    def lose(self, lost: LinkLost) -> None:
        """The line is lost once everything is read."""
        if self._lost is None:
            self._lost = lost
            self._news.set()
