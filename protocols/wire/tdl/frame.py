"""TDL/1 frames: the raw frame, and its form on a serial line, `00 COBS(raw) 00`.

A raw frame, little endian: version and flags u8, type u8, counter u32, body of 0 to 160 bytes, in a session the first
8 bytes of an HMAC-SHA256 over all before, and the CRC-32 of everything before it. What is damaged is dropped and
counted, never answered: nobody knows where it came from."""

from __future__ import annotations

import hmac
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Final

VERSION: Final = 1
SECURE: Final = 1
MAX_RAW: Final = 178

_HEADER: Final = Struct("<BBI")
_CRC: Final = Struct("<I")
_MAC_BYTES: Final = 8
_MAX_BODY: Final = 160
_MAX_CODED: Final = MAX_RAW + 1


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame whose check held. `signed` is what `mac` covers; `mac` is None outside a session."""

    type: int
    counter: int
    body: bytes = field(repr=False)
    signed: bytes = field(repr=False)
    mac: bytes | None = field(repr=False)

    def is_from(self, key: bytes) -> bool:
        """Whether whoever sent it has the key."""
        return self.mac is not None and hmac.compare_digest(self.mac, _mac(key, self.signed))


@dataclass(frozen=True, slots=True)
class FrameCounters:
    """`discarded`: bytes that belong to no frame; `damaged`, `oversize`: runs with a bad check, and too long ones."""

    discarded: int = 0
    damaged: int = 0
    oversize: int = 0

    def plus(self, discarded: int, *, damaged: bool = False, oversize: bool = False) -> FrameCounters:
        """One more run that was dropped."""
        return FrameCounters(self.discarded + discarded, self.damaged + damaged, self.oversize + oversize)


def raw_frame(kind: int, counter: int, body: bytes, key: bytes | None = None) -> bytes:
    """A raw frame of type `kind`; with a key it carries a MAC. ValueError where the body is too long."""
    if len(body) > _MAX_BODY:
        raise ValueError(f"a body of {len(body)} bytes (at most {_MAX_BODY})")
    signed = _HEADER.pack(VERSION << 4 | (SECURE if key else 0), kind, counter) + body
    checked = signed + (_mac(key, signed) if key else b"")
    return checked + _CRC.pack(zlib.crc32(checked))


def read_raw(raw: bytes) -> Frame | None:
    """The frame; None where its length, version or check is wrong."""
    if not _HEADER.size + _CRC.size <= len(raw) <= MAX_RAW:
        return None
    checked, (crc,) = raw[: -_CRC.size], _CRC.unpack(raw[-_CRC.size :])
    first, kind, counter = _HEADER.unpack_from(raw)
    mac_bytes = _MAC_BYTES if first & SECURE else 0
    if zlib.crc32(checked) != crc or first >> 4 != VERSION or len(checked) < _HEADER.size + mac_bytes:
        return None
    end = len(checked) - mac_bytes
    return Frame(kind, counter, checked[_HEADER.size : end], checked[:end], checked[end:] if mac_bytes else None)


def on_line(raw: bytes) -> bytes:
    """A raw frame as it is sent on a serial line."""
    return b"\0" + cobs(raw) + b"\0"


def cobs(data: bytes) -> bytes:
    """At most 253 bytes without their zeros: each becomes the distance to the next one."""
    return b"".join(bytes([len(block) + 1]) + block for block in data.split(b"\0"))


def uncobs(coded: bytes) -> bytes | None:
    """What `cobs` was given; None where it cannot have been that."""
    blocks = []
    at = 0
    while at < len(coded):
        end = at + coded[at]
        if end == at or end > len(coded):
            return None
        blocks.append(coded[at + 1 : end])
        at = end
    return b"\0".join(blocks) if blocks else None


class LineDecoder:
    """The bytes of a serial line, cut anywhere, to frames."""

    def __init__(self) -> None:
        self._rest = b""
        self.counters = FrameCounters()

    def feed(self, data: bytes) -> tuple[Frame, ...]:
        """The frames that `data` completes; never raises."""
        *runs, rest = (self._rest + data).split(b"\0")
        # One byte more than the longest frame is enough to know later that this is none.
        self._rest = rest[: _MAX_CODED + 1]
        self.counters = self.counters.plus(len(rest) - len(self._rest))
        return tuple(self._frames(filter(None, runs)))

    def _frames(self, runs: Iterable[bytes]) -> Iterator[Frame]:
        for run in runs:
            raw = uncobs(run) if len(run) <= _MAX_CODED else None
            frame = read_raw(raw) if raw is not None else None
            if frame is None:
                too_long = len(run) > _MAX_CODED
                self.counters = self.counters.plus(len(run), damaged=not too_long, oversize=too_long)
            else:
                yield frame


def _mac(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, signed, "sha256")[:_MAC_BYTES]
