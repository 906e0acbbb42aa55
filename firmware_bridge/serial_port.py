"""A serial line. One thread opens, reads, writes and closes it, so nobody else ever touches its descriptor.

Thread and loop share two queues: chunks come in through `_inbox`, which is bounded (a full one makes the thread
stop reading, the kernel buffers), and bytes go out through `_outbox`. The loop wakes the thread with an event
descriptor, the thread wakes the loop with `tell`. The thread's last message is how the line ended, sent once the
descriptor is free."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import select
import stat
import termios
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import serial

from firmware_bridge.node import denial, holders
from firmware_bridge.threads import fail, settle, tell
from firmware_bridge.transport import Chunk, LineSettings, LinkLost, Transport
from protocols.errors import ShoewatchError
from protocols.records import LossKind

_READ_BYTES: Final = 4096
_log: Final = logging.getLogger(__name__)
_INBOX_CHUNKS: Final = 64
_WRITE_TIMEOUT_S: Final = 0.5
_CLOSE_TIMEOUT_S: Final = 0.8
_FAULTS: Final = (OSError, termios.error)
_OPEN_KINDS: Final[Mapping[int | None, LossKind]] = {
    errno.ENOENT: "absent",
    errno.ENOTDIR: "absent",
    errno.ENODEV: "absent",
    errno.ENXIO: "absent",
    errno.EAGAIN: "busy",
    errno.EBUSY: "busy",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
}


async def open_serial(path: str, line: LineSettings) -> Transport:
    """The open line, locked for us; LinkLost where that fails, ShoewatchError for a speed that it cannot have."""
    port = SerialPort(path, line)
    await port.open()
    return port


class SerialPort:
    """A Transport over a tty, opened once."""

    def __init__(self, path: str, line: LineSettings) -> None:
        self._path = path
        self._line = line
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[Chunk] = deque()
        self._outbox: deque[tuple[bytes, asyncio.Future[None]]] = deque()
        self._news = asyncio.Event()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._end: Exception = LinkLost("gone", "closed here")
        self._stopping = False
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    async def open(self) -> None:
        threading.Thread(target=self._run, name=f"serial {self._path}", daemon=True).start()
        try:
            await self._opened
        except asyncio.CancelledError:
            self._stop()
            raise

    async def read(self) -> Chunk:
        while not self._inbox:
            if self._ended.is_set():
                raise self._end.with_traceback(None)
            self._news.clear()
            await self._news.wait()
        chunk = self._inbox.popleft()
        if len(self._inbox) == _INBOX_CHUNKS - 1:
            self._poke()
        return chunk

    async def write(self, data: bytes) -> None:
        if self._ended.is_set():
            raise self._end.with_traceback(None)
        sent: asyncio.Future[None] = self._loop.create_future()
        self._outbox.append((data, sent))
        self._poke()
        await sent

    async def close(self) -> None:
        self._stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await self._ended.wait()

    def _stop(self) -> None:
        self._stopping = True
        self._inbox.clear()
        self._poke()

    def _poke(self) -> None:
        if not self._ended.is_set():
            os.eventfd_write(self._wake, 1)

    def _announce(self, end: Exception) -> None:
        self._end = end
        self._ended.set()
        os.close(self._wake)
        self._news.set()
        fail(self._opened, end)
        for _, sent in self._outbox:
            fail(sent, end)

    def _run(self) -> None:
        try:
            self._live()
        except Exception as end:
            tell(self._loop, self._announce, end)

    def _live(self) -> None:
        port = _opened(self._path, self._line)
        try:
            tell(self._loop, settle, self._opened, None)
            self._serve(port)
        except serial.SerialTimeoutException as fault:
            raise LinkLost("wedged", f"{self._path} takes no bytes: {fault}") from None
        except _FAULTS as fault:
            raise LinkLost("gone", f"{self._path}: {fault}") from None
        finally:
            _close(port)
        raise LinkLost("gone", "closed here")

    def _serve(self, port: serial.Serial) -> None:
        line = port.fileno()
        while not self._stopping:
            watched = [self._wake, line] if len(self._inbox) < _INBOX_CHUNKS else [self._wake]
            ready, _, _ = select.select(watched, (), ())
            if self._wake in ready:
                os.eventfd_read(self._wake)
            self._send(port)
            if line in ready:
                self._receive(port)

    def _send(self, port: serial.Serial) -> None:
        while self._outbox:
            data, sent = self._outbox[0]
            port.write(data)
            self._outbox.popleft()
            tell(self._loop, settle, sent, None)

    def _receive(self, port: serial.Serial) -> None:
        data = port.read(_READ_BYTES)
        if data:
            self._inbox.append(Chunk(data, time.monotonic_ns()))
            tell(self._loop, self._news.set)


def _opened(path: str, line: LineSettings) -> serial.Serial:
    try:
        port = serial.Serial(path, line.baud, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
    except ValueError as wrong:
        raise ShoewatchError(f"serial:{path}: {wrong}") from None
    except _FAULTS as fault:
        raise _not_opened(path, fault) from None
    with suppress(*_FAULTS):
        _keep_modem_lines(port.fileno())
    return port


def _keep_modem_lines(descriptor: int) -> None:
    """Closing leaves DTR and RTS up, so that the next opening does not toggle them: some devices reset on that."""
    attributes = termios.tcgetattr(descriptor)
    attributes[2] &= ~termios.HUPCL
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _close(port: serial.Serial) -> None:
    """Close at once: what a line that stands still did not take is dropped, for a close would wait for it."""
    with suppress(*_FAULTS):
        port.reset_output_buffer()
    with suppress(*_FAULTS):
        port.close()


def _not_opened(path: str, fault: Exception) -> LinkLost:
    kind = _OPEN_KINDS.get(getattr(fault, "errno", None), "gone")
    try:
        return LinkLost(*_explained(path, kind, fault))
    except Exception as unexplained:
        _log.debug("%s: no explanation: %s", path, unexplained)
        return LinkLost(kind, f"{path}: {fault}")


def _explained(path: str, kind: LossKind, fault: Exception) -> tuple[LossKind, str]:
    if kind == "absent":
        return kind, f"{path} is not there"
    if kind == "denied":
        return kind, denial(path)
    if kind == "busy":
        return kind, f"{path} is held by {', '.join(holders(path)) or 'another program'}"
    if not stat.S_ISCHR(os.stat(path).st_mode):
        return "absent", f"{path} is no serial line"
    return kind, f"{path}: {fault}"
