"""Who is at the other end: the device proves by a tag over both sides' nonces that it has the key of its firmware.

    tag_d = HMAC(K, "TDL1-D" || HELLO body || IDENT body without tag)[:16]
    tag_h = HMAC(K, "TDL1-H" || HELLO body || IDENT body without tag || tag_d)[:16]
    keys of the session = HKDF(K, salt = nonce_h || nonce_d, info = "TDL1 d2h" and "TDL1 h2d")

A changed image has another key, so that the firmware digest which the device claims is proved with it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from protocols.registry import Registry
from protocols.wire.tdl.messages import TAG_BYTES, Auth, Hello, Ident

Role = Literal["shoe", "reader"]

PROTOCOL: Final = 1
_ROLES: Final[Mapping[int, Role]] = {1: "shoe", 2: "reader"}


@dataclass(frozen=True, slots=True)
class Expected:
    """Which device is expected at the other end, and the 8 bytes by which the host names itself.

    `serial` None: any device of this role that the registry knows."""

    host_id: bytes
    role: Role
    registry: Registry
    serial: str | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one session: device to host, host to device."""

    d2h: bytes = field(repr=False)
    h2d: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Proven:
    """The device is the one expected, started as `boot_id`; `auth` proves the host to it. `settings`: the digest of
    those that are approved, None where none are."""

    serial: str
    firmware: bytes
    boot_id: int
    key: bytes = field(repr=False)
    settings: bytes | None
    auth: Auth
    keys: Keys


@dataclass(frozen=True, slots=True)
class Refused:
    """The device is not to be used, and why: `code` for a machine, `detail` for a person."""

    code: str
    detail: str


def hello(expected: Expected, nonce_h: bytes) -> Hello:
    """What begins a session; `nonce_h` is 16 fresh random bytes."""
    return Hello(PROTOCOL, PROTOCOL, nonce_h, expected.host_id[:8].ljust(8, b"\0"))


def judged(expected: Expected, hello: Hello, ident: Ident) -> Proven | Refused:
    """What to make of an IDENT, given the HELLO that it answers."""
    key = expected.registry.key(ident.serial, ident.fw_digest)
    unfit = _unfit(expected, ident, key)
    if unfit or key is None:
        return unfit or Refused("unknown_serial", ident.serial)
    tagged = hello.to_bytes() + ident.to_bytes()[:-TAG_BYTES]
    if not hmac.compare_digest(ident.tag_d, tag(key, b"TDL1-D", tagged)):
        return Refused("auth_failed", f"{ident.serial} does not have the key that the registry holds for its firmware")
    if ident.has_radio:
        return Refused("radio", f"{ident.serial} has a radio: no device at a table may have one")
    auth = Auth(tag(key, b"TDL1-H", tagged + ident.tag_d))
    keys, settings = session_keys(key, hello.nonce_h + ident.nonce_d), expected.registry.settings(ident.serial)
    return Proven(ident.serial, ident.fw_digest, ident.boot_id, key, settings, auth, keys)


def session_keys(key: bytes, nonces: bytes) -> Keys:
    """The keys that follow from the device's key and both nonces, the host's first."""
    return Keys(_derived(key, nonces, b"TDL1 d2h"), _derived(key, nonces, b"TDL1 h2d"))


def _unfit(expected: Expected, ident: Ident, key: bytes | None) -> Refused | None:
    if ident.proto != PROTOCOL:
        return Refused(
            "version", f"{ident.serial} speaks version {ident.proto} of TDL, this program version {PROTOCOL}"
        )
    if _ROLES.get(ident.role) != expected.role:
        found = _ROLES.get(ident.role, f"device of role {ident.role}")
        return Refused("wrong_role", f"{ident.serial} is a {found}, where a {expected.role} belongs")
    if expected.serial is not None and ident.serial != expected.serial:
        return Refused("wrong_serial", f"{ident.serial} is there, where {expected.serial} belongs")
    if not expected.registry.knows(ident.serial):
        return Refused("unknown_serial", f"{ident.serial} is not in the registry (shoewatch devices add)")
    if key is None:
        digest = ident.fw_digest.hex()
        return Refused("unapproved_firmware", f"{ident.serial} has firmware {ident.fw_version} ({digest[:12]}...)")
    return None


def tag(key: bytes, label: bytes, tagged: bytes) -> bytes:
    """16 bytes over what is tagged that only who has the key can make."""
    return hmac.digest(key, label + tagged, "sha256")[:TAG_BYTES]


def _derived(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(key)
