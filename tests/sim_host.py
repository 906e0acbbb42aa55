"""A host of a simulated TDL/1 device, written from the text with keys and frames of its own."""

from __future__ import annotations

import hashlib
import hmac
import zlib
from dataclasses import dataclass, field
from struct import pack, unpack_from

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from simulators.tdl import codes
from simulators.tdl.device import Device
from simulators.tdl.frames import cobs, frame
from simulators.tdl.identity import Identity, simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.tdl.shoe import TdlShoe

SECRET = bytes(range(32))
VECTOR = Identity("shoe", "SHOE-000042", SECRET, 0x1F, model="REFSHOE")
HELLO = b"\x01\x01" + b"\x11" * 16 + b"HOST0001"


def derived(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def tag(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


@dataclass
class Host:
    """The other end of a device's line; it hears everything and says what a test wants."""

    device: Device
    now: float = 100.0
    key: bytes = b""
    ctr: int = 0
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    last_ctr: int = 0
    d2h: bytes = b""
    h2d: bytes = b""

    def listen(self) -> list[tuple[int, bytes]]:
        """Type and body of the frames that came now, each checked here."""
        got = [self._checked(part) for part in self.device.take().split(b"\0") if part]
        self.heard += got
        return got

    def _checked(self, coded: bytes) -> tuple[int, bytes]:
        raw, place = b"", 0
        while place < len(coded):
            code = coded[place]
            raw += coded[place + 1 : place + code] + (b"\0" if code < 255 else b"")
            place += code
        raw = raw[:-1]
        assert raw[-4:] == pack("<I", zlib.crc32(raw[:-4]))
        version, kind, ctr = unpack_from("<BBI", raw)
        if version == 0x10:
            assert ctr == 0
            return kind, raw[6:-4]
        assert version == 0x11
        assert ctr > self.last_ctr
        self.last_ctr = ctr
        assert hmac.new(self.d2h, raw[:-12], hashlib.sha256).digest()[:8] == raw[-12:-4]
        return kind, raw[6:-12]

    def say(self, kind: int, body: bytes, ctr: int | None = None) -> None:
        self.ctr = self.ctr + 1 if ctr is None else ctr
        raw = pack("<BBI", 0x11, kind, self.ctr) + body
        raw += hmac.new(self.h2d, raw, hashlib.sha256).digest()[:8]
        self.device.hear(b"\0" + cobs(raw + pack("<I", zlib.crc32(raw))) + b"\0", self.now)

    def greet(self, key: bytes | None = None, nonce: bytes = b"\x55" * 16) -> None:
        hello = b"\x01\x01" + nonce + b"HOST0001"
        self.listen()
        self.device.hear(frame(0x40, 0, hello), self.now)
        [(kind, ident)] = self.listen()
        assert kind == 0x02
        key = key or self.device.identity.key
        greeted = hello + ident[:-16]
        assert ident[-16:] == tag(self.device.identity.key, b"TDL1-D" + greeted)
        nonces = nonce + ident[10:26]
        self.d2h, self.h2d = derived(key, nonces, b"TDL1 d2h"), derived(key, nonces, b"TDL1 h2d")
        self.ctr = self.last_ctr = 0
        proof = tag(key, b"TDL1-H" + greeted + ident[-16:])
        self.device.hear(frame(0x41, 0, proof), self.now)

    def resend(self, number: int) -> list[int]:
        """The numbers of the events that come after RESEND."""
        self.say(0x51, pack("<I", number))
        return self.events()

    def ack(self, number: int) -> list[int]:
        self.say(0x50, pack("<I", number))
        return self.events()

    def events(self) -> list[int]:
        return [unpack_from("<I", body)[0] for kind, body in self.listen() if kind == 0x10]

    def wait(self, seconds: float) -> list[int]:
        self.now += seconds
        self.device.tick(self.now)
        return self.events()

    def command(self, cid: int, op: int, args: bytes = b"") -> tuple[int, bytes]:
        self.say(0x52, pack("<HB", cid, op) + args)
        [body] = [body for kind, body in self.listen() if kind == 0x12]
        assert unpack_from("<H", body)[0] == cid
        return body[2], body[3:]

    def kinds(self) -> list[int]:
        """The kinds of all events heard, each number once, in order."""
        events = {unpack_from("<I", body)[0]: body[12] for kind, body in self.heard if kind == 0x10}
        assert list(events) == sorted(events)
        return list(events.values())


def shoe(memory: Memory | None = None, caps: int = codes.CAP_LOCK) -> TdlShoe:
    return TdlShoe(simulated("shoe", "SHOE-1", caps), memory or Memory(), 100.0)


def reader() -> TdlReader:
    return TdlReader(simulated("reader", "HCR-1"), Memory(), 100.0)


def greeted(device: Device) -> Host:
    host = Host(device)
    host.greet()
    host.resend(1)
    host.ack(device.last_event)
    host.heard.clear()
    return host
