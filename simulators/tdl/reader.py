"""The reference hole-card reader: armed once a round, it says whether the two cards are a natural, and no more."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from struct import Struct
from typing import Final

from simulators.tdl import codes
from simulators.tdl.device import Device, Reply

_ARM: Final = Struct("<IBBB")
_ROUND: Final = Struct("<I")
_VERDICT: Final = Struct("<IBB")
_REFUSED: Final = Struct("<IB")
_ERROR: Final = Struct("<BBHH")
_VERDICT_S: Final = 0.4
_TRIES: Final = 3
_UPCARDS: Final = (1, 2)
_NOT_ARMED, _SECOND_PEEK, _EXPIRED = 1, 2, 3
_UNARMED_PEEK: Final = 0x26
_BLOCKED: Final = 0x21
_LIGHT: Final = 0x22
_LAMP: Final = 0x23


class Fault(Enum):
    """What can be wrong with a reader that still speaks; the value is the verdict that comes, None none."""

    UNREADABLE = 2
    NOT_SEATED = 3
    FOREIGN = 4
    HANGS = None


@dataclass(slots=True)
class _Peek:
    round: int
    until: float
    tries: int = 0
    is_done: bool = False


class TdlReader(Device):
    """A reader; `hurry` divides the constant 400 ms until a verdict, to which `lag` seconds are added. `fault` spoils
    what it says while it is set."""

    hurry = 1.0
    lag = 0.0
    fault: Fault | None = None
    _peek: _Peek | None = None
    _verdict: int | None = None
    _verdict_at: float | None = None
    _seated = False

    @property
    def armed_for(self) -> int | None:
        """The round for which a peek is still possible."""
        return self._peek.round if self._peek and not self._peek.is_done else None

    def seat(self, now: float, *, natural: bool) -> bool:
        """The dealer's two cards go in; whether the reader will answer."""
        refusal = self._objection(now)
        if refusal is not None or self._peek is None:
            self._refuse(refusal or _NOT_ARMED, now)
            return False
        self._peek.tries += 1
        self._seated = True
        self.note(codes.SEATED, _ROUND.pack(self._peek.round), now)
        self._verdict = self.fault.value if self.fault else int(natural)
        self._verdict_at = None if self.fault is Fault.HANGS else now + _VERDICT_S / self.hurry + self.lag
        return True

    def remove(self, now: float) -> None:
        """The cards are taken out; before the verdict that makes them not seated."""
        if not self._seated or self._peek is None:
            return
        if self._verdict_at is not None:
            self._verdict = Fault.NOT_SEATED.value
            self._tell(now)
        self._seated = False
        self.note(codes.REMOVED, _ROUND.pack(self._peek.round), now)

    def lose_lamp(self, now: float) -> None:
        """Its lamp is broken: a fault that lasts until `mend`."""
        self.fail(_LAMP, codes.FAULT, now)

    def dazzle(self, now: float) -> None:
        """Too much light: a fault that lasts until `mend`."""
        self.fail(_LIGHT, codes.FAULT, now)

    def block(self, now: float) -> None:
        """A card is left in the slot: the reader takes no arm until `mend`."""
        self.fail(_BLOCKED, codes.HOLD, now)

    def reboot(self, now: float, *, reason: int = 0) -> None:
        self._verdict_at, self._peek = None, None
        super().reboot(now, reason=reason)

    def mend(self, now: float) -> None:
        """All faults are over, and so is a peek that was under way."""
        self.fault, self._verdict_at, self._peek = None, None, None
        for error in sorted(self.errors):
            self.recover(error, now)

    def is_at_work(self) -> bool:
        return self.armed_for is not None

    def timers(self) -> list[float]:
        return [] if self._verdict_at is None else [self._verdict_at]

    def on_time(self, now: float) -> None:
        if self._verdict_at is not None and now >= self._verdict_at:
            self._tell(now)

    def obey(self, op: int, args: bytes, now: float) -> Reply:
        match op:
            case codes.PEEK_ARM if len(args) >= _ARM.size:
                return self._arm(args, now), b""
            case codes.PEEK_CANCEL if len(args) >= _ROUND.size:
                if self.armed_for == _ROUND.unpack_from(args)[0]:
                    self._peek = None
                return codes.OK, b""
            case codes.PEEK_ARM | codes.PEEK_CANCEL:
                return codes.BAD_ARG, b""
        return super().obey(op, args, now)

    def _arm(self, args: bytes, now: float) -> int:
        number, up, policy, timeout_s = _ARM.unpack_from(args)
        if up not in _UPCARDS:
            return codes.BAD_ARG
        if self.errors:
            return codes.WRONG_STATE
        if self._peek and self._peek.round == number:
            self._peek.until = now + timeout_s
            return codes.WRONG_STATE if self._peek.is_done else codes.OK
        self._peek = _Peek(number, now + timeout_s)
        self.note(codes.PEEK_ARMED, _ROUND.pack(number) + bytes([up, policy]), now)
        return codes.OK

    def _objection(self, now: float) -> int | None:
        if self._peek is None:
            return _NOT_ARMED
        if self._peek.is_done:
            return _SECOND_PEEK
        return _EXPIRED if now > self._peek.until else None

    def _refuse(self, reason: int, now: float) -> None:
        self.note(codes.PEEK_REFUSED, _REFUSED.pack(self._peek.round if self._peek else 0, reason), now)
        if reason == _NOT_ARMED:
            self.note(codes.ERR_SET, _ERROR.pack(_UNARMED_PEEK, codes.INFO, 0, 0), now)

    def _tell(self, now: float) -> None:
        peek, verdict, self._verdict_at = self._peek, self._verdict, None
        if peek is not None and verdict is not None:
            peek.is_done = verdict in (0, 1) or peek.tries >= _TRIES
            self.note(codes.VERDICT, _VERDICT.pack(peek.round, verdict, peek.tries), now)
