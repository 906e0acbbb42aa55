"""What a simulated reader says of itself on USB: one vendor-class interface with an interrupt endpoint each way."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

IN: Final = 0x81
OUT: Final = 0x01
PACKET_BYTES: Final = 64

_VENDOR: Final = 0x1209
_PRODUCT: Final = 0xCA4D
_VENDOR_CLASS: Final = (0xFF, 0x00, 0x01)
_INTERRUPT: Final = 3
_EACH_MS: Final = 1
_LANGUAGE: Final = b"\x04\x03\x09\x04"


@dataclass(frozen=True, slots=True)
class Descriptors:
    """A device with one interface; `face` is its class, subclass and protocol, `serial` may be empty."""

    serial: str = "HCR-0007"
    vendor: int = _VENDOR
    product: int = _PRODUCT
    face: tuple[int, int, int] = _VENDOR_CLASS
    maker: str = "Shoewatch"
    name: str = "Hole-card reader"

    @property
    def device(self) -> bytes:
        serial = 3 if self.serial else 0
        ids = (self.vendor, self.product, 0x0100)
        return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, PACKET_BYTES, *ids, 1, 2, serial, 1)

    @property
    def configuration(self) -> bytes:
        interface = struct.pack("<9B", 9, 4, 0, 0, 2, *self.face, 0)
        endpoints = b"".join(
            struct.pack("<BBBBHB", 7, 5, endpoint, _INTERRUPT, PACKET_BYTES, _EACH_MS) for endpoint in (IN, OUT)
        )
        rest = interface + endpoints
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(rest), 1, 1, 0, 0x80, 50) + rest

    def string(self, index: int) -> bytes | None:
        """The string descriptor of this number; None where there is none."""
        if index == 0:
            return _LANGUAGE
        texts = (self.maker, self.name, *([self.serial] if self.serial else []))
        if index > len(texts):
            return None
        text = texts[index - 1].encode("utf-16-le")
        return bytes([len(text) + 2, 3]) + text
