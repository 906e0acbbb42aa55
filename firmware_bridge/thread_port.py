"""A line that only threads of its own touch: they open, read, write and close it, the loop never waits for a library.

Thread and loop share two queues: chunks come in through `_inbox`, which is bounded (a full one makes the thread stop
reading, the kernel or the device buffers), and bytes go out through `_outbox`. The loop wakes the thread with `_poke`,
the thread wakes the loop with `tell`. The thread's last message is how the line ended, sent once the descriptor is
free."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from typing import Final, NoReturn

from firmware_bridge.threads import fail, settle, tell
from firmware_bridge.transport import Chunk, LinkLost

_INBOX_CHUNKS: Final = 64
_CLOSE_TIMEOUT_S: Final = 0.8


class ThreadPort(ABC):
    """A Transport, opened once; `name` is its thread's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[Chunk] = deque()
        self._outbox: deque[tuple[bytes, asyncio.Future[None]]] = deque()
        self._news = asyncio.Event()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._ended = asyncio.Event()
        self._end: Exception = LinkLost("gone", "closed here")
        self._stopping = False

    @abstractmethod
    def _live(self) -> NoReturn:
        """In the thread: open the line, say so with `_is_open`, serve it until `_stopping`, close it; then raise how
        it was lost."""

    @abstractmethod
    def _poke(self) -> None:
        """In the loop: wake the thread, for there is something to send, room in the inbox, or it is to stop."""

    @abstractmethod
    def _release(self) -> None:
        """In the loop, once the line has ended: give back what `_poke` needs."""

    async def open(self) -> None:
        """LinkLost or ShoewatchError where that fails; a cancellation leaves the thread to close what it opens."""
        self._thread.start()
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

    @property
    def _has_room(self) -> bool:
        return len(self._inbox) < _INBOX_CHUNKS

    def _is_open(self) -> None:
        tell(self._loop, settle, self._opened, None)

    def _take_in(self, data: bytes) -> None:
        self._inbox.append(Chunk(data, time.monotonic_ns()))
        tell(self._loop, self._news.set)

    def _is_sent(self) -> None:
        """The first of the outbox is out."""
        _, sent = self._outbox.popleft()
        tell(self._loop, settle, sent, None)

    def _stop(self) -> None:
        self._stopping = True
        self._inbox.clear()
        self._poke()

    def _announce(self, end: Exception) -> None:
        self._end = end
        self._ended.set()
        self._release()
        self._news.set()
        fail(self._opened, end)
        for _, sent in self._outbox:
            fail(sent, end)

    def _run(self) -> None:
        try:
            self._live()
        except Exception as end:
            tell(self._loop, self._announce, end)
