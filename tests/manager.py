"""A service manager of the test's own: a datagram socket that keeps what it is told."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType


class Manager:
    """`path`: where its socket is, or for an abstract one what it is called after."""

    def __init__(self, path: Path, *, abstract: bool = False) -> None:
        self.address = f"@{path}" if abstract else str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(f"\0{path}" if abstract else str(path))
        self._heard: list[str] = []

    def heard(self) -> Sequence[str]:
        """Every datagram so far."""
        with suppress(BlockingIOError):
            while self._socket.fileno() >= 0:
                self._heard.append(self._socket.recv(4096).decode())
        return list(self._heard)

    def __enter__(self) -> Manager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.heard()
        self._socket.close()
