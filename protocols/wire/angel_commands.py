"""What a host can tell an Angel Eye shoe, and what the shoe says to it.

A command is `STX OP type data ETX check`, data being two digits. It is answered by an ACK, by a NAK and one byte that
says why, or by `STX ... ETX check`. Over which bytes a command's check goes is not said in one way only, so that it is
chosen; that of an answer goes from behind the STX to the ETX. An answer stands between two reports, never in one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from protocols.orders import Answer, ClearError, CommandCheck, ConfirmGame, Lock, Order
from protocols.wire.angel_eye import check_of

_STX: Final = b"\x02"
_ETX: Final = b"\x03"
_ERRORS: Final = range(100)

LINE_ERRORS: Final[Mapping[int, str]] = {0x01: "overrun, framing or parity", 0x02: "check", 0x03: "no ETX"}
"""Reasons of a NAK after which the same command may well get through."""

REFUSALS: Final[Mapping[int, tuple[str, Answer]]] = {
    0x11: ("length or format", "bad_arg"),
    0x12: ("address", "bad_arg"),
    0x13: ("command", "unknown_op"),
    0x14: ("type", "unknown_op"),
    0x21: ("busy", "busy"),
    0x22: ("writing", "busy"),
    0xFF: ("other", "failed"),
}
"""The other reasons of a NAK, and what such a refusal means for the order."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """ACK: it is done."""


@dataclass(frozen=True, slots=True)
class Nacked:
    """NAK: it is not, and why."""

    reason: int


@dataclass(frozen=True, slots=True)
class Told:
    """It is done, and the shoe has something to say about it; without repr because nobody knows what that may be."""

    text: bytes = field(repr=False)


Reply = Acknowledged | Nacked | Told


def command(order: Order, check: CommandCheck) -> bytes | None:
    """The order as it stands on the line; None where this shoe has nothing like it."""
    match order:
        case Lock(locked):
            return _framed(b"LK02" if locked else b"LK01", check)
        case ClearError(error) if error in _ERRORS:
            return _framed(b"EC%02d" % error, check)
        case ConfirmGame():
            return _framed(b"GP00", check)
        case _:
            return None


def _framed(operation: bytes, check: CommandCheck) -> bytes:
    body = b"OP" + operation + _ETX
    return _STX + body + check_of(_STX + body if check == "with_stx" else body)


# A command is ten bytes long; 32 leaves room for answers that are not known here.
_TEXT: Final = rb"[^\x02\x03\x05\x06\x15]"
_REASON: Final = b"[" + re.escape(bytes([*LINE_ERRORS, *REFUSALS])) + b"]"
_ACKED: Final = rb"(?P<ack>\x06)"
_NACKED: Final = rb"\x15(?P<reason>" + _REASON + rb")"
_TOLD: Final = rb"\x02(?P<body>" + _TEXT + rb"{1,32}\x03)(?P<check>..)"
_REPLY: Final = re.compile(b"|".join([_ACKED, _NACKED, _TOLD]), re.DOTALL)
_BEGINNING: Final = re.compile(rb"\x15|\x02" + _TEXT + rb"{0,32}(\x03.?)?", re.DOTALL)


class ReplyDecoder:
    """The bytes between a shoe's reports, cut anywhere, to replies. `used`: how many of them were replies."""

    def __init__(self) -> None:
        self.used = 0
        self._rest = b""

    def feed(self, data: bytes) -> tuple[Reply, ...]:
        """The replies that `data` completes; never raises."""
        stream = self._rest + data
        replies: list[Reply] = []
        at = 0
        while at < len(stream) and not _BEGINNING.fullmatch(stream, at):
            found = _REPLY.match(stream, at)
            reply = _reply(found) if found else None
            if found and reply:
                replies.append(reply)
                self.used += len(found[0])
            at = found.end() if found and reply else at + 1
        self._rest = stream[at:]
        return tuple(replies)


def _reply(found: re.Match[bytes]) -> Reply | None:
    """None where the check does not hold."""
    if found["ack"]:
        return Acknowledged()
    if found["reason"]:
        return Nacked(found["reason"][0])
    return Told(found["body"][:-1]) if found["check"] == check_of(found["body"]) else None
