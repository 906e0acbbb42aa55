"""A connected socket to the broker, made in a thread of its own that a stop leaves behind.

A name server or a host that never answers cannot hold up the end of the daemon that way; the threads of the loop's
default executor would be waited for."""

from __future__ import annotations

import asyncio
import socket
import threading

from controller.mqtt_address import AddressError, BrokerAddress


class Unreachable(Exception):
    """There is no connection to be had at the moment; the text says why."""


async def dial(address: BrokerAddress, timeout: float) -> socket.socket:
    """A connected socket, after the TLS handshake where there is one; Unreachable else. `timeout`: s for each step."""
    line: asyncio.Future[socket.socket] = asyncio.get_running_loop().create_future()
    threading.Thread(target=_dial_blocking, args=(address, timeout, line), name="dial", daemon=True).start()
    try:
        return await line
    except asyncio.CancelledError:
        if line.done() and not line.cancelled() and line.exception() is None:
            line.result().close()
        raise


def _dial_blocking(address: BrokerAddress, timeout: float, line: asyncio.Future[socket.socket]) -> None:
    try:
        found: socket.socket | Unreachable = _connected_socket(address, timeout)
    except (OSError, UnicodeError, AddressError) as error:
        found = Unreachable(str(error))
    try:
        line.get_loop().call_soon_threadsafe(_hand_over, line, found)
    except RuntimeError:  # the loop has ended
        _discard(found)


def _connected_socket(address: BrokerAddress, timeout: float) -> socket.socket:
    context = address.tls_context()
    sock = socket.create_connection((address.host, address.port), timeout)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return context.wrap_socket(sock, server_hostname=address.host) if context else sock
    except BaseException:
        sock.close()
        raise


def _hand_over(line: asyncio.Future[socket.socket], found: socket.socket | Unreachable) -> None:
    if line.done():
        _discard(found)
    elif isinstance(found, Unreachable):
        line.set_exception(found)
    else:
        line.set_result(found)


def _discard(found: socket.socket | Unreachable) -> None:
    if isinstance(found, socket.socket):
        found.close()
