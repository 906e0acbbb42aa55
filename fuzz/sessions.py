"""A TDL/1 device that proves itself and then says anything at any time: whatever it is, it is data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from protocols.device_session import Ended, Heard, Send
from protocols.events import TableEvent
from protocols.intake.tdl import TdlIntake
from protocols.orders import Attest, Lock, Order, PeekArm, SelfTest
from protocols.records import DeviceReported, Fact, SecurityNoted
from protocols.registry import Registry
from protocols.tablelog import dump
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.session import HostSession, Outputs
from simulators.tdl import codes
from simulators.tdl.frames import Deframer
from simulators.tdl.identity import FIRMWARE, Identity, simulated
from simulators.tdl.session import Session

_STEP_NS: Final = 50_000_000
_ORDERS: Final[tuple[Order, ...]] = (Lock(True), SelfTest(), PeekArm(1, "ace"), Attest())
_U32: Final = 0xFFFFFFFF


class Reel:
    """Bytes that are read off from the front; past the end there are zeros."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def take(self, count: int) -> bytes:
        part = self._data[self._at : self._at + count]
        self._at += count
        return part.ljust(count, b"\0")

    def number(self, count: int = 1) -> int:
        return int.from_bytes(self.take(count), "little")

    def rest_of(self) -> bytes:
        """As many bytes as the next one says, and no more than there are."""
        count = min(self.number() % 161, max(len(self._data) - self._at, 0))
        return self.take(count)


class Played:
    """A host's session, and the device that the bytes of `reel` move; both may start again."""

    def __init__(self, role: Role, reel: Reel) -> None:
        self._identity: Identity = simulated(role, "DEVICE-1")
        registry = Registry({self._identity.serial: {FIRMWARE: self._identity.key}})
        self._expected = Expected(b"HOST", role, registry)
        self._role = role
        self._reel = reel
        self._now = 0
        self._facts: list[Fact] = []
        self._eseq = self._cid = 0
        self._restart_host()

    def play(self) -> None:
        """Until the reel is over."""
        moves: tuple[Callable[[], None], ...] = (
            *(self._says_event, self._says_anything, self._says_status, self._answers, self._waits, self._stores),
            *(self._reconnects, self._orders, self._garbles, self._restart_host, self._jumps),
        )
        while self._reel:
            moves[self._reel.number() % len(moves)]()

    def _says_event(self) -> None:
        self._eseq = min(self._eseq + 1, _U32)
        head = self._eseq.to_bytes(4, "little") + self._reel.take(2).ljust(8, b"\0")
        self._say(codes.EVENT, head + self._reel.rest_of())

    def _says_anything(self) -> None:
        self._say(self._reel.number(), self._reel.rest_of())

    def _says_status(self) -> None:
        behind = self._reel.number()
        last = (self._eseq + behind).to_bytes(5, "little")[:4]
        self._say(codes.STATUS, bytes(18) + last + self._reel.rest_of().ljust(16, b"\0"))

    def _answers(self) -> None:
        self._say(codes.RESPONSE, self._cid.to_bytes(2, "little") + self._reel.rest_of())

    def _jumps(self) -> None:
        """Its numbers go on somewhere else."""
        self._eseq = self._reel.number(4)

    def _waits(self) -> None:
        until = self._now + self._reel.number() * _STEP_NS
        while self._is_open and self._host.deadline < until:
            self._now = max(self._now, self._host.deadline)
            self._carry_out(self._host.tick(self._now))
        self._now = until

    def _stores(self) -> None:
        self._host.stored(max(self._eseq - self._reel.number(), 0))
        self._carry_out(self._host.tick(self._now))

    def _orders(self) -> None:
        order = _ORDERS[self._reel.number() % len(_ORDERS)]
        if self._host.is_ready:
            self._host.command(order)
            self._carry_out(self._host.tick(self._now))

    def _garbles(self) -> None:
        self._carry_out(self._host.feed(self._reel.rest_of(), self._now))

    def _restart_host(self) -> None:
        self._intake = TdlIntake(self._role, self._role)
        self._intake.resume(self._facts)
        self._host = HostSession(self._role, self._expected, self._intake.position)
        self._connect()

    def _reconnects(self) -> None:
        self._host.disconnect(self._now)
        self._connect()

    def _connect(self) -> None:
        self._device: Session | None = None
        self._is_open = True
        self._ear = Deframer()
        self._carry_out(self._host.connect(bytes(range(32)), self._now))

    def _say(self, kind: int, body: bytes) -> None:
        if self._device and self._device.is_open and self._is_open:
            self._carry_out(self._host.feed(self._device.sealed(kind, body[:160]), self._now))

    def _carry_out(self, outputs: Outputs) -> None:
        for output in outputs:
            match output:
                case Send(data):
                    self._hear(data)
                case Heard():
                    self._note(self._intake.take(output))
                case SecurityNoted():
                    self._note((output,))
                case Ended():
                    self._is_open = False
        counters = self._host.counters
        assert min(getattr(counters, name) for name in type(counters).__slots__) >= 0
        assert isinstance(self._host.deadline, int)

    def _hear(self, data: bytes) -> None:
        """The handshake is an honest device's, and of the rest it remembers which command came last."""
        for frame in self._ear.feed(data):
            if frame.type == codes.HELLO:
                self._device = Session(self._identity, 1, frame.body, bytes(16))
                self._carry_out(self._host.feed(self._device.answer, self._now))
            elif frame.type == codes.AUTH and self._device:
                assert self._device.admit(frame.body)
            elif frame.type == codes.COMMAND:
                self._cid = int.from_bytes(frame.body[:2], "little")

    def _note(self, facts: tuple[Fact, ...]) -> None:
        """What becomes a record can be written as one."""
        self._facts += facts
        for fact in facts:
            match fact:
                case TableEvent():
                    fact.model_dump_json(by_alias=True, exclude={"card", "result"}).encode()
                case DeviceReported():
                    dump(fact.data).encode()
                case SecurityNoted():
                    dump(fact.detail).encode()
