"""One line between host and device: frames out are numbered and sealed, frames in are opened and checked.

Before the handshake everything is in clear. After it only frames with a good MAC and a counter above the last one come
through: what is left of an older session, sent again or made up by somebody else is dropped and counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from protocols.wire.tdl.frame import Frame, raw_frame
from protocols.wire.tdl.framing import Framing
from protocols.wire.tdl.handshake import Keys
from protocols.wire.tdl.messages import Ack, Auth, Beacon, Command, Hello, Ping, Resend

Sealed = Ack | Resend | Command | Ping


@dataclass(slots=True)
class Forgeries:
    """Frames after the handshake that came again (`replayed`) or without the session's key (`unauthenticated`)."""

    replayed: int = 0
    unauthenticated: int = 0

    @property
    def all(self) -> int:
        return self.replayed + self.unauthenticated


class Channel:
    """`proven` once a frame came in under the keys of this session."""

    def __init__(self, framing: Framing) -> None:
        self.decoder = framing.new_decoder()
        self.forgeries = Forgeries()
        self.proven = False
        self._wrap = framing.wrap
        self._keys: Keys | None = None
        self._sent = 0
        self._received = 0

    def secure(self, keys: Keys) -> None:
        """From now on everything is sealed."""
        self._keys, self._sent, self._received = keys, 0, 0

    def in_clear(self, message: Hello | Auth) -> bytes:
        """A message of the handshake as it goes over the line."""
        return self._wrap(raw_frame(message.TYPE, 0, message.to_bytes()))

    def sealed(self, message: Sealed) -> bytes:
        """A message of the session as it goes over the line."""
        assert self._keys is not None
        self._sent += 1
        return self._wrap(raw_frame(message.TYPE, self._sent, message.to_bytes(), self._keys.h2d))

    def received(self, data: bytes) -> Iterator[Frame]:
        """The frames that `data` completes and that may be believed, as far as their `mac` goes."""
        return filter(self._admits, self.decoder.feed(data))

    def _admits(self, frame: Frame) -> bool:
        if frame.mac is None:
            self.forgeries.unauthenticated += self.proven and frame.type != Beacon.TYPE
            return not self.proven
        if self._keys is None:
            return False
        if not frame.is_from(self._keys.d2h):
            self.forgeries.unauthenticated += 1
            return False
        if frame.counter <= self._received:
            self.forgeries.replayed += 1
            return False
        self._received, self.proven = frame.counter, True
        return True
