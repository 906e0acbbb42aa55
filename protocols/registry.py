"""The devices that this table trusts, `devices.toml`:

    [SHOE-000042]
    settings = "0d6b7c81..."

    [SHOE-000042.firmware]
    c7821405cf14...  = "3e7308b7121e..."

One section a serial number; in it, for each approved firmware, its digest (SHA-256) and the key that the device has
with it, both 64 hex digits. The key is bound to the firmware: a changed image has another one. `settings`, which may
be left out, is the digest of the only settings that are approved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from protocols.errors import ConfigError, did_you_mean
from protocols.texts import TextError, read_toml

_HEX_32: Final = re.compile(r"[0-9a-fA-F]{64}")
_SERIAL: Final = re.compile(r"[!-~]{1,16}")
_KEYS: Final = frozenset({"firmware", "settings"})
_EXAMPLE: Final = '(right would be "<64 hex digits: the firmware\'s digest>" = "<64 hex digits: the key>")'


@dataclass(frozen=True, slots=True)
class Registry:
    """By serial number the key of each approved firmware digest, and the digest of the approved settings where there
    is one; 32 bytes each."""

    devices: Mapping[str, Mapping[bytes, bytes]] = field(repr=False)
    approved: Mapping[str, bytes] = field(default_factory=dict)

    def knows(self, serial: str) -> bool:
        return serial in self.devices

    def key(self, serial: str, firmware: bytes) -> bytes | None:
        """None where the serial number is not known or the firmware not approved."""
        return self.devices.get(serial, {}).get(firmware)

    def settings(self, serial: str) -> bytes | None:
        """None where any settings are right."""
        return self.approved.get(serial)


def parse_registry(text: str, where: str) -> Registry:
    """The registry in the text of the file `where`; ConfigError with every mistake in it, without a key."""
    try:
        document = read_toml(text)
    except TextError as error:
        raise ConfigError(where, [f"is no TOML: {error}"]) from None
    problems = [problem for serial, device in document.items() for problem in _wrong(serial, device)]
    if problems:
        raise ConfigError(where, problems)
    approved = {
        serial: bytes.fromhex(device["settings"]) for serial, device in document.items() if "settings" in device
    }
    return Registry({serial: _keys(device["firmware"]) for serial, device in document.items()}, approved)


def _keys(firmware: Mapping[str, str]) -> dict[bytes, bytes]:
    return {bytes.fromhex(digest): bytes.fromhex(key) for digest, key in firmware.items()}


def _wrong(serial: str, device: Any) -> Iterator[str]:
    if not _SERIAL.fullmatch(serial):
        yield f"{serial!r} is no serial number (1 to 16 characters without blanks)"
    if not isinstance(device, dict) or not isinstance(device.get("firmware"), dict) or not device["firmware"]:
        yield f"{serial}: has no approved firmware (right would be a section [{serial}.firmware])"
        return
    for name in device.keys() - _KEYS:
        yield f"{serial}.{name}: unknown key{did_you_mean(name, _KEYS)}"
    settings = device.get("settings")
    if settings is not None and not (isinstance(settings, str) and _HEX_32.fullmatch(settings)):
        yield f"{serial}.settings: is no digest (64 hex digits)"
    for digest, key in device["firmware"].items():
        if not (_HEX_32.fullmatch(digest) and isinstance(key, str) and _HEX_32.fullmatch(key)):
            yield f"{serial}.firmware.{digest[:12]}: is no digest with its key {_EXAMPLE}"
    for digest, times in Counter(map(str.lower, device["firmware"])).items():
        if times > 1:
            yield f"{serial}.firmware.{digest[:12]}: is there {times} times, in capitals and in small letters"
