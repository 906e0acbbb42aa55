"""What a TDL/1 shoe tells around a card at which it fails, and how it reads that card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from protocols.cards import Card
from simulators.faults.menu import Fault
from simulators.tdl import codes
from simulators.tdl.shoe import TdlShoe

_UNREADABLE, _REVERSE_AT_EXIT, _DOUBLE_FEED, _LID_OPEN = 0x01, 0x04, 0x08, 0x0B


@contextmanager
def failing(shoe: TdlShoe, fault: Fault | None, now: float) -> Iterator[None]:
    """What comes before the card and after it."""
    match fault:
        case Fault(name="misread", value=None):
            shoe.fail(_UNREADABLE, codes.HOLD, now)
            yield
            shoe.recover(_UNREADABLE, now, by=codes.BY_BUTTON)
        case Fault(name="reverse"):
            shoe.fail(_REVERSE_AT_EXIT, codes.HOLD, now)
            shoe.recover(_REVERSE_AT_EXIT, now)
            yield
        case Fault(name="double-feed"):
            yield
            shoe.fail(_DOUBLE_FEED, codes.HOLD, now)
            shoe.recover(_DOUBLE_FEED, now, by=codes.BY_BUTTON)
        case Fault(name="lid"):
            shoe.move_lid(now, is_open=True)
            shoe.fail(_LID_OPEN, codes.HOLD, now)
            shoe.move_lid(now, is_open=False)
            shoe.recover(_LID_OPEN, now, by=codes.BY_BUTTON)
            yield
        case _:
            yield


def as_read(card: Card, fault: Fault | None) -> Card | None:
    """What the shoe takes the card for; None where it cannot tell."""
    match fault:
        case Fault(name="misread", value=None):
            return None
        case Fault(name="misread", value=Card() as other):
            return other
    return card


def is_double(fault: Fault | None) -> bool:
    """Whether the shoe takes the card for two."""
    return fault is not None and fault.name == "double-feed"
