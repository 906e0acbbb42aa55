"""What a TDL/1 device tells in its numbered events, one class a kind."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import ClassVar, Final, get_args

from protocols.wire.tdl.layout import CARD, Layout, Reading, written_card
from protocols.wire.tdl.reader_events import PeekArmed, PeekRefused, Removed, Seated, VerdictGiven

_WITHHELD: Final = 0x01
_RE_READ: Final = 0x02
_DOUBLE_FEED: Final = 0x04
_OUTSIDE: Final = 0x08
_TOO_FAST: Final = 0x10
_RETURNED: Final = 0x20
_ODD: Final[Mapping[int, str]] = {
    _RE_READ: "re-read",
    _DOUBLE_FEED: "double-feed",
    _TOO_FAST: "too-fast",
    _RETURNED: "returned",
}
_NO_COMMIT: Final = bytes(16)
_BINDS: Final = Struct("<16sIHB")


@dataclass(frozen=True, slots=True)
class Booted(Layout):
    """The device started; `reason` power, watchdog, brownout or service."""

    KIND: ClassVar[int] = 0x01
    FORMAT: ClassVar[str] = "BB"
    reason: int
    unclean: int


@dataclass(frozen=True, slots=True)
class Loaded(Layout):
    """A full set went into the shoe, which numbers its loads for life."""

    KIND: ClassVar[int] = 0x02
    FORMAT: ClassVar[str] = "IBH"
    shoe_no: int
    decks: int
    deck_code: int


@dataclass(frozen=True, slots=True)
class CardLeft(Layout):
    """A card left the shoe: its `draw_no` in the load from 1, `quality` of the reading 0-100, and the commitment to a
    value that is withheld."""

    KIND: ClassVar[int] = 0x03
    FORMAT: ClassVar[str] = "IHBBBB16s"
    shoe_no: int
    draw_no: int
    slot: int
    reading: Reading = field(metadata=CARD)
    flags: int
    quality: int
    commit: bytes

    @property
    def outside(self) -> bool:
        """Drawn while the shoe was locked, in error or being served."""
        return bool(self.flags & _OUTSIDE)

    @property
    def oddities(self) -> tuple[str, ...]:
        """What was unusual about it."""
        return tuple(name for flag, name in _ODD.items() if self.flags & flag)

    @property
    def commitment(self) -> bytes | None:
        return None if self.commit == _NO_COMMIT else self.commit


@dataclass(frozen=True, slots=True)
class ValueRevealed(Layout):
    """The value of a card that was withheld, and what opens the commitment to it."""

    KIND: ClassVar[int] = 0x04
    FORMAT: ClassVar[str] = "IHB16s"
    shoe_no: int
    draw_no: int
    reading: Reading = field(metadata=CARD)
    nonce: bytes = field(repr=False)

    def opens(self, commit: bytes) -> bool:
        """Whether the device had committed itself to this value of this card."""
        bound = _BINDS.pack(self.nonce, self.shoe_no, self.draw_no, written_card(self.reading))
        return hashlib.sha256(bound).digest()[:16] == commit


@dataclass(frozen=True, slots=True)
class ValueFixed(Layout):
    """The value of a card that was read again."""

    KIND: ClassVar[int] = 0x05
    FORMAT: ClassVar[str] = "IHBB"
    shoe_no: int
    draw_no: int
    reading: Reading = field(metadata=CARD)
    method: int


@dataclass(frozen=True, slots=True)
class CutCardSeen(Layout):
    """The cutting card shows; `draw_no` is that of the next card."""

    KIND: ClassVar[int] = 0x06
    FORMAT: ClassVar[str] = "IH"
    shoe_no: int
    draw_no: int


@dataclass(frozen=True, slots=True)
class ShoeEnded(Layout):
    """The load is over after `drawn` cards."""

    KIND: ClassVar[int] = 0x07
    FORMAT: ClassVar[str] = "IHB"
    shoe_no: int
    drawn: int
    reason: int


@dataclass(frozen=True, slots=True)
class ErrorSet(Layout):
    """An error of the device began."""

    KIND: ClassVar[int] = 0x08
    FORMAT: ClassVar[str] = "BBHH"
    code: int
    severity: int
    draw_no: int
    detail: int


@dataclass(frozen=True, slots=True)
class ErrorCleared(Layout):
    """It is over; `by` itself, a button, the key or the host."""

    KIND: ClassVar[int] = 0x09
    FORMAT: ClassVar[str] = "BB"
    code: int
    by: int


@dataclass(frozen=True, slots=True)
class LidMoved(Layout):
    """The lid was opened or closed."""

    KIND: ClassVar[int] = 0x0A
    FORMAT: ClassVar[str] = "BB"
    state: int
    by: int


@dataclass(frozen=True, slots=True)
class LockMoved(Layout):
    """The exit was locked or unlocked."""

    KIND: ClassVar[int] = 0x0B
    FORMAT: ClassVar[str] = "BB"
    state: int
    by: int


@dataclass(frozen=True, slots=True)
class KeyTurned(Layout):
    """The key switch was turned."""

    KIND: ClassVar[int] = 0x0C
    FORMAT: ClassVar[str] = "BB"
    state: int
    by: int


@dataclass(frozen=True, slots=True)
class ButtonPressed(Layout):
    """A button was pressed."""

    KIND: ClassVar[int] = 0x0D
    FORMAT: ClassVar[str] = "BB"
    button: int
    by: int


@dataclass(frozen=True, slots=True)
class SettingChanged(Layout):
    """A preset value was changed."""

    KIND: ClassVar[int] = 0x0E
    FORMAT: ClassVar[str] = "BII"
    param: int
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class SelfTested(Layout):
    """What a self-test found; `bits` name the tests."""

    KIND: ClassVar[int] = 0x0F
    FORMAT: ClassVar[str] = "BI"
    result: int
    bits: int


@dataclass(frozen=True, slots=True)
class SecurityTold(Layout):
    """The device itself suspects something."""

    KIND: ClassVar[int] = 0x10
    FORMAT: ClassVar[str] = "B"
    code: int


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """A kind that this module does not know, or one that is too short."""

    kind: int
    data: bytes = field(repr=False)

    def to_bytes(self) -> bytes:
        return self.data


KnownEvent = (
    Booted
    | Loaded
    | CardLeft
    | ValueRevealed
    | ValueFixed
    | CutCardSeen
    | ShoeEnded
    | ErrorSet
    | ErrorCleared
    | LidMoved
    | LockMoved
    | KeyTurned
    | ButtonPressed
    | SettingChanged
    | SelfTested
    | SecurityTold
    | PeekArmed
    | Seated
    | Removed
    | VerdictGiven
    | PeekRefused
)
Told = KnownEvent | UnknownEvent
_KINDS: Final[Mapping[int, type[KnownEvent]]] = {kind.KIND: kind for kind in get_args(KnownEvent)}
_HEAD: Final = Struct("<IIIB")


@dataclass(frozen=True, slots=True)
class Event:
    """A numbered event: `eseq` grows by 1 for the device's life; `t_ms` since the boot `boot_id`."""

    eseq: int
    boot_id: int
    t_ms: int
    told: Told

    @classmethod
    def from_bytes(cls, data: bytes) -> Event:
        """ValueError where not even the number is there; what it tells may be unknown."""
        if len(data) < _HEAD.size:
            raise ValueError(f"an event of {len(data)} bytes (at least {_HEAD.size})")
        eseq, boot_id, t_ms, kind = _HEAD.unpack_from(data)
        return cls(eseq, boot_id, t_ms, _told(kind, data[_HEAD.size :]))

    def to_bytes(self) -> bytes:
        kind = self.told.kind if isinstance(self.told, UnknownEvent) else self.told.KIND
        return _HEAD.pack(self.eseq, self.boot_id, self.t_ms, kind) + self.told.to_bytes()


def _told(kind: int, data: bytes) -> Told:
    try:
        return _KINDS[kind].from_bytes(data)
    except (KeyError, ValueError):
        return UnknownEvent(kind, data)
