"""The messages of TDL/1, device to host and host to device; the numbered events are in `events.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import ClassVar, Final

from protocols.orders import Answer, ClearError, Lock, Order, PeekArm, PeekCancel, SelfTest
from protocols.wire.tdl.events import Event
from protocols.wire.tdl.layout import TEXT, Layout

EVENT: Final = 0x10
TAG_BYTES: Final = 16
GET_INFO: Final = 0x01
ATTEST: Final = 0x03


@dataclass(frozen=True, slots=True)
class Beacon(Layout):
    """A device that waits for a host. Anybody can send it: it informs, and proves nothing."""

    TYPE: ClassVar[int] = 0x01
    FORMAT: ClassVar[str] = "IB"
    boot_id: int
    role: int


@dataclass(frozen=True, slots=True)
class Ident(Layout):
    """Who the device is; `tag_d` proves it and everything before it. `caps` is a bit field."""

    TYPE: ClassVar[int] = 0x02
    FORMAT: ClassVar[str] = "BBII16s16s12s12s32s16s"
    role: int
    proto: int
    boot_id: int
    caps: int
    nonce_d: bytes
    serial: str = field(metadata=TEXT)
    model: str = field(metadata=TEXT)
    fw_version: str = field(metadata=TEXT)
    fw_digest: bytes
    tag_d: bytes = field(repr=False)

    @property
    def has_radio(self) -> bool:
        return bool(self.caps & 1 << 8)


@dataclass(frozen=True, slots=True)
class Status(Layout):
    """How the device stands, once a second and on change. `err_bits`: one for each error code; `remaining` 0xFFFF:
    unknown; `head`: the first 8 bytes of the chain up to `last_eseq`."""

    TYPE: ClassVar[int] = 0x11
    FORMAT: ClassVar[str] = "BBQIHHII8sI"
    state: int
    mode: int
    err_bits: int
    shoe_no: int
    draw_no: int
    remaining: int
    last_eseq: int
    oldest_eseq: int
    head: bytes
    uptime_ms: int

    @property
    def errors(self) -> tuple[int, ...]:
        """The codes of the errors that are set."""
        return tuple(code for code in range(64) if self.err_bits >> code & 1)


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to the command `cid`."""

    TYPE: ClassVar[int] = 0x12
    cid: int
    code: int
    data: bytes = field(default=b"", repr=False)

    @classmethod
    def from_bytes(cls, data: bytes) -> Response:
        """ValueError where `data` is too short."""
        if len(data) < _RESPONSE.size:
            raise ValueError(f"a response of {len(data)} bytes (at least {_RESPONSE.size})")
        cid, code = _RESPONSE.unpack_from(data)
        return cls(cid, code, data[_RESPONSE.size :])

    def to_bytes(self) -> bytes:
        return _RESPONSE.pack(self.cid, self.code) + self.data

    @property
    def answer(self) -> Answer:
        return _ANSWERS.get(self.code, "failed")


@dataclass(frozen=True, slots=True)
class Hello(Layout):
    """The host begins a session."""

    TYPE: ClassVar[int] = 0x40
    FORMAT: ClassVar[str] = "BB16s8s"
    proto_min: int
    proto_max: int
    nonce_h: bytes
    host_id: bytes


@dataclass(frozen=True, slots=True)
class Auth(Layout):
    """The host proves that it has the device's key."""

    TYPE: ClassVar[int] = 0x41
    FORMAT: ClassVar[str] = "16s"
    tag_h: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ack(Layout):
    """Everything up to `eseq` is on the host's disk."""

    TYPE: ClassVar[int] = 0x50
    FORMAT: ClassVar[str] = "I"
    eseq: int


@dataclass(frozen=True, slots=True)
class Resend(Layout):
    """Send the events again, from this one on."""

    TYPE: ClassVar[int] = 0x51
    FORMAT: ClassVar[str] = "I"
    eseq: int


@dataclass(frozen=True, slots=True)
class Command:
    """Do something; a device that hears the same `cid` again repeats its answer and does nothing."""

    TYPE: ClassVar[int] = 0x52
    cid: int
    op: int
    args: bytes = b""

    @classmethod
    def from_bytes(cls, data: bytes) -> Command:
        """ValueError where `data` is too short."""
        if len(data) < _COMMAND.size:
            raise ValueError(f"a command of {len(data)} bytes (at least {_COMMAND.size})")
        cid, op = _COMMAND.unpack_from(data)
        return cls(cid, op, data[_COMMAND.size :])

    def to_bytes(self) -> bytes:
        return _COMMAND.pack(self.cid, self.op) + self.args


@dataclass(frozen=True, slots=True)
class Ping(Layout):
    """The host is there."""

    TYPE: ClassVar[int] = 0x53
    FORMAT: ClassVar[str] = "Q"
    host_ms: int


@dataclass(frozen=True, slots=True)
class Info(Layout):
    """What GET_INFO answers: the oldest event that the device still has, and the chain's head before it."""

    FORMAT: ClassVar[str] = "I32s"
    oldest_eseq: int
    head_before_oldest: bytes


@dataclass(frozen=True, slots=True)
class Unknown:
    """A type that no host expects, or a body that is too short for its type."""

    type: int
    body: bytes = field(repr=False)


FromDevice = Beacon | Ident | Event | Status | Response
ToDevice = Hello | Auth | Ack | Resend | Command | Ping

_COMMAND: Final = Struct("<HB")
_RESPONSE: Final = Struct("<HB")
_FROM_DEVICE: Final[Mapping[int, type[FromDevice]]] = {
    Beacon.TYPE: Beacon,
    Ident.TYPE: Ident,
    EVENT: Event,
    Status.TYPE: Status,
    Response.TYPE: Response,
}
_ANSWERS: Final[Mapping[int, Answer]] = {
    0: "ok",
    1: "bad_arg",
    2: "unknown_op",
    3: "busy",
    4: "wrong_state",
    5: "denied",
    6: "unsupported",
    7: "failed",
}
_UP: Final = {"ace": 1, "ten": 2}


def read_message(kind: int, body: bytes) -> FromDevice | Unknown:
    """What a device said; Unknown where it cannot be read, so that nothing is ever raised for it."""
    try:
        return _FROM_DEVICE[kind].from_bytes(body)
    except (KeyError, ValueError):
        return Unknown(kind, body)


def operation(order: Order) -> tuple[int, bytes] | None:
    """The op and the arguments of the command that gives this order; None where there is none that does."""
    match order:
        case SelfTest():
            return 0x02, Struct("<H").pack(order.mask)
        case Lock():
            return 0x04, bytes([order.locked])
        case ClearError() if order.error in range(256):
            return 0x05, bytes([order.error])
        case PeekArm():
            return 0x10, Struct("<IBBB").pack(order.round, _UP[order.up], order.policy, order.timeout_s)
        case PeekCancel():
            return 0x11, Struct("<I").pack(order.round)
        case _:
            return None
