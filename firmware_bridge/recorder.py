"""What goes over a line, written to a recording as it goes. The file is its owner's alone, for it may tell a card that
lies face down.

Each read or write is in the file at once, whole: whatever ends the recording, what was recorded can be played."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

from firmware_bridge.transport import Chunk, Transport
from protocols.errors import ShoewatchError
from protocols.recording import Direction, Read, format_header, format_read

_log: Final = logging.getLogger(__name__)


class Recorder:
    """A new recording. Once something could not be written it has `failed`, and nothing more is written."""

    def __init__(self, path: Path, header: Mapping[str, str]) -> None:
        """ShoewatchError where there is a file already, or none can be made."""
        self.path = path
        self.failed: str | None = None
        self.reads = 0
        self.bytes = 0
        self._start_ns = time.monotonic_ns()
        self._size = 0
        try:
            self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            raise ShoewatchError(f"{path} is there already: a recording is never written over") from None
        except OSError as error:
            raise ShoewatchError(f"{path} cannot be made: {error.strerror}") from None
        self._write("".join(format_header(key, value) for key, value in header.items()))

    def note(self, direction: Direction, data: bytes, mono_ns: int) -> None:
        """Bytes that were read (`<`) or written (`>`) then."""
        seconds = max(0.0, (mono_ns - self._start_ns) * 1e-9)
        if self._write(format_read(Read(seconds, direction, data))) and direction == "<":
            self.reads += 1
            self.bytes += len(data)

    def remark(self, text: str) -> None:
        """A comment, which a reader of the file sees and a replay passes over."""
        self._write(f"# ({text})\n")

    def sync(self) -> None:
        """Everything is on disk when this returns, if the disk takes it."""
        with suppress(OSError):
            os.fsync(self._file)

    def close(self) -> None:
        """Everything is on disk, and the file closed."""
        self.sync()
        os.close(self._file)

    def _write(self, text: str) -> bool:
        """Whether all of it is in the file; a part of it never is."""
        if self.failed is not None:
            return False
        data = text.encode(errors="backslashreplace")
        try:
            _write_whole(self._file, data)
        except OSError as error:
            self.failed = f"{self.path} takes no more: {error.strerror}"
            _log.error("%s; it ends after %d reads", self.failed, self.reads)
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            return False
        self._size += len(data)
        return True


class Tap:
    """A Transport that records what goes over another one."""

    def __init__(self, line: Transport, recorder: Recorder) -> None:
        self._line = line
        self._recorder = recorder

    async def read(self) -> Chunk:
        chunk = await self._line.read()
        self._recorder.note("<", chunk.data, chunk.mono_ns)
        return chunk

    async def write(self, data: bytes) -> None:
        await self._line.write(data)
        self._recorder.note(">", data, time.monotonic_ns())

    async def close(self) -> None:
        await self._line.close()
        self._recorder.remark("the line was closed")
        self._recorder.sync()


def tapped(opener: Callable[[], Awaitable[Transport]], recorder: Recorder) -> Callable[[], Awaitable[Transport]]:
    """An opener of the same line, which is recorded each time that it is opened."""

    async def open_tapped() -> Transport:
        line = await opener()
        recorder.remark("the line was opened")
        return Tap(line, recorder)

    return open_tapped


def free_name(path: Path) -> Path:
    """`line.log`, or where that is there `line-2.log` and so on."""
    return next(name for name in _names(path) if not name.exists())


def _names(path: Path) -> Iterator[Path]:
    yield path
    for number in count(2):
        yield path.with_stem(f"{path.stem}-{number}")


def _write_whole(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
