"""A device's durable events: each under its number for life, in a chain, kept until there is no more room."""

from __future__ import annotations

import hashlib
from collections import deque
from pathlib import Path
from struct import Struct
from typing import Final, TextIO

from protocols.errors import ShoewatchError
from simulators.texts import unwritten_told

CAPACITY: Final = 1024
_NUMBER: Final = Struct("<I")
_NO_HEAD: Final = bytes(32)


class Memory:
    """The last `capacity` events. With a file, one line an event in hex, a device finds them again when it starts.

    `boots` counts the starts; `oldest` is the number of the oldest event kept, `last` of the newest (0: none)."""

    def __init__(self, file: Path | None = None, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self._bodies: deque[bytes] = deque()
        self._dropped = 0
        self._head_before = self._head = _NO_HEAD
        self.boots = 1
        self._path = file
        self._file = self._opened(file) if file else None

    @property
    def last(self) -> int:
        return self._dropped + len(self._bodies)

    @property
    def oldest(self) -> int:
        return self._dropped + 1

    @property
    def head(self) -> bytes:
        """The chain over all events, 32 bytes."""
        return self._head

    @property
    def head_before_oldest(self) -> bytes:
        return self._head_before

    def event(self, number: int) -> bytes:
        """The body of a kept event."""
        return self._bodies[number - self.oldest]

    def restarted(self) -> None:
        """The device has started once more."""
        self.boots += 1

    def append(self, body: bytes) -> int:
        """Keep the event of the next number, which its body begins with; the number."""
        self._keep(body)
        self._write(body.hex())
        return self.last

    def roll_back(self, count: int) -> None:
        """The newest events, so many of those kept, never were; their numbers are given once more."""
        kept = list(self._bodies)[: max(len(self._bodies) - count, 0)]
        self._bodies.clear()
        self._head = self._head_before
        for body in kept:
            self._keep(body)

    def alter(self) -> None:
        """The chain goes on from something that was never told."""
        self._head = _chained(self._head, b"")

    def _keep(self, body: bytes) -> None:
        self._bodies.append(body)
        self._head = _chained(self._head, body)
        while len(self._bodies) > self.capacity:
            self._head_before = _chained(self._head_before, self._bodies.popleft())
            self._dropped += 1

    def _write(self, line: str) -> None:
        if self._file and self._path:
            with unwritten_told(self._path):
                self._file.write(line + "\n")
                self._file.flush()

    def _opened(self, file: Path) -> TextIO:
        with unwritten_told(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            return self._reopened(file)

    def _reopened(self, file: Path) -> TextIO:
        if file.exists():
            self._read(file)
        fresh = file.with_name(f".{file.name}.new")
        opened = fresh.open("w", encoding="ascii")
        opened.write(f"{self.boots} {self._dropped} {self._head_before.hex()}\n")
        opened.writelines(f"{body.hex()}\n" for body in self._bodies)
        opened.flush()
        fresh.replace(file)
        return opened

    def _read(self, file: Path) -> None:
        try:
            first, *lines = file.read_text(encoding="ascii").split("\n")[:-1]
            boots, dropped, head = first.split()
            self.boots, self._dropped = int(boots) + 1, int(dropped)
            self._head_before = self._head = bytes.fromhex(head)
            for line in lines:
                self._keep(bytes.fromhex(line))
        except ValueError:
            raise ShoewatchError(f"{file}: is no memory of a simulated device; name another file") from None


def _chained(head: bytes, body: bytes) -> bytes:
    return hashlib.sha256(head + body).digest()


def numbered(number: int, rest: bytes) -> bytes:
    """The body of the event of this number."""
    return _NUMBER.pack(number) + rest
