"""A serial line whose one end is a real pty: the host opens it through a symbolic link.

As on RS-232, what is sent while nobody has the line open is lost, and sending never waits for a host. The kernel would
keep such bytes for the next host, but it tells that nobody has the slave open: the master polls POLLHUP. Nothing is
written then, and what the last host left unread is thrown away."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError
from simulators.texts import unwritten_told

_TICK_S: Final = 0.02
_FULL_LINE_S: Final = 1.0
_READ_MAX: Final = 4096


def ignored(_: bytes) -> None:
    """This device obeys no host."""


class PtyLine:
    """The device's end of the line; `link` is where a host finds the other one while the line is plugged in, `tick_s`
    how often the line is looked at.

    `first_host` is set once a host has opened the line, `openings` counts how often one did."""

    def __init__(self, link: Path, tick_s: float = _TICK_S) -> None:
        with unwritten_told(link):
            is_taken = link.exists() and not link.is_symlink()
        if is_taken:
            raise ShoewatchError(f"{link}: is there and is no symbolic link; name a path for the line that is free")
        if not link.parent.is_dir():
            raise ShoewatchError(f"{link}: there is no folder {link.parent} for the line's link")
        self._link = link
        self._tick_s = tick_s
        self._master: int | None = None
        self._node = ""
        self.first_host = asyncio.Event()
        self.openings = 0

    def plug_in(self) -> None:
        """Make a new pty and let the link name it; harmless when plugged in already."""
        if self._master is not None:
            return
        self._master, slave = os.openpty()
        tty.setraw(slave)
        self._node = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self._master, False)
        fresh = self._link.with_name(f".{self._link.name}.{os.getpid()}")
        with unwritten_told(self._link):
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self._node)
            fresh.replace(self._link)

    def unplug(self) -> None:
        """Close the pty under whoever has it open and take the link away; harmless when unplugged already."""
        if self._master is None:
            return
        if self._link.is_symlink() and os.readlink(self._link) == self._node:
            self._link.unlink()
        os.close(self._master)
        self._master = None

    @property
    def is_heard(self) -> bool:
        """Whether somebody has the line open."""
        if self._master is None:
            return False
        poller = select.poll()
        poller.register(self._master, 0)
        return not poller.poll(0)

    async def send(self, data: bytes) -> bool:
        """Send `data`; whether the line took all of it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FULL_LINE_S):
                return await self._send_all(data)
        return False

    async def attend(self, hear: Callable[[bytes], None] = ignored) -> None:
        """For ever: pass on what hosts send, and drop what a host that closed the line left unread."""
        was_heard = False
        while True:
            is_heard = self.is_heard
            if is_heard:
                self.openings += not was_heard
                self.first_host.set()
                self._receive(hear)
            else:
                self._drop_unread()
            was_heard = is_heard
            await asyncio.sleep(self._tick_s)

    async def _send_all(self, data: bytes) -> bool:
        while data:
            written = self._write(data)
            if written is None:
                return False
            data = data[written:]
            if data:
                await asyncio.sleep(_TICK_S)
        return True

    def _write(self, data: bytes) -> int | None:
        """How many bytes the line took, None where nobody has it open."""
        if self._master is None or not self.is_heard:
            return None
        try:
            return os.write(self._master, data)
        except BlockingIOError:
            return 0
        except OSError:
            return None

    def _receive(self, hear: Callable[[bytes], None]) -> None:
        with contextlib.suppress(OSError):
            while self._master is not None and (data := os.read(self._master, _READ_MAX)):
                hear(data)

    def _drop_unread(self) -> None:
        if self._master is None:
            return
        with contextlib.suppress(OSError):
            slave = os.open(self._node, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                while os.read(slave, _READ_MAX):
                    pass
            finally:
                os.close(slave)
