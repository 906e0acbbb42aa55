"""Faults of a serial line: what goes in comes out lost, flipped, torn, joined, late or not at all."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import Enum


class LineFault(Enum):
    """What can happen to the bytes of one report."""

    LOST = "lost"
    FLIPPED = "flipped"
    TORN = "torn"
    JOINED = "joined"
    GARBAGE = "garbage"
    LATE = "late"
    UNPLUGGED = "unplugged"


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing goes over the line for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Unplugged:
    """The line is closed, and open again after some seconds."""

    seconds: float


Part = bytes | Pause | Unplugged


class NoisyLine:
    """Spoils the share `rate` (0-1) of what it carries, each time by one of `kinds`; seeded."""

    def __init__(self, seed: int, rate: float, kinds: Collection[LineFault] = frozenset(LineFault)) -> None:
        self._rng = random.Random(seed)
        self._rate = rate
        self._kinds = [kind for kind in LineFault if kind in kinds]
        self._held = b""
        self._spoil: Mapping[LineFault, Callable[[bytes], list[Part]]] = {
            LineFault.LOST: self._lose,
            LineFault.FLIPPED: self._flip,
            LineFault.TORN: self._tear,
            LineFault.JOINED: self._hold,
            LineFault.GARBAGE: lambda data: [self._rng.randbytes(self._rng.randint(1, 12)), data],
            LineFault.LATE: lambda data: [Pause(0.5), data],
            LineFault.UNPLUGGED: self._unplug,
        }

    def carry(self, data: bytes) -> tuple[LineFault | None, list[Part]]:
        """What becomes of `data`; bytes that are held come out together with the next."""
        if self._rng.random() >= self._rate:
            return None, [self._with_held(data)]
        fault = self._rng.choice(self._kinds)
        return fault, self._spoil[fault](self._with_held(data))

    def rest(self) -> bytes:
        """What is still held."""
        return self._with_held(b"")

    def _with_held(self, data: bytes) -> bytes:
        held, self._held = self._held, b""
        return held + data

    def _cut(self, data: bytes) -> tuple[bytes, bytes]:
        at = self._rng.randint(1, len(data) - 1)
        return data[:at], data[at:]

    def _lose(self, data: bytes) -> list[Part]:
        first, second = self._cut(data)
        return [first + second[self._rng.randint(1, len(second)) :]]

    def _flip(self, data: bytes) -> list[Part]:
        spoiled = bytearray(data)
        spoiled[self._rng.randrange(len(data))] ^= 1 << self._rng.randrange(8)
        return [bytes(spoiled)]

    def _tear(self, data: bytes) -> list[Part]:
        first, second = self._cut(data)
        return [first, Pause(0.02), second]

    def _hold(self, data: bytes) -> list[Part]:
        self._held = data
        return []

    def _unplug(self, data: bytes) -> list[Part]:
        return [self._cut(data)[0], Unplugged(0.2)]
