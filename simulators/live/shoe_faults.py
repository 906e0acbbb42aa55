"""What a TDL/1 shoe tells around a card at which it fails, and how it reads that card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from protocols.cards import Card
from simulators.faults.menu import Fault
from simulators.tdl import codes
from simulators.tdl.shoe import FOREIGN, UNREADABLE, Face, TdlShoe

_UNREADABLE, _OVERDRAW, _REVERSE_AT_EXIT = 0x01, 0x02, 0x04
_CARD_CODE, _DOUBLE_FEED, _LID_OPEN = 0x06, 0x08, 0x0B


@contextmanager
def failing(shoe: TdlShoe, fault: Fault | None, card: Card, now: float) -> Iterator[None]:
    """What comes before the card and after it; a card too many has the looks of this one."""
    match fault:
        case Fault(name="misread", value=None):
            shoe.fail(_UNREADABLE, codes.HOLD, now)
            yield
            shoe.recover(_UNREADABLE, now, by=codes.BY_BUTTON)
        case Fault(name="foreign"):
            shoe.fail(_CARD_CODE, codes.FAULT, now)
            yield
            shoe.recover(_CARD_CODE, now, by=codes.BY_KEY)
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
        case Fault(name="overdraw"):
            yield
            shoe.fail(_OVERDRAW, codes.HOLD, now)
            shoe.draw(card, now, outside=True)
            shoe.recover(_OVERDRAW, now, by=codes.BY_BUTTON)
        case Fault(name="locked"):
            yield
            shoe.lock(now, locked=True, by=codes.BY_KEY)
            shoe.draw(card, now)
            shoe.lock(now, locked=False, by=codes.BY_KEY)
        case Fault(name="burst"):
            for _ in range(int(fault.amount)):
                shoe.press(now)
            yield
        case _:
            yield


def as_read(card: Card, fault: Fault | None) -> Face:
    """What the shoe takes the card for."""
    match fault:
        case Fault(name="misread", value=None):
            return UNREADABLE
        case Fault(name="misread", value=Card() as other):
            return other
        case Fault(name="foreign"):
            return FOREIGN
    return card


def another(card: Card) -> Card:
    """Of the same suit."""
    return Card.parse(("2" if card.rank != "2" else "3") + (card.suit or ""))


def is_double(fault: Fault | None) -> bool:
    """Whether the shoe takes the card for two."""
    return fault is not None and fault.name == "double-feed"
