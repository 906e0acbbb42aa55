"""TDL/1 frames on USB: packets of 64 bytes, the raw frame without COBS.

Byte 0 of a packet: bit 7 first, bit 6 last, bits 0-5 the number of frame bytes that follow."""

from __future__ import annotations

from typing import Final

from protocols.wire.tdl.frame import MAX_RAW, Frame, FrameCounters, read_raw

PACKET_BYTES: Final = 64

_FIRST: Final = 0x80
_LAST: Final = 0x40
_LENGTH: Final = 0x3F
_ROOM: Final = PACKET_BYTES - 1


def in_packets(raw: bytes) -> bytes:
    """A raw frame as it is sent over USB: its packets, one behind the other."""
    parts = [raw[at : at + _ROOM] for at in range(0, len(raw), _ROOM)]
    return b"".join(_packet(part, first=n == 0, last=n == len(parts) - 1) for n, part in enumerate(parts))


def _packet(part: bytes, *, first: bool, last: bool) -> bytes:
    return (bytes([_FIRST * first | _LAST * last | len(part)]) + part).ljust(PACKET_BYTES, b"\0")


class PacketDecoder:
    """Packets, one after the other, to frames."""

    def __init__(self) -> None:
        self._raw: bytes | None = None
        self.counters = FrameCounters()

    def feed(self, data: bytes) -> tuple[Frame, ...]:
        """The frames that these packets complete, all whole but the last, which may be short; never raises."""
        parts = (data[at : at + PACKET_BYTES] for at in range(0, len(data), PACKET_BYTES))
        return tuple(frame for part in parts for frame in self._fed(part))

    def _fed(self, packet: bytes) -> tuple[Frame, ...]:
        if packet[0] & _FIRST:
            self._drop()
            self._raw = b""
        part = packet[1 : 1 + (packet[0] & _LENGTH)]
        if self._raw is None or len(self._raw) + len(part) > MAX_RAW:
            self._drop(len(part), oversize=self._raw is not None)
            return ()
        self._raw += part
        return self._finished() if packet[0] & _LAST else ()

    def _finished(self) -> tuple[Frame, ...]:
        raw, self._raw = self._raw or b"", None
        frame = read_raw(raw)
        if frame is None:
            self.counters = self.counters.plus(len(raw), damaged=True)
            return ()
        return (frame,)

    def _drop(self, more: int = 0, *, oversize: bool = False) -> None:
        lost, self._raw = len(self._raw or b"") + more, None
        self.counters = self.counters.plus(lost, damaged=lost > 0 and not oversize, oversize=oversize)
