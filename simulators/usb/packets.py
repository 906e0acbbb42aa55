"""Between the frames of a line and the packets of USB: the same raw frames, without COBS (devices 6.8)."""

from __future__ import annotations

from typing import Final

from simulators.tdl.frames import cobs, uncobs
from simulators.usb.descriptors import PACKET_BYTES

_FIRST: Final = 0x80
_LAST: Final = 0x40
_LENGTH: Final = 0x3F
_PART: Final = PACKET_BYTES - 1
_ASSEMBLED_MAX: Final = 178


def to_packets(line: bytes) -> list[bytes]:
    """Whole frames as a device says them on a line, as packets."""
    return [packet for coded in line.split(b"\0") if coded for packet in _packed(uncobs(coded) or b"")]


def _packed(raw: bytes) -> list[bytes]:
    packets = []
    for at in range(0, len(raw), _PART):
        part = raw[at : at + _PART]
        head = len(part) | (_FIRST if at == 0 else 0) | (_LAST if at + _PART >= len(raw) else 0)
        packets.append(bytes([head]) + part + bytes(_PART - len(part)))
    return packets


class Assembler:
    """Packets of a host, one at a time, as a device hears them on a line."""

    def __init__(self) -> None:
        self._raw: bytearray | None = None

    def take(self, packet: bytes) -> bytes:
        """The frame on the line that is whole now; nothing where none is."""
        if not packet:
            return b""
        if packet[0] & _FIRST:
            self._raw = bytearray()
        if self._raw is None:
            return b""
        self._raw += packet[1 : 1 + (packet[0] & _LENGTH)]
        if len(self._raw) > _ASSEMBLED_MAX:
            self._raw = None
        elif packet[0] & _LAST:
            raw, self._raw = bytes(self._raw), None
            return b"\0" + cobs(raw) + b"\0"
        return b""
