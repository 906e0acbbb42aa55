"""What an Angel Eye shoe hears from its host, sans-I/O: commands, and what is wrong with those that are none.

`STX OP type data ETX check`, two characters each (devices 3.1, decisions 8). The shoe's own text and its own example
differ in whether the check covers the STX, so a shoe of either kind can be had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Final

ACK: Final = b"\x06"
LINE_CHECK, NO_ETX, FORMAT, COMMAND, TYPE, BUSY, OTHER = 0x02, 0x03, 0x11, 0x13, 0x14, 0x21, 0xFF

_STX, _ETX = 0x02, 0x03
_MOST: Final = 16
_CHECK_BYTES: Final = 2
_TYPES: Final = ("LK", "EC", "GP")


@dataclass(frozen=True, slots=True)
class Command:
    """A command that can be understood: its type and its number, 0 to 99."""

    type: str
    number: int


@dataclass(frozen=True, slots=True)
class Wrong:
    """None that can be, and the reason for the NAK."""

    reason: int


def nak(reason: int) -> bytes:
    return bytes([0x15, reason])


def answer(text: bytes) -> bytes:
    """What the shoe has to say; the check of this direction never covers the STX."""
    body = text + bytes([_ETX])
    return bytes([_STX]) + body + b"%02X" % reduce(xor, body)


class HostEar:
    """Bytes from the host, cut anywhere, to commands."""

    def __init__(self, *, check_covers_stx: bool = True) -> None:
        self._check_covers_stx = check_covers_stx
        self._frame = bytearray()

    def hear(self, data: bytes) -> Iterator[Command | Wrong]:
        """What `data` completes; what stands outside of a frame is nothing at all."""
        for byte in data:
            if not self._frame and byte != _STX:
                continue
            self._frame.append(byte)
            end = self._frame.find(_ETX)
            if end < 0 and len(self._frame) > _MOST:
                self._frame.clear()
                yield Wrong(NO_ETX)
            elif end >= 0 and len(self._frame) == end + 1 + _CHECK_BYTES:
                frame = bytes(self._frame)
                self._frame.clear()
                yield self._judged(frame[: end + 1], frame[end + 1 :])

    def _judged(self, frame: bytes, check: bytes) -> Command | Wrong:
        if check != b"%02X" % reduce(xor, frame if self._check_covers_stx else frame[1:]):
            return Wrong(LINE_CHECK)
        text = frame[1:-1].decode("latin-1")
        operation, kind, number = text[:2], text[2:4], text[4:]
        if len(text) != 6 or not (number.isascii() and number.isdigit()):
            return Wrong(FORMAT)
        if operation != "OP":
            return Wrong(COMMAND)
        return Command(kind, int(number)) if kind in _TYPES else Wrong(TYPE)
