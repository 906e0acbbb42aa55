"""TDL/1 frames as they stand on a serial line: COBS, check sum, message authentication (devices 6.2)."""

from __future__ import annotations

import hashlib
import hmac
import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Final

_VERSION: Final = 0x10
_SEC: Final = 0x01
_HEADER: Final = Struct("<BBI")
_CRC: Final = Struct("<I")
_MAC_BYTES: Final = 8
_RAW_MAX: Final = 178
_LINE_MAX: Final = _RAW_MAX + 2
_BLOCK: Final = 254


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame whose check sum was right; `mac` covers `covered`, and is None in the handshake."""

    type: int
    ctr: int
    body: bytes
    covered: bytes
    mac: bytes | None

    def is_genuine(self, key: bytes) -> bool:
        """Whether who sent it has the key."""
        return self.mac is not None and hmac.compare_digest(self.mac, _mac(key, self.covered))


def frame(kind: int, ctr: int, body: bytes, key: bytes | None = None) -> bytes:
    """One frame on the line; with a key it is authenticated."""
    covered = _HEADER.pack(_VERSION | (_SEC if key else 0), kind, ctr) + body
    checked = covered + (_mac(key, covered) if key else b"")
    return b"\0" + cobs(checked + _CRC.pack(zlib.crc32(checked))) + b"\0"


def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """32 bytes by HKDF-SHA256 (RFC 5869)."""
    extracted = hmac.digest(salt, secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def cobs(raw: bytes) -> bytes:
    """The bytes without any 0."""
    coded = bytearray()
    for number, part in enumerate(parts := raw.split(b"\0")):
        while len(part) >= _BLOCK:
            coded += b"\xff" + part[:_BLOCK]
            part = part[_BLOCK:]
            if not part and number == len(parts) - 1:
                return bytes(coded)
        coded += bytes([len(part) + 1]) + part
    return bytes(coded)


def uncobs(coded: bytes) -> bytes | None:
    """The bytes that `cobs` took; None for what it never makes."""
    raw, place = bytearray(), 0
    while place < len(coded):
        code = coded[place]
        block = coded[place + 1 : place + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            return None
        raw += block
        place += code
        if code <= _BLOCK and place < len(coded):
            raw.append(0)
    return bytes(raw)


def opened(raw: bytes) -> Frame | None:
    """The frame in these bytes; None where there is none."""
    if not _HEADER.size + _CRC.size <= len(raw) <= _RAW_MAX:
        return None
    checked = raw[: -_CRC.size]
    first, kind, ctr = _HEADER.unpack_from(checked)
    if raw[-_CRC.size :] != _CRC.pack(zlib.crc32(checked)) or first & 0xF0 != _VERSION:
        return None
    if not first & _SEC:
        return Frame(kind, ctr, checked[_HEADER.size :], checked, None)
    covered, mac = checked[:-_MAC_BYTES], checked[-_MAC_BYTES:]
    return Frame(kind, ctr, covered[_HEADER.size :], covered, mac) if len(covered) >= _HEADER.size else None


class Deframer:
    """Finds the frames in what comes over a line; `bad` counts what stood between two zeros and was none."""

    def __init__(self) -> None:
        self.bad = 0
        self._begun = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that are complete now."""
        *ended, rest = data.split(b"\0")
        found = []
        for part in ended:
            self._add(part)
            found += self._ended()
        self._add(rest)
        return found

    def _add(self, part: bytes) -> None:
        self._begun += part
        if len(self._begun) > _LINE_MAX:
            self._begun.clear()
            self._too_long = True

    def _ended(self) -> list[Frame]:
        coded, too_long = bytes(self._begun), self._too_long
        self._begun.clear()
        self._too_long = False
        if not coded and not too_long:
            return []
        raw = None if too_long else uncobs(coded)
        found = opened(raw) if raw else None
        self.bad += found is None
        return [found] if found else []


def _mac(key: bytes, covered: bytes) -> bytes:
    return hmac.new(key, covered, hashlib.sha256).digest()[:_MAC_BYTES]
