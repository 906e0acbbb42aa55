"""One session of a TDL/1 device with a host: proof of both, keys, counters (devices 6.4)."""

from __future__ import annotations

import hmac
from typing import Final

from simulators.tdl import codes
from simulators.tdl.frames import Frame, frame, hkdf
from simulators.tdl.identity import Identity

HELLO_BYTES: Final = 26
_TAG_BYTES: Final = 16
_PROTOCOL: Final = 1
_REPLIES: Final = 16


def is_hello(body: bytes) -> bool:
    """Whether a host greets in a version of the protocol that we speak."""
    return len(body) >= HELLO_BYTES and body[0] <= _PROTOCOL <= body[1]


class Session:
    """Begun by the body of a HELLO; open once the host has proved that it has the key."""

    def __init__(self, identity: Identity, boot: int, hello: bytes, nonce: bytes) -> None:
        key, ident = identity.key, identity.ident(boot, nonce)
        greeted = hello[:HELLO_BYTES] + ident
        nonces = hello[2:18] + nonce
        tag_d = tag(key, b"TDL1-D" + greeted)
        self.is_open = False
        self.answer = frame(codes.IDENT, 0, ident + tag_d)
        self._tag_h = tag(key, b"TDL1-H" + greeted + tag_d)
        self._to_host = hkdf(key, nonces, b"TDL1 d2h")
        self._from_host = hkdf(key, nonces, b"TDL1 h2d")
        self._sent = 0
        self._received = 0
        self._replies: dict[bytes, bytes] = {}

    def admit(self, proof: bytes) -> bool:
        """Whether this AUTH opens the session."""
        self.is_open = hmac.compare_digest(proof[:_TAG_BYTES], self._tag_h)
        return self.is_open

    def accepts(self, found: Frame) -> bool:
        """Whether a frame is of this session and of now; each only once."""
        if not (self.is_open and found.is_genuine(self._from_host) and found.ctr > self._received):
            return False
        self._received = found.ctr
        return True

    def sealed(self, kind: int, body: bytes) -> bytes:
        """A frame to the host."""
        self._sent += 1
        return frame(kind, self._sent, body, self._to_host)

    def count_anew(self) -> None:
        """The next frame to the host is the first once more."""
        self._sent = 0

    def reply(self, cid: bytes) -> bytes | None:
        """What was answered to the command of this number, if it came before."""
        return self._replies.get(cid)

    def remember(self, cid: bytes, reply: bytes) -> None:
        """Keep a reply for the case that its command comes again."""
        self._replies[cid] = reply
        if len(self._replies) > _REPLIES:
            del self._replies[next(iter(self._replies))]


def tag(key: bytes, tagged: bytes) -> bytes:
    """16 bytes that only who has the key can make."""
    return hmac.digest(key, tagged, "sha256")[:_TAG_BYTES]
