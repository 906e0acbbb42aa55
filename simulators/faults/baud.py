"""What a serial receiver makes of bytes that are sent at another speed than its own (8N1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_BITS_OF_A_BYTE: Final = 10


def heard_at(data: bytes, ratio: float) -> bytes:
    """What is heard of `data` where the sender is `ratio` times as fast as the receiver, which does not look at stop
    bits, as a raw tty does not."""
    level = [bit for byte in data for bit in _framed(byte)]
    return bytes(_received(level, ratio))


def _framed(byte: int) -> list[int]:
    """A start bit, the byte from its lowest bit, a stop bit."""
    return [0, *(byte >> place & 1 for place in range(8)), 1]


def _received(level: list[int], ratio: float) -> Iterator[int]:
    """Looks at the middle of each of its own bits, from the falling edge of a start bit."""
    at = 0.0
    while (start := _next_low(level, at)) is not None:
        bits = [_level(level, start + (place + 0.5) * ratio) for place in range(_BITS_OF_A_BYTE)]
        if bits[0] == 0:
            yield sum(bit << place for place, bit in enumerate(bits[1:-1]))
        at = start + (_BITS_OF_A_BYTE - 0.5) * ratio


def _next_low(level: list[int], at: float) -> int | None:
    return next((place for place in range(int(at), len(level)) if place >= at and level[place] == 0), None)


def _level(level: list[int], at: float) -> int:
    """A line on which nobody sends is high."""
    return level[int(at)] if int(at) < len(level) else 1
