"""A recording in place of a device, at its own pace or another."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

from firmware_bridge.threads import in_own_thread
from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ShoewatchError
from protocols.recording import Read, Recording, RecordingError, parse_recording


async def open_replay(path: str, pace: float) -> Transport:
    """The recording's bytes from the device; `pace` 1 as recorded, 10 ten times as fast, 0 without waiting.

    ShoewatchError, with the line, for a file that cannot be read or is no recording."""
    return ReplayPort(await in_own_thread(lambda: read_recording(path), f"read {path}"), pace)


class ReplayPort:
    """A Transport that plays a recording from the moment it is made; what is written to it goes nowhere."""

    def __init__(self, recording: Recording, pace: float) -> None:
        self._reads = deque(read for read in recording.reads if read.direction == "<")
        self._pace = pace
        self._start = time.monotonic()
        self._closed = asyncio.Event()

    async def read(self) -> Chunk:
        await self._wait_until_due()
        self._refuse_if_over()
        return Chunk(self._reads.popleft().data, time.monotonic_ns())

    async def write(self, data: bytes) -> None:  # noqa: ARG002
        self._refuse_if_over()

    async def close(self) -> None:
        self._closed.set()

    async def _wait_until_due(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause_s()):
                await self._closed.wait()

    def _pause_s(self) -> float:
        if not self._reads or not self._pace:
            return 0
        return self._due(self._reads[0]) - time.monotonic()

    def _due(self, read: Read) -> float:
        return self._start + (read.seconds or 0) / self._pace

    def _refuse_if_over(self) -> None:
        if self._closed.is_set():
            raise LinkLost("gone", "closed here")
        if not self._reads:
            raise LinkLost("ended", "the recording is over")


def read_recording(path: str) -> Recording:
    """The file; ShoewatchError, with the line, where it cannot be read or is no recording.

    A pipe or a device, which may have no end, is not read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise ShoewatchError(f"replay:{path} is no file")
        return parse_recording(Path(path).read_text(encoding="utf-8"))
    except RecordingError as wrong:
        raise ShoewatchError(f"replay:{path}: {wrong}") from None
    except (OSError, ValueError) as fault:
        raise ShoewatchError(f"replay:{path} cannot be read: {fault}") from None
