"""The core of a TDL/1 device, sans-I/O: handshake, numbered events until they are acknowledged, commands.

    waiting (BEACON each second) --HELLO--> IDENT sent --AUTH--> in session --RESEND--> events flow

Times are seconds of any clock that only goes forward, and are passed in. What the device sends is taken by `take`."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct
from typing import Final

from simulators.tdl import codes
from simulators.tdl.frames import Deframer, Frame, frame
from simulators.tdl.identity import ROLES, Identity
from simulators.tdl.memory import Memory, numbered
from simulators.tdl.session import Session, is_hello, tag
from simulators.tdl.window import Window

Reply = tuple[int, bytes]
"""The code and the data that answer a command."""

_EVENT_HEAD: Final = Struct("<IIB")
EVENT_HEAD_BYTES: Final = 4 + _EVENT_HEAD.size
_STATUS: Final = Struct("<BBQIHHII8sI")
_COMMAND: Final = Struct("<HB")
_NUMBER: Final = Struct("<I")
_INFO: Final = Struct("<I32s")
_BEACON: Final = Struct("<IB")
_EACH_S: Final = 1.0
_SILENT_S: Final = 3.0
_BARRED_S: Final = 30.0
_BAD_TAGS: Final = 3
_U32: Final = 0xFFFFFFFF
_ERROR: Final = Struct("<BBHH")
_CONFIG: Final = Struct("<BII")
_NEARLY_FULL: Final = 0.75
_FULL: Final = 0.95


@dataclass(frozen=True, slots=True)
class Standing:
    """What STATUS tells of a device's trade; 0xFFFF is an unknown number of cards."""

    shoe_no: int = 0
    draw_no: int = 0
    remaining: int = 0xFFFF


class Device:
    """A device without a trade: `standing`, `obey`, `is_at_work`, `bar`, `timers` and `on_time` are for its models to
    say.

    `errors` are the codes of devices 6.7 that are set; `anomalies` counts frames that no honest host sends; `settings`
    are its preset values, remembered as long as the events that tell of them; `memory` holds these."""

    def __init__(
        self, identity: Identity, memory: Memory, now: float, *, random: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self.identity = identity
        self.errors: set[int] = set()
        self.settings: dict[int, int] = {}
        self.anomalies = 0
        self.memory = memory
        self._random = random
        self._started = self._beat = self._heard = self._barred_until = now
        self._deframer = Deframer()
        self._session: Session | None = None
        self._window = Window(memory.oldest - 1)
        self._out = bytearray()
        self._bad_tags = 0
        for number in range(memory.oldest, memory.last + 1):
            self._recall(memory.event(number))
        self.note(codes.BOOT, bytes([0, memory.boots > 1]), now)

    def standing(self) -> Standing:
        """What STATUS tells of the device's trade."""
        return Standing()

    def obey(self, op: int, _args: bytes, _now: float) -> Reply:
        """Carry out a command that not every device knows."""
        return (codes.OK if op == codes.LAMP else codes.UNKNOWN_OP), b""

    def is_at_work(self) -> bool:
        """Whether it cannot test itself now."""
        return False

    def bar(self, _now: float, *, full: bool) -> None:
        """There is no more room for events, or there is again: a device that can bars its work meanwhile."""

    def timers(self) -> list[float]:
        """When `on_time` is wanted."""
        return []

    def on_time(self, now: float) -> None:
        """What happens by itself as time passes."""

    @property
    def in_session(self) -> bool:
        """Whether a host has proved itself."""
        return self._session is not None and self._session.is_open

    @property
    def unstored(self) -> int:
        """How many events no host has acknowledged."""
        return self.memory.last - self._window.acknowledged

    @property
    def last_event(self) -> int:
        """The number of the newest event."""
        return self.memory.last

    @property
    def deadline(self) -> float:
        """When to call `tick` next."""
        resend = [] if self._window.resend_at is None else [self._window.resend_at]
        return min([self._beat, *resend, *self.timers()])

    def note(self, kind: int, data: bytes, now: float) -> int:
        """Something happened: it becomes the event of the next number, which is returned."""
        head = _EVENT_HEAD.pack(self.memory.boots, self._uptime_ms(now), kind)
        number = self.memory.append(numbered(self.memory.last + 1, head + data))
        self._look_at_room(now)
        self._send_events(now)
        return number

    def fail(self, error: int, severity: int, now: float) -> int:
        """An error begins."""
        self.errors.add(error)
        return self.note(codes.ERR_SET, _ERROR.pack(error, severity, self.standing().draw_no, 0), now)

    def recover(self, error: int, now: float, *, by: int = codes.AUTO) -> int:
        """The error is over."""
        self.errors.discard(error)
        return self.note(codes.ERR_CLR, bytes([error, by]), now)

    def press(self, now: float) -> int:
        """Somebody presses a button of it."""
        return self.note(codes.BUTTON, bytes([1, codes.BY_BUTTON]), now)

    def preset(self, param: int, value: int, now: float) -> int:
        """Somebody changes a preset value."""
        before, self.settings[param] = self.settings.get(param, 0), value
        return self.note(codes.CONFIG, _CONFIG.pack(param, before, value), now)

    def _look_at_room(self, now: float) -> None:
        """Events that no host has stored take room: a warning first, then no more work."""
        taken, warned = self.unstored / self.memory.capacity, codes.JOURNAL_FULL in self.errors
        if taken >= _NEARLY_FULL and not warned:
            self.fail(codes.JOURNAL_FULL, codes.WARN, now)
        elif taken < _NEARLY_FULL and warned:
            self.recover(codes.JOURNAL_FULL, now)
            self.bar(now, full=False)
        if taken >= _FULL:
            self.bar(now, full=True)

    def _recall(self, event: bytes) -> None:
        if event[EVENT_HEAD_BYTES - 1] == codes.CONFIG:
            param, _, value = _CONFIG.unpack_from(event, EVENT_HEAD_BYTES)
            self.settings[param] = value

    def hear(self, data: bytes, now: float) -> None:
        """Bytes come from the host."""
        for found in self._deframer.feed(data):
            self._take_frame(found, now)

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.on_time(now)
        if self._session and now - self._heard >= _SILENT_S:
            self.hang_up()
        if now >= self._beat:
            self._beat = now + _EACH_S
            self._say_how_it_stands(now)
        if self._window.is_overdue(now):
            self._window.back_off()
            self._send_events(now)

    def take(self) -> bytes:
        """What the device sends now."""
        out, self._out = bytes(self._out), bytearray()
        return out

    def reboot(self, now: float, *, reason: int = 0) -> None:
        """The device restarts: 0 power, 1 watchdog, 2 brown-out, 3 service. Its errors stand until it is asked."""
        self.hang_up()
        self.memory.restarted()
        self._started = self._beat = self._barred_until = now
        self.note(codes.BOOT, bytes([reason, 1]), now)

    def count_anew(self) -> None:
        """What it sends from now on in this session has the counters of what it sent before."""
        if self._session:
            self._session.count_anew()

    def hang_up(self) -> None:
        """The line was lost, or the host is silent: no session any more."""
        self._session = None
        self._out.clear()
        self._deframer = Deframer()
        self._window.close()

    def _take_frame(self, found: Frame, now: float) -> None:
        match found:
            case Frame(type=codes.HELLO, mac=None):
                self._greet(found.body, now)
            case Frame(type=codes.AUTH, mac=None):
                self._admit(found.body, now)
            case _ if self._session and self._session.accepts(found):
                self._heard = now
                self._take_message(found, self._session, now)
            case _:
                self.anomalies += 1

    def _greet(self, hello: bytes, now: float) -> None:
        if not is_hello(hello) or now < self._barred_until:
            return
        self._window.close()
        self._session = Session(self.identity, self.memory.boots, hello, self._random(16))
        self._heard = now
        self._out += self._session.answer

    def _admit(self, proof: bytes, now: float) -> None:
        if self._session is None or self._session.is_open:
            self.anomalies += 1
        elif self._session.admit(proof):
            self._bad_tags, self._heard = 0, now
        else:
            self._session = None
            self._bad_tags += 1
            if self._bad_tags % _BAD_TAGS == 0:
                self._barred_until = now + _BARRED_S
                self.note(codes.SECURITY, bytes([codes.AUTH_FAILURE]), now)

    def _take_message(self, found: Frame, session: Session, now: float) -> None:
        match found.type:
            case codes.ACK if len(found.body) >= _NUMBER.size:
                [number] = _NUMBER.unpack_from(found.body)
                self.anomalies += not self._window.acknowledge(number, self.memory.last, now)
                self._look_at_room(now)
                self._send_events(now)
            case codes.RESEND if len(found.body) >= _NUMBER.size:
                [number] = _NUMBER.unpack_from(found.body)
                self._say_how_it_stands(now)
                self._window.open_at(min(max(number, self.memory.oldest), self.memory.last + 1))
                self._send_events(now)
            case codes.COMMAND if len(found.body) >= _COMMAND.size:
                self._command(found.body, session, now)

    def _command(self, body: bytes, session: Session, now: float) -> None:
        cid, op = body[:2], body[2]
        reply = session.reply(cid)
        if reply is None:
            code, data = self._carry_out(op, body[_COMMAND.size :], now)
            reply = cid + bytes([code]) + data
            session.remember(cid, reply)
        self._send(codes.RESPONSE, reply)

    def _carry_out(self, op: int, args: bytes, now: float) -> Reply:
        match op:
            case codes.GET_INFO:
                return codes.OK, _INFO.pack(self.memory.oldest, self.memory.head_before_oldest)
            case codes.DO_SELF_TEST if self.is_at_work():
                return codes.WRONG_STATE, b""
            case codes.DO_SELF_TEST:
                self.note(codes.SELFTEST, bytes([bool(self.errors)]) + self._error_bits()[:4], now)
                return codes.OK, b""
            case codes.CLEAR_ERR if args[:1] and args[0] in codes.NOT_FOR_HOSTS:
                return codes.DENIED, b""
            case codes.CLEAR_ERR if args[:1] and args[0] in self.errors:
                self.recover(args[0], now, by=codes.BY_HOST)
                return codes.OK, b""
            case codes.CLEAR_ERR:
                return codes.BAD_ARG, b""
            case codes.ATTEST if len(args) >= 16:
                return codes.OK, self._attestation(args[:16])
            case _:
                return self.obey(op, args, now)

    def _attestation(self, nonce: bytes) -> bytes:
        settings = hashlib.sha256(repr(sorted(self.settings.items())).encode()).digest()
        boot = _NUMBER.pack(self.memory.boots)
        told = self.identity.firmware + settings + boot + self.memory.head[:8]
        return told + tag(self.identity.key, b"TDL1-A" + nonce + told)

    def _send_events(self, now: float) -> None:
        """What had to make room for newer events is not sent any more."""
        for number in self._window.due(self.memory.last, now):
            if number >= self.memory.oldest:
                self._send(codes.EVENT, self.memory.event(number))

    def _say_how_it_stands(self, now: float) -> None:
        if self.in_session:
            self._send(codes.STATUS, self._status(now))
        elif self._session is None:
            self._out += frame(codes.BEACON, 0, _BEACON.pack(self.memory.boots, ROLES[self.identity.role]))

    def _status(self, now: float) -> bytes:
        at, memory, errors = self.standing(), self.memory, int.from_bytes(self._error_bits(), "little")
        numbers = (memory.last, memory.oldest, memory.head[:8])
        return _STATUS.pack(0, 0, errors, at.shoe_no, at.draw_no, at.remaining, *numbers, self._uptime_ms(now))

    def _error_bits(self) -> bytes:
        return sum(1 << code for code in self.errors).to_bytes(8, "little")

    def _uptime_ms(self, now: float) -> int:
        return int((now - self._started) * 1000) & _U32

    def _send(self, kind: int, body: bytes) -> None:
        if self._session and self._session.is_open:
            self._out += self._session.sealed(kind, body)
