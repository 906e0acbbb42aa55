"""A TDL/1 device for tests: it does what a test says, with a codec of its own, and has no clock.

Everything that it is told and tells are bytes of the line; `hear` answers at once, `note` is an event that happens."""

from __future__ import annotations

import hashlib
import hmac
import struct
import zlib
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SERIAL = "SHOE-000042"
SECRET = bytes(range(32))
FIRMWARE = hashlib.sha256(b"demo firmware 1.0").digest()
NONCE_H, NONCE_D = b"\x11" * 16, b"\x22" * 16
HOST = b"HOST0001"
LOADED, CARD, REVEAL, FIX, CUT, END = 2, 3, 4, 5, 6, 7
ERROR, CLEARED = 8, 9
ARMED, SEATED, REMOVED, VERDICT, REFUSED = 0x20, 0x21, 0x22, 0x23, 0x24
ACE_OF_SPADES, WITHHELD = 0x31, 0x00
BOX_1, BOX_2, DEALER = 1, 2, 8


def derived(key: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(key)


KEY = derived(SECRET, FIRMWARE, b"TDL1 device key")


def stuffed(data: bytes) -> bytes:
    """COBS, the plain way: a zero's place holds the way to the next one."""
    out, start = bytearray([0]), 0
    for byte in data:
        if byte:
            out.append(byte)
        else:
            out[start] = len(out) - start
            start = len(out)
            out.append(0)
    out[start] = len(out) - start
    return bytes(out)


def unstuffed(data: bytes) -> bytes:
    out, at = bytearray(), 0
    while at < len(data):
        out += data[at + 1 : at + data[at]] + b"\0"
        at += data[at]
    return bytes(out[:-1])


def wire(kind: int, counter: int, body: bytes, key: bytes | None = None, first: int = 0x10) -> bytes:
    """A frame between its delimiters."""
    raw = struct.pack("<BBI", first | bool(key), kind, counter) + body
    raw += hmac.digest(key, raw, "sha256")[:8] if key else b""
    return b"\0" + stuffed(raw + struct.pack("<I", zlib.crc32(raw))) + b"\0"


def messages(line: bytes) -> list[tuple[int, bytes]]:
    """Type and body of all frames on a line, MACs unchecked."""
    raws = [unstuffed(run) for run in line.split(b"\0") if run]
    return [(raw[1], raw[6 : -12 if raw[0] & 1 else -4]) for raw in raws]


def card(draw: int, value: int, slot: int = 0xFF, shoe: int = 5, flags: int = 0, commit: bytes = b"") -> bytes:
    return struct.pack("<IHBBBB16s", shoe, draw, slot, value, flags, 100, commit)


def commit_to(draw: int, value: int, nonce: bytes, shoe: int = 5) -> bytes:
    return hashlib.sha256(struct.pack("<16sIHB", nonce, shoe, draw, value)).digest()[:16]


def reveal(draw: int, value: int, nonce: bytes = bytes(16), shoe: int = 5) -> bytes:
    return struct.pack("<IHB16s", shoe, draw, value, nonce)


@dataclass
class Device:
    """`events` holds the bodies of the kept ones, the first of them number `oldest`."""

    serial: str = SERIAL
    key: bytes = KEY
    firmware: bytes = FIRMWARE
    role: int = 1
    caps: int = 0x1F
    boot: int = 7
    oldest: int = 1
    events: list[bytes] = field(default_factory=list)
    head_before: bytes = bytes(32)
    answers_info: bool = True
    settings: bytes = bytes(32)
    attests_to: bytes | None = None
    command_code: int = 0
    nonce: bytes = NONCE_D
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    acked: int = 0
    counter: int = 0
    to_host: bytes | None = None
    commands: int = 0

    @property
    def last(self) -> int:
        return self.oldest + len(self.events) - 1

    @property
    def head(self) -> bytes:
        head = self.head_before
        for body in self.events:
            head = hashlib.sha256(head + body).digest()
        return head

    def ident(self) -> bytes:
        names = (self.serial.encode(), b"REFSHOE", b"1.0.0")
        return struct.pack(
            "<BBII16s16s12s12s32s", self.role, 1, self.boot, self.caps, self.nonce, *names, self.firmware
        )

    def beacon(self) -> bytes:
        return wire(0x01, 0, struct.pack("<IB", self.boot, self.role))

    def status(self, **other: int) -> bytes:
        fields = {"state": 0, "errors": 0, "last": self.last, "oldest": self.oldest, **other}
        body = struct.pack(
            *("<BBQIHHII8sI", fields["state"], 0, fields["errors"], 5, 0, 0xFFFF, fields["last"], fields["oldest"]),
            *(self.head[:8], 0),
        )
        return self.say(0x11, body)

    def say(self, kind: int, body: bytes) -> bytes:
        assert self.to_host is not None
        self.counter += 1
        return wire(kind, self.counter, body, self.to_host)

    def note(self, kind: int, data: bytes) -> bytes:
        """An event happens: what goes over the line at once."""
        self.events.append(struct.pack("<IIIB", self.last + 1, self.boot, 123456, kind) + data)
        return self.send(self.last) if self.to_host else b""

    def send(self, number: int) -> bytes:
        return self.say(0x10, self.events[number - self.oldest])

    def forget(self, before: int) -> None:
        """The journal overflows: the events before this number are gone."""
        while self.oldest < before:
            self.head_before = hashlib.sha256(self.head_before + self.events.pop(0)).digest()
            self.oldest += 1

    def hear(self, line: bytes) -> bytes:
        """What the device answers to these whole frames."""
        return b"".join(self._answer(kind, body) for kind, body in messages(line))

    def _answer(self, kind: int, body: bytes) -> bytes:
        self.heard.append((kind, body))
        match kind:
            case 0x40:
                self.hello, self.to_host = body, None
                tag = hmac.digest(self.key, b"TDL1-D" + body + self.ident(), "sha256")[:16]
                return wire(0x02, 0, self.ident() + tag)
            case 0x41:
                self.to_host = derived(self.key, self.hello[2:18] + self.nonce, b"TDL1 d2h")
                self.counter = 0
            case 0x50:
                self.acked = struct.unpack("<I", body)[0]
            case 0x51:
                first = max(struct.unpack("<I", body)[0], self.oldest)
                return self.status() + b"".join(self.send(n) for n in range(first, self.last + 1))
            case 0x52:
                return self._obey(body)
        return b""

    def _obey(self, body: bytes) -> bytes:
        if body[2] == 1:
            info = struct.pack("<I32s", self.oldest, self.head_before)
            return self.say(0x12, body[:2] + b"\0" + info) if self.answers_info else b""
        if body[2] == 3:
            return self.say(0x12, body[:2] + b"\0" + self.attestation(body[3:]))
        self.commands += 1
        return self.say(0x12, body[:2] + bytes([self.command_code]))

    def attestation(self, nonce: bytes) -> bytes:
        told = (self.attests_to or self.firmware) + self.settings + struct.pack("<I", self.boot) + self.head[:8]
        return told + hmac.digest(self.key, b"TDL1-A" + nonce + told, "sha256")[:16]

    def told(self, kind: int) -> list[bytes]:
        """The bodies of this type that came from the host."""
        return [body for each, body in self.heard if each == kind]
