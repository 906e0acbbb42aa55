"""What a transport is: a byte stream to one device, opened from an address such as `serial:/dev/ttyS0?baud=4800`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from protocols.records import LossKind


class LinkLost(Exception):
    """The stream ended or could not be opened. `kind` is one of ours, whatever the library called it."""

    def __init__(self, kind: LossKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes as one read gave them, without repr because they may tell a face-down card, and the monotonic clock in ns
    when they came."""

    data: bytes = field(repr=False)
    mono_ns: int


@dataclass(frozen=True, slots=True)
class LineSettings:
    """What a device's protocol says of its serial line; always 8N1 without flow control."""

    baud: int


class Transport(Protocol):
    """An open stream. A cancelled `read` loses no bytes. After `LinkLost` was raised the stream is closed, its
    descriptor free, and every later call raises again."""

    async def read(self) -> Chunk:
        """The next bytes, at least one; LinkLost when there will be no more."""

    async def write(self, data: bytes) -> None:
        """Send all of `data`; LinkLost where that fails."""

    async def close(self) -> None:
        """Close; harmless when closed already."""


@dataclass(frozen=True, slots=True)
class PortAddress:
    """`scheme:target?name=value&...`"""

    scheme: str
    target: str
    params: Mapping[str, str] = field(default_factory=dict)
