"""The Angel Eye II-EX baccarat shoe's line, sans I/O: bytes in, reports out, garbage counted.

A report is `ENQ digit code payload ETX check`, the check being the XOR of everything from the digit to the ETX as
two upper-case hex digits. Payload bytes have bit 7 set (settings: ASCII digits), so ENQ and ETX never stand inside:
an ENQ always begins a frame. Every report is sent three times; dropping the repeats is the intake's part."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import xor
from typing import Final, Literal

from protocols.cards import Card
from protocols.hidden import Hidden, hide

Target = Literal["player", "banker", "burn", "first_card", "counted_burn"]
Outcome = Literal["player", "banker", "tie", "forced_quit"]

_TARGETS: Final[Mapping[int, Target]] = {0: "player", 1: "banker", 2: "burn", 4: "first_card", 5: "counted_burn"}
_OUTCOMES: Final[Mapping[int, Outcome]] = {1: "player", 2: "tie", 4: "banker", 7: "forced_quit"}
_SUITS: Final[Mapping[int, str]] = {1: "d", 2: "c", 3: "s", 4: "h"}
_RANKS: Final[Mapping[int, str]] = dict(enumerate("A23456789TJQK", start=1))


@dataclass(frozen=True, slots=True)
class Slot:
    """Where the shoe says a card went; hands count from 1, counted burns down to 0."""

    target: Target
    index: int


@dataclass(frozen=True, slots=True)
class Report:
    """One report. `frame` is what came over the line, without repr because it may tell a face-down card."""

    digit: int
    frame: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Started(Report):
    """`S`: power-up or reset."""


@dataclass(frozen=True, slots=True)
class StoodBy(Report):
    """`P`: ready for the next coup."""


@dataclass(frozen=True, slots=True)
class CuttingCard(Report):
    """`C`: the cutting card shows."""


@dataclass(frozen=True, slots=True)
class Drawn(Report):
    """`D`: a card left the shoe. None where its value was withheld or not read; a Card only for the burn's first."""

    slot: Slot
    card: Card | Hidden | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class Retransmitted(Report):
    """`R`: a draw told again, or a card drawn outside taken into this slot; `card` as in `Drawn`."""

    slot: Slot
    card: Card | Hidden | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class DrawnOutside(Report):
    """`d`: a card left the shoe while it was locked, in error or being set up."""

    card: Hidden | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class Revealed(Report):
    """`I`: the value of a card of the coup; None where it still is not told."""

    slot: Slot
    card: Card | None


@dataclass(frozen=True, slots=True)
class SurplusRevealed(Report):
    """`i`: the value of the card that was drawn outside; None where it still is not told."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class ResultGiven(Report):
    """`G`: how the coup ended."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ErrorSet(Report):
    """`E`: 1 cannot read, 2 over-draw, 3 wrong button, 4 and 5 reverse run, 6 card code, 7 draw time-out."""

    error: int
    error_mode: bool


@dataclass(frozen=True, slots=True)
class ErrorCleared(Report):
    """`e`: the error is over."""

    error: int


@dataclass(frozen=True, slots=True)
class LockChanged(Report):
    """`L`: locked or unlocked."""

    locked: bool


@dataclass(frozen=True, slots=True)
class SettingChanged(Report):
    """`M`: a preset value, two digits of address and four of value."""

    address: str
    value: str


@dataclass(frozen=True, slots=True)
class UnknownReport(Report):
    """A good check around a code or payload that this module does not know."""

    code: str


@dataclass(frozen=True, slots=True)
class Counters:
    """`discarded`: bytes that belong to no report; `malformed`: frames with a good check, but unknown or without
    a digit."""

    discarded: int = 0
    bad_checks: int = 0
    malformed: int = 0


# The longest body known has 8 bytes; 32 leaves room for reports that are not known here.
_BODY: Final = rb"[^\x03\x05]{0,32}"
_FRAME: Final = re.compile(rb"\x05(" + _BODY + rb"\x03)(..)", re.DOTALL)
_BEGINNING: Final = re.compile(rb"\x05" + _BODY + rb"(\x03.?)?", re.DOTALL)
_PARTS: Final = re.compile(rb"([0-9])(.)(.*)\x03", re.DOTALL)


class AngelEyeDecoder:
    """A stream of bytes, cut anywhere, to reports. `between`: what the last `feed` found to belong to none of them."""

    def __init__(self) -> None:
        self.between = b""
        self._rest = b""
        self._discarded = 0
        self._bad_checks = 0
        self._malformed = 0

    @property
    def counters(self) -> Counters:
        """What was not understood so far."""
        return Counters(self._discarded, self._bad_checks, self._malformed)

    def feed(self, data: bytes) -> tuple[Report, ...]:
        """The reports that `data` completes, repeats included; never raises."""
        stream, self.between = self._rest + data, b""
        reports: list[Report] = []
        at = self._next_enq(stream, 0)
        while at < len(stream) and not _BEGINNING.fullmatch(stream, at):
            frame = _FRAME.match(stream, at)
            if frame and self._check_holds(frame):
                reports += self._read(frame)
                at = self._next_enq(stream, frame.end())
            else:
                self._discard(stream[at : at + 1])
                at = self._next_enq(stream, at + 1)
        self._rest = stream[at:]
        return tuple(reports)

    def _next_enq(self, stream: bytes, at: int) -> int:
        enq = stream.find(b"\x05", at)
        found = len(stream) if enq < 0 else enq
        self._discard(stream[at:found])
        return found

    def _discard(self, data: bytes) -> None:
        self._discarded += len(data)
        self.between += data

    def _check_holds(self, frame: re.Match[bytes]) -> bool:
        holds = frame[2] == check_of(frame[1])
        self._bad_checks += not holds
        return holds

    def _read(self, frame: re.Match[bytes]) -> tuple[Report, ...]:
        parts = _PARTS.fullmatch(frame[1])
        if parts is None:
            self._malformed += 1
            self._discarded += len(frame[0])
            return ()
        report = _report(int(parts[1]), frame[0], parts[2], parts[3])
        self._malformed += isinstance(report, UnknownReport)
        return (report,)


def check_of(body: bytes) -> bytes:
    """The two check characters of everything from the digit to the ETX."""
    return b"%02X" % reduce(xor, body, 0)


def _report(digit: int, frame: bytes, code: bytes, payload: bytes) -> Report:
    known = _LAYOUTS.get(code)
    if known is None or not known[0].fullmatch(payload):
        return UnknownReport(digit, frame, code.decode("latin-1"))
    return known[1](digit, frame, payload)


def _drawn(digit: int, frame: bytes, payload: bytes) -> Report:
    return Drawn(digit, frame, _slot(payload[0]), _as_it_lies(payload))


def _retransmitted(digit: int, frame: bytes, payload: bytes) -> Report:
    return Retransmitted(digit, frame, _slot(payload[0]), _as_it_lies(payload))


def _drawn_outside(digit: int, frame: bytes, payload: bytes) -> Report:
    return DrawnOutside(digit, frame, _face_down(payload[1]))


def _revealed(digit: int, frame: bytes, payload: bytes) -> Report:
    return Revealed(digit, frame, _slot(payload[0]), _card(payload[1]))


def _surplus_revealed(digit: int, frame: bytes, payload: bytes) -> Report:
    return SurplusRevealed(digit, frame, _card(payload[1]))


def _result_given(digit: int, frame: bytes, payload: bytes) -> Report:
    return ResultGiven(digit, frame, _OUTCOMES[payload[0] >> 4 & 0b111])


def _error_set(digit: int, frame: bytes, payload: bytes) -> Report:
    return ErrorSet(digit, frame, payload[0] & 0b11_1111, bool(payload[0] & 0b100_0000))


def _error_cleared(digit: int, frame: bytes, payload: bytes) -> Report:
    return ErrorCleared(digit, frame, payload[0] & 0b111_1111)


def _lock_changed(digit: int, frame: bytes, payload: bytes) -> Report:
    return LockChanged(digit, frame, bool(payload[0] & 1))


def _setting_changed(digit: int, frame: bytes, payload: bytes) -> Report:
    return SettingChanged(digit, frame, payload[:2].decode("ascii"), payload[2:].decode("ascii"))


def _slot(byte: int) -> Slot:
    return Slot(_TARGETS[byte >> 4 & 0b111], byte & 0b1111)


def _as_it_lies(payload: bytes) -> Card | Hidden | None:
    """The burn's first card is turned, every other card leaves the shoe face down."""
    turned = _slot(payload[0]).target == "first_card"
    return _card(payload[1]) if turned else _face_down(payload[1])


def _face_down(byte: int) -> Hidden | None:
    card = _card(byte)
    return hide(card) if card else None


def _card(byte: int) -> Card | None:
    """None for a rank that is withheld or that no card has."""
    rank = _RANKS.get(byte & 0b1111)
    return Card(rank, _SUITS.get(byte >> 4 & 0b111)) if rank else None


_SLOT: Final = rb"[\x81-\x8f\x91-\x9f\xa0-\xaf\xc0-\xdf]"
_ANY: Final = rb"[\x80-\xff]"

_LAYOUTS: Final[Mapping[bytes, tuple[re.Pattern[bytes], Callable[[int, bytes, bytes], Report]]]] = {
    b"S": (re.compile(b""), lambda digit, frame, _: Started(digit, frame)),
    b"P": (re.compile(b""), lambda digit, frame, _: StoodBy(digit, frame)),
    b"C": (re.compile(b""), lambda digit, frame, _: CuttingCard(digit, frame)),
    b"D": (re.compile(_SLOT + _ANY), _drawn),
    b"R": (re.compile(_SLOT + _ANY), _retransmitted),
    b"I": (re.compile(_SLOT + _ANY), _revealed),
    b"d": (re.compile(_ANY + _ANY), _drawn_outside),
    b"i": (re.compile(_ANY + _ANY), _surplus_revealed),
    b"G": (re.compile(rb"[\x90-\xaf\xc0-\xcf\xf0-\xff]"), _result_given),
    b"E": (re.compile(_ANY), _error_set),
    b"e": (re.compile(_ANY), _error_cleared),
    b"L": (re.compile(_ANY), _lock_changed),
    b"M": (re.compile(rb"[0-9]{6}"), _setting_changed),
}
