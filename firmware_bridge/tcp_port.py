"""A device behind a serial device server: a TCP byte stream with keep-alive, so that a dead peer is found out."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import suppress
from typing import Final

from firmware_bridge.faults import kind_at_opening
from firmware_bridge.threads import in_own_thread
from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.records import LossKind

_READ_BYTES: Final = 4096
_CONNECT_TIMEOUT_S: Final = 2.0
_WRITE_TIMEOUT_S: Final = 0.5
_KEEP_ALIVE: Final = ((socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3))

_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def open_tcp(host: str, port: int) -> Transport:
    """The open connection; LinkLost where nobody answers."""
    try:
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            streams = await _connected(host, port)
    except TimeoutError:
        raise LinkLost("absent", f"{host} port {port} does not answer") from None
    except OSError as fault:
        raise LinkLost(kind_at_opening(fault), f"{host} port {port}: {fault}") from None
    return TcpPort(f"{host} port {port}", streams)


async def _connected(host: str, port: int) -> _Streams:
    found = await in_own_thread(lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), f"resolve {host}")
    addresses = [(str(sockaddr[0]), int(sockaddr[1])) for *_, sockaddr in found]
    for address in addresses[:-1]:
        with suppress(OSError):
            return await asyncio.open_connection(*address)
    return await asyncio.open_connection(*addresses[-1])


class TcpPort:
    """A Transport over a connected socket; `peer` names it in details."""

    def __init__(self, peer: str, streams: _Streams) -> None:
        self._peer = peer
        self._reader, self._writer = streams
        self._lost: LinkLost | None = None
        # Every write waits until the kernel has its bytes, so that a standstill shows as a time-out.
        self._writer.transport.set_write_buffer_limits(high=0)
        _keep_alive(self._writer.get_extra_info("socket"))

    async def read(self) -> Chunk:
        self._refuse_if_lost()
        try:
            data = await self._reader.read(_READ_BYTES)
        except OSError as fault:
            raise await self._end("gone", str(fault)) from None
        if not data:
            raise await self._end("gone", "closed by the other side")
        return Chunk(data, time.monotonic_ns())

    async def write(self, data: bytes) -> None:
        self._refuse_if_lost()
        self._writer.write(data)
        try:
            async with asyncio.timeout(_WRITE_TIMEOUT_S):
                await self._writer.drain()
        except TimeoutError:
            raise await self._end("wedged", "takes no bytes") from None
        except OSError as fault:
            raise await self._end("gone", str(fault)) from None

    async def close(self) -> None:
        await self._end("gone", "closed here")

    def _refuse_if_lost(self) -> None:
        if self._lost:
            raise self._lost.with_traceback(None)

    async def _end(self, kind: LossKind, detail: str) -> LinkLost:
        """How the line was lost, the first cause for ever; the socket is closed when this returns."""
        self._lost = self._lost or LinkLost(kind, f"{self._peer}: {detail}")
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()
        return self._lost


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEP_ALIVE:
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
