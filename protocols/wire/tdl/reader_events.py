"""What a hole-card reader tells in its numbered events; `round` is the number with which the table armed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from protocols.hidden import Hidden, opened_text
from protocols.wire.tdl.layout import ANSWER, Layout


@dataclass(frozen=True, slots=True)
class PeekArmed(Layout):
    """The reader will answer once in this round; `up` 1 ace, 2 ten."""

    KIND: ClassVar[int] = 0x20
    FORMAT: ClassVar[str] = "IBB"
    round: int
    up: int
    policy: int


@dataclass(frozen=True, slots=True)
class Seated(Layout):
    """Cards are in the reader."""

    KIND: ClassVar[int] = 0x21
    FORMAT: ClassVar[str] = "I"
    round: int


@dataclass(frozen=True, slots=True)
class Removed(Layout):
    """Cards were taken out of the reader."""

    KIND: ClassVar[int] = 0x22
    FORMAT: ClassVar[str] = "I"
    round: int


@dataclass(frozen=True, slots=True)
class VerdictGiven(Layout):
    """The reader's answer: 0 not natural, 1 natural, 2 unreadable, 3 not seated, 4 foreign, 5-7 small to large."""

    KIND: ClassVar[int] = 0x23
    FORMAT: ClassVar[str] = "IBB"
    round: int
    verdict: Hidden = field(metadata=ANSWER)
    tries: int

    @property
    def answer(self) -> int:
        """The number of the verdict, which nobody but the dealer may know yet."""
        return int(opened_text(self.verdict))


@dataclass(frozen=True, slots=True)
class PeekRefused(Layout):
    """Cards were put in that the reader will not read: not armed, a second peek, too late."""

    KIND: ClassVar[int] = 0x24
    FORMAT: ClassVar[str] = "IB"
    round: int
    reason: int
