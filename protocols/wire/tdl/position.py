"""Where a host stands in the numbered events of a device.

head_n = SHA256(head_{n-1} || body of event n), from 32 zero bytes: device and host compute the same chain."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

BEGINNING: Final = bytes(32)


@dataclass(frozen=True, slots=True)
class Position:
    """The last event taken, and the chain's head with it, None where the host has lost the thread of it."""

    eseq: int
    head: bytes | None = field(default=None, repr=False)

    def after(self, body: bytes) -> Position:
        """The position once the next event, with this body, is taken."""
        head = hashlib.sha256(self.head + body).digest() if self.head is not None else None
        return Position(self.eseq + 1, head)

    def agrees(self, last_eseq: int, head: bytes) -> bool:
        """Whether what the device says of its chain can be true; `head` is the first 8 bytes."""
        return self.eseq != last_eseq or self.head is None or self.head[:8] == head


@dataclass(frozen=True, slots=True)
class Rebased:
    """The host goes on behind event `eseq`. `lost`: events that it will never get; None where it never had any before,
    a first meeting of the two."""

    eseq: int
    lost: int | None
    head: bytes | None = field(repr=False)
