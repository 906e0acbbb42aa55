"""Who a simulated device is. Its secrets follow from its serial number: they protect nothing but a bench."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from struct import Struct
from typing import Final, Literal

from simulators.tdl.frames import hkdf

Role = Literal["shoe", "reader"]
ROLES: Final[dict[Role, int]] = {"shoe": 1, "reader": 2}
FIRMWARE: Final = hashlib.sha256(b"demo firmware 1.0").digest()

_SEED: Final = "shoewatch simulated device "
_IDENT: Final = Struct("<BBII16s16s12s12s32s")
_PROTOCOL: Final = 1


@dataclass(frozen=True, slots=True)
class Identity:
    """What a device says of itself in IDENT; `caps` are the bits of decisions 9."""

    role: Role
    serial: str
    secret: bytes
    caps: int = 0
    model: str = "SIMULATED"
    version: str = "1.0.0"
    firmware: bytes = FIRMWARE

    @property
    def key(self) -> bytes:
        """The device's own key, bound to its firmware."""
        return hkdf(self.secret, self.firmware, b"TDL1 device key")

    def ident(self, boot: int, nonce: bytes) -> bytes:
        """The body of IDENT without its tag."""
        names = (text.encode() for text in (self.serial, self.model, self.version))
        return _IDENT.pack(ROLES[self.role], _PROTOCOL, boot, self.caps, nonce, *names, self.firmware)


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """What a host's registry has to hold for a device: serial number, firmware digest and key, both in hex."""

    serial: str
    firmware: str
    key: str

    def toml(self) -> str:
        """The section of `devices.toml`, a file of mode 0600."""
        return f'[{self.serial}.firmware]\n{self.firmware} = "{self.key}"\n'


def simulated(role: Role, serial: str, caps: int = 0) -> Identity:
    """The simulated device of this serial number."""
    return Identity(role, serial, hashlib.sha256((_SEED + serial).encode()).digest(), caps)


def registry_entry(serial: str) -> RegistryEntry:
    """What lets a host trust the simulated device of this serial number; shoe and reader differ in nothing here."""
    identity = simulated("shoe", serial)
    return RegistryEntry(serial, identity.firmware.hex(), identity.key.hex())
