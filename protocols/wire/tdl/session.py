"""The host's side of a TDL/1 session, sans-I/O: bytes and times in, what is to be done out.

One object serves a device for as long as the daemon runs; each line that is opened begins a new handshake. What the
device tells is acknowledged only once the caller says that it is stored. Times are the monotonic clock in ns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from protocols.device_session import Answered, Ended, Heard, LinkIs, Output, Send
from protocols.orders import Order
from protocols.records import SecurityNoted
from protocols.wire.tdl.attestation import Attested, Attester, Unclear
from protocols.wire.tdl.channel import Channel, Sealed
from protocols.wire.tdl.enquiries import Enquiries, InfoTold, Outcome, Silent
from protocols.wire.tdl.events import Event, SettingChanged
from protocols.wire.tdl.frame import Frame
from protocols.wire.tdl.framing import ON_A_LINE, Framing
from protocols.wire.tdl.handshake import Expected, Refused, hello, judged
from protocols.wire.tdl.messages import (
    Beacon,
    Ident,
    Ping,
    Resend,
    Response,
    Status,
    read_message,
)
from protocols.wire.tdl.position import Position
from protocols.wire.tdl.stream import AskInfo, EventStream, Step, TdlReport

_NONCE_BYTES: Final = 16

_MS: Final = 1_000_000
_HELLO_AGAIN: Final = 1000 * _MS
_PING_AGAIN: Final = 1000 * _MS
_STALLED: Final = 1500 * _MS
_LOST: Final = 3000 * _MS
_REFUSED: Final = 30_000 * _MS
_BAD_TAGS: Final = 3
_FORGERIES: Final = 10
_DOUBTED: Final = 10_000 * _MS

Outputs = tuple[Output[TdlReport], ...]
_Outputs = Iterator[Output[TdlReport]]


@dataclass(frozen=True, slots=True)
class _Doubt:
    """The device is `refused` unless an event up to number `last` (None: not known yet) tells of a change."""

    refused: Refused
    until: int
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Counters:
    """What was not used of a line. `discarded`: bytes in no frame; `damaged`, `oversize`: frames; `replayed`,
    `unauthenticated`: frames without place in the session; `unknown`: messages that cannot be read; `repeated`,
    `early`: events that were taken already, and that came before their turn."""

    discarded: int
    damaged: int
    oversize: int
    replayed: int
    unauthenticated: int
    unknown: int
    repeated: int
    early: int


class HostSession:
    """The session with the device called `device`; `position` is where the journal ends, None where it has nothing.

    It is ready once it is caught up with and has attested."""

    greets: ClassVar[bool] = True

    def __init__(
        self,
        device: str,
        expected: Expected,
        position: Position | None,
        framing: Framing = ON_A_LINE,
        attester: Attester | None = None,
    ) -> None:
        self._device = device
        self._expected = expected
        self._framing = framing
        self._stream = EventStream(device, position)
        self._attester = attester or Attester()
        self._bad_tags = 0
        self._alarmed: set[str] = set()
        self._open = False
        self._begin(bytes(_NONCE_BYTES), 0)

    @property
    def is_ready(self) -> bool:
        """Whether the device takes orders."""
        return self._open and self._ready and self._stream.online

    @property
    def counters(self) -> Counters:
        """Since the line was opened."""
        frames, forged, stream = self._channel.decoder.counters, self._channel.forgeries, self._stream
        return Counters(
            discarded=frames.discarded,
            damaged=frames.damaged,
            oversize=frames.oversize,
            replayed=forged.replayed,
            unauthenticated=forged.unauthenticated,
            unknown=self._unknown,
            repeated=stream.repeated,
            early=stream.early,
        )

    def connect(self, fresh: bytes, now: int) -> Outputs:
        """A line was opened; `fresh` is 32 random bytes: the first half goes over the line, the other half never."""
        self._begin(fresh, now)
        self._open = True
        return (Send(self._channel.in_clear(self._hello)),)

    def disconnect(self, now: int) -> Outputs:  # noqa: ARG002 (every session is told the time)
        """The line is gone."""
        self._open = False
        return tuple(self._enquiries.abandoned())

    def feed(self, data: bytes, now: int) -> Outputs:
        """Bytes came in."""
        return tuple(self._fed(data, now))

    def tick(self, now: int) -> Outputs:
        """Time has passed: to be called at the deadline, and after `stored` and `command`."""
        return tuple(self._ticked(now)) if self._open else ()

    @property
    def deadline(self) -> int:
        """When to call `tick` next, at the latest."""
        times = [self._heard + _LOST]
        if not self._greeted:
            return min(*times, self._greeted_at + _HELLO_AGAIN)
        if self.is_ready and not self._stalled:
            times.append(self._heard + _STALLED)
        if self._enquiries.deadline is not None:
            times.append(self._enquiries.deadline)
        if self._attester.passed:
            times.append(self._attester.next_at)
        if self._doubt:
            times.append(self._doubt.until)
        return min(*times, self._pinged_at + _PING_AGAIN, *([0] if self._stream.ack_due else []))

    def stored(self, number: int) -> None:
        """Everything up to this event is on disk; the acknowledgement goes out with the next `tick`."""
        self._stream.stored(number)

    def command(self, order: Order) -> int:
        """Give an order: the number under which its answer will come. Only while `is_ready`."""
        return self._enquiries.give(order, self._heard)

    def _begin(self, fresh: bytes, now: int) -> None:
        nonce, seed = fresh[:_NONCE_BYTES], fresh[_NONCE_BYTES:]
        self._channel = Channel(self._framing)
        self._hello = hello(self._expected, nonce)
        # The device may still hold answers to the commands of an earlier session.
        self._enquiries = Enquiries(self._attester, int.from_bytes(nonce[:2]) or 1)
        self._stream.begin()
        self._attester.begin(seed)
        self._heard = self._greeted_at = self._pinged_at = now
        self._greeted = self._ready = self._stalled = self._beacons = False
        self._doubt: _Doubt | None = None
        self._unknown = 0

    def _fed(self, data: bytes, now: int) -> _Outputs:
        for frame in self._channel.received(data):
            if not self._open:
                return
            yield from self._said(frame, now) if frame.mac else self._said_in_clear(frame, now)
        if self._channel.forgeries.all >= _FORGERIES:
            yield from self._alarm("forged_frames", f"{_FORGERIES} frames that are not of this session")

    def _said_in_clear(self, frame: Frame, now: int) -> _Outputs:
        message = read_message(frame.type, frame.body)
        match message:
            case Ident():
                yield from self._greet(message, now)
            case Beacon():
                self._beacons = True
            case _:
                self._unknown += 1

    def _greet(self, ident: Ident, now: int) -> _Outputs:
        found = judged(self._expected, self._hello, ident)
        if isinstance(found, Refused):
            yield from self._refuse(found, now)
            return
        self._greeted, self._heard, self._pinged_at = True, now, now
        self._bad_tags = 0
        yield LinkIs("handshake")
        yield Send(self._channel.in_clear(found.auth))
        self._channel.secure(found.keys)
        self._stream.greeted(ident.boot_id)
        yield self._send(self._stream.resume)
        self._attester.meet(found)
        self._enquiries.ask_to_attest(now)
        yield from self._asked(now)

    def _said(self, frame: Frame, now: int) -> _Outputs:
        self._heard = now
        if self._stalled:
            self._stalled = False
            yield LinkIs("ready")
        match read_message(frame.type, frame.body):
            case Status() as status:
                yield from self._carried_out(self._stream.status(status, now), now)
                if self._doubt and self._doubt.last is None:
                    self._doubt = replace(self._doubt, last=status.last_eseq)
                yield from self._looked_at_doubt(now)
            case Event() as event:
                if isinstance(event.told, SettingChanged):
                    self._attester.settings_changed()
                yield from self._carried_out(self._stream.event(event, frame.body, now), now)
                yield from self._looked_at_doubt(now)
            case Response() as response:
                yield from self._concluded(self._enquiries.answered(response), now)
            case _:
                self._unknown += 1

    def _concluded(self, outcomes: Iterable[Outcome], now: int) -> _Outputs:
        for outcome in outcomes:
            match outcome:
                case InfoTold(info):
                    yield from self._carried_out(self._stream.based(info), now)
                case Attested():
                    yield Heard(outcome)
                    yield from self._attested()
                case Refused():
                    yield from self._refuse(outcome, now)
                case Unclear(None):
                    self._enquiries.ask_to_attest(now)
                    yield from self._asked(now)
                case Unclear(Refused() as refused):
                    self._doubt = _Doubt(refused, now + _DOUBTED)
                    yield self._send(self._stream.resume)
                case Silent():
                    yield self._end("it does not answer when it is to attest", now)
                case Answered():
                    yield outcome

    def _looked_at_doubt(self, now: int) -> _Outputs:
        """Over once everything is taken that the device had to tell: either that explains it, or it is refused."""
        doubt = self._doubt
        if not (self._open and doubt and doubt.last is not None and self._stream.next > doubt.last):
            return
        self._doubt = None
        if self._attester.settings is None:
            self._enquiries.ask_to_attest(now)
            yield from self._asked(now)
        else:
            yield from self._refuse(doubt.refused, now)

    def _attested(self) -> _Outputs:
        """The first time on this line the device may have been waited for with that alone."""
        if self._stream.online and not self._ready:
            yield from self._now_ready()

    def _now_ready(self) -> _Outputs:
        self._ready = True
        self._alarmed.clear()
        yield LinkIs("ready")

    def _carried_out(self, steps: Iterable[Step], now: int) -> _Outputs:
        for step in steps:
            match step:
                case Resend():
                    yield self._send(step)
                case AskInfo():
                    self._enquiries.ask_info()
                    yield from self._asked(now)
                case Refused():
                    yield from self._refuse(step, now)
                case LinkIs():
                    if self._attester.passed:
                        yield from self._now_ready()
                case _:
                    yield step

    def _ticked(self, now: int) -> _Outputs:
        silent = now - self._heard
        if silent >= _LOST:
            yield self._end("it says nothing any more" if self._greeted else self._no_greeting, now)
        elif not self._greeted:
            if now >= self._greeted_at + _HELLO_AGAIN:
                self._greeted_at = now
                yield Send(self._channel.in_clear(self._hello))
        else:
            yield from self._kept_up(silent, now)

    def _kept_up(self, silent: int, now: int) -> _Outputs:
        if silent >= _STALLED and self.is_ready and not self._stalled:
            self._stalled = True
            yield LinkIs("stalled")
        if self._stream.ack_due:
            yield self._send(self._stream.ack())
        if now >= self._pinged_at + _PING_AGAIN:
            self._pinged_at = now
            yield self._send(Ping(now // _MS))
        if self._attester.passed and now >= self._attester.next_at:
            self._enquiries.ask_to_attest(now)
        if self._doubt and now >= self._doubt.until:
            yield from self._refuse(self._doubt.refused, now)
            return
        yield from self._asked(now)

    def _asked(self, now: int) -> _Outputs:
        commands, outcomes = self._enquiries.due(now)
        for command in commands:
            yield self._send(command)
        yield from self._concluded(outcomes, now)

    @property
    def _no_greeting(self) -> str:
        return "it sends beacons, but does not answer" if self._beacons else "it does not answer"

    def _send(self, message: Sealed) -> Send:
        return Send(self._channel.sealed(message))

    def _end(self, why: str, now: int) -> Ended:
        self._open = False
        return Ended("wedged", why, now)

    def _refuse(self, refused: Refused, now: int) -> _Outputs:
        self._open = False
        if refused.code == "auth_failed":
            self._bad_tags += 1
            if self._bad_tags < _BAD_TAGS:
                yield Ended("protocol", refused.detail, now)
                return
        yield from self._alarm(refused.code, refused.detail)
        yield Ended("denied", refused.detail, now + _REFUSED)

    def _alarm(self, code: str, detail: str) -> _Outputs:
        """Told once, until the device is ready again."""
        if code not in self._alarmed:
            self._alarmed.add(code)
            yield SecurityNoted(code, self._device, detail)
