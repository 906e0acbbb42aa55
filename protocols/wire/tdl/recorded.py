"""A recorded session played again. The host's half is in the recording too, and with it, and the device's key, every
frame is proved as it was then; nothing is said to anybody.

It takes the device's events as they were numbered, once each and in order. What the recording's host had taken before
it began is not looked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from protocols.device_session import NEVER, Ended, Heard, LinkIs, Output
from protocols.orders import Order
from protocols.recording import Recording
from protocols.records import SecurityNoted
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.frame import Frame
from protocols.wire.tdl.framing import IN_PACKETS, ON_A_LINE, Framing
from protocols.wire.tdl.handshake import Expected, Proven, Refused, judged
from protocols.wire.tdl.messages import Hello, Ident, Status, read_message
from protocols.wire.tdl.position import Position, Rebased
from protocols.wire.tdl.stream import TdlReport

Outputs = tuple[Output[TdlReport], ...]


@dataclass(frozen=True, slots=True)
class Counters:
    """What was not used of the recording: bytes in no frame; damaged and too long frames; frames that do not prove to
    be the device's; events that were taken already, and that came before their turn."""

    discarded: int
    damaged: int
    oversize: int
    unproven: int
    repeated: int
    early: int


class RecordedSession:
    """In place of the session with the device called `device`; `position` is where the journal ends."""

    greets: ClassVar[bool] = True

    def __init__(self, device: str, expected: Expected, position: Position | None, recording: Recording) -> None:
        self._device = device
        self._expected = expected
        self._framing = IN_PACKETS if recording.header.get("line", "").startswith("usb:") else ON_A_LINE
        self._hellos = tuple(_hellos(recording, self._framing))
        self._next = position.eseq + 1 if position else None
        self._begin()

    @property
    def is_ready(self) -> bool:
        """A recording takes no orders."""
        return False

    @property
    def counters(self) -> Counters:
        frames = self._decoder.counters
        return Counters(frames.discarded, frames.damaged, frames.oversize, self._unproven, self._repeated, self._early)

    @property
    def deadline(self) -> int:
        """Nothing is due."""
        return NEVER

    def connect(self, nonce: bytes, now: int) -> Outputs:  # noqa: ARG002 (the recording has its own)
        """The recording begins."""
        self._begin()
        return ()

    def disconnect(self, now: int = 0) -> Outputs:  # noqa: ARG002
        """It has ended."""
        return ()

    def feed(self, data: bytes, now: int) -> Outputs:
        """What the device sent."""
        return tuple(output for frame in self._decoder.feed(data) for output in self._taken(frame, now))

    def tick(self, now: int) -> Outputs:  # noqa: ARG002
        """Time has passed."""
        return ()

    def stored(self, number: int) -> None:
        """Nobody waits for it."""

    def command(self, order: Order) -> int:
        """Never called, for it is never ready."""
        raise NotImplementedError(f"a recording cannot carry out {order}")

    def _begin(self) -> None:
        self._decoder = self._framing.new_decoder()
        self._key: bytes | None = None
        self._goal: int | None = None
        self._oldest = 0
        self._counter = 0
        self._online = False
        self._unproven = self._repeated = self._early = 0

    def _taken(self, frame: Frame, now: int) -> Iterator[Output[TdlReport]]:
        message = read_message(frame.type, frame.body)
        if frame.mac is None:
            if isinstance(message, Ident):
                yield from self._greeted(message, now)
        elif self._key is None or not frame.is_from(self._key) or frame.counter <= self._counter:
            self._unproven += 1
        else:
            self._counter = frame.counter
            yield from self._said(message)

    def _greeted(self, ident: Ident, now: int) -> Iterator[Output[TdlReport]]:
        """Of the recording's greetings it answers the one that its tag fits."""
        found = [judged(self._expected, hello, ident) for hello in self._hellos]
        proven = next((each for each in found if isinstance(each, Proven)), None)
        if proven is None:
            refused = next((each for each in found if isinstance(each, Refused)), _NO_HOST)
            yield SecurityNoted(refused.code, self._device, refused.detail)
            yield Ended("denied", refused.detail, now)
            return
        self._key, self._counter, self._goal, self._online = proven.keys.d2h, 0, None, False
        yield LinkIs("handshake")

    def _said(self, message: object) -> Iterator[Output[TdlReport]]:
        match message:
            case Status():
                yield from self._stands(message)
            case Event():
                yield from self._happened(message)

    def _stands(self, status: Status) -> Iterator[Output[TdlReport]]:
        self._goal = status.last_eseq if self._goal is None else self._goal
        self._oldest = status.oldest_eseq
        yield Heard(status)
        yield from self._caught_up()

    def _happened(self, event: Event) -> Iterator[Output[TdlReport]]:
        if self._next is None or event.eseq == self._oldest > self._next:
            lost = None if self._next is None else event.eseq - self._next
            self._next = event.eseq
            yield Heard(Rebased(event.eseq - 1, lost, None))
        if event.eseq != self._next:
            self._repeated += event.eseq < self._next
            self._early += event.eseq > self._next
            return
        self._next += 1
        yield Heard(event, event.eseq, replayed=not self._online)
        yield from self._caught_up()

    def _caught_up(self) -> Iterator[Output[TdlReport]]:
        """Ready once everything came that the device had when it was greeted."""
        if not self._online and self._goal is not None and self._goal < (self._next or self._goal + 1):
            self._online = True
            yield LinkIs("ready")


_NO_HOST: Final = Refused("auth_failed", "the recording has no greeting of a host: nothing in it can be proved")


def _hellos(recording: Recording, framing: Framing) -> Iterator[Hello]:
    decoder = framing.new_decoder()
    for read in recording.reads:
        for frame in decoder.feed(read.data) if read.direction == ">" else ():
            if frame.mac is None and frame.type == Hello.TYPE:
                yield Hello.from_bytes(frame.body)
