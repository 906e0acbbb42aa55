"""What one event of a TDL/1 device says by itself, whatever came before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from protocols.events import (
    CardDrawn,
    CutCardReached,
    PeekResult,
    ReaderPeeked,
    ShoeEmptied,
    ShoeFaulted,
    ShoeLoaded,
    ShoeRestored,
)
from protocols.hidden import hide_text
from protocols.records import DeviceReported, Fact, SecurityNoted
from protocols.wire.tdl.errors import error
from protocols.wire.tdl.events import (
    Booted,
    ButtonPressed,
    CardLeft,
    CutCardSeen,
    ErrorCleared,
    ErrorSet,
    KeyTurned,
    LidMoved,
    Loaded,
    LockMoved,
    SecurityTold,
    SelfTested,
    SettingChanged,
    ShoeEnded,
    Told,
    UnknownEvent,
    ValueFixed,
    ValueRevealed,
)
from protocols.wire.tdl.handshake import Role
from protocols.wire.tdl.reader_events import PeekArmed, PeekRefused, Removed, Seated, VerdictGiven

_PEEKED: Final[Mapping[int, PeekResult]] = {
    0: "no_natural",
    1: "natural",
    2: "error",
    3: "error",
    4: "error",
}
_PLACES: Final[Mapping[int, str]] = {
    8: "dealer",
    9: "player",
    0xA: "banker",
    0xB: "burn",
    0xC: "community:3",
    0xD: "community:4",
    0xE: "community:5",
}
_OF_ROLE: Final[Mapping[Role, tuple[type[Told], ...]]] = {
    "shoe": (Loaded, CardLeft, ValueRevealed, ValueFixed, CutCardSeen, ShoeEnded),
    "reader": (PeekArmed, Seated, Removed, VerdictGiven, PeekRefused),
}
_NAMES: Final[Mapping[type[Told], str]] = {
    Booted: "boot",
    Loaded: "loaded",
    CardLeft: "card",
    CutCardSeen: "cutting-card",
    ShoeEnded: "ended",
    ValueRevealed: "reveal",
    ValueFixed: "card-fix",
    ErrorSet: "error",
    ErrorCleared: "error-cleared",
    LidMoved: "lid",
    LockMoved: "lock",
    KeyTurned: "key",
    ButtonPressed: "button",
    SettingChanged: "setting",
    SelfTested: "self-test",
    SecurityTold: "security",
    PeekArmed: "peek-armed",
    Seated: "seated",
    Removed: "removed",
    VerdictGiven: "verdict",
    PeekRefused: "peek-refused",
    UnknownEvent: "unknown",
}


def said_by(told: Told, device: str, role: Role) -> tuple[Fact, ...]:
    """Its facts without their numbers; values of cards are hidden, for nobody knows here how a card lies, and so is
    what a reader answered."""
    match told:
        case _ if _is_foreign(told, role):
            what = f"the {role} tells {_NAMES[type(told)]!r}, which is another device's to tell"
            return noted(told, device), SecurityNoted("foreign_event", device, what)
        case CardLeft():
            return _card_left(told, device)
        case Loaded():
            return (ShoeLoaded(decks=told.decks if 1 <= told.decks <= 16 else None),)
        case CutCardSeen():
            return (CutCardReached(),)
        case ShoeEnded():
            return (ShoeEmptied(),)
        case ErrorSet() | ErrorCleared():
            return (*_changed_use(told, role), noted(told, device), *_suspicion(told, device))
        case VerdictGiven() if told.answer in _PEEKED:
            return noted(told, device), ReaderPeeked(result=hide_text(_PEEKED[told.answer]))
        case SecurityTold():
            return noted(told, device), SecurityNoted(code_of(told), device, "told by the device itself")
        case _:
            return (noted(told, device),)


def _is_foreign(told: Told, role: Role) -> bool:
    return any(isinstance(told, kinds) for other, kinds in _OF_ROLE.items() if other != role)


def noted(told: Told, device: str) -> DeviceReported:
    """The device record of an event; it never holds a value of a card, or what a reader answered."""
    return DeviceReported(device, _NAMES[type(told)], _data(told))


def ref_of(told: CardLeft | ValueRevealed | ValueFixed) -> str:
    """The device's own name of a card."""
    return f"{told.shoe_no}/{told.draw_no}"


def code_of(told: ErrorSet | ErrorCleared | SecurityTold) -> str:
    """`tdl-0B`"""
    return f"tdl-{told.code:02X}"


def _card_left(told: CardLeft, device: str) -> tuple[Fact, ...]:
    to = None if told.outside else _place(told.slot)
    if told.reading.sort == "cut_card":
        return (CutCardReached(at=to),)
    draw = CardDrawn(ref=ref_of(told), card=told.reading.card, to=to, outside=told.outside or None)
    facts: list[Fact] = [draw]
    if told.oddities or told.commitment:
        facts.append(noted(told, device))
    if told.reading.sort == "foreign":
        facts.append(SecurityNoted("foreign_card", device, f"card {draw.ref} does not belong to the deck"))
    return tuple(facts)


def _place(slot: int) -> str | None:
    """Low nibble 1-7 a box, high nibble its hand; None where the shoe does not know."""
    where, hand = slot & 0x0F, slot >> 4
    if 1 <= where <= 7:
        return f"box:{where}" + (f"/{chr(ord('a') + hand)}" if hand else "")
    return _PLACES.get(where)


def _changed_use(told: ErrorSet | ErrorCleared, role: Role) -> tuple[Fact, ...]:
    """A shoe's error that stops it is an event; a reader's is for the fallback to judge."""
    if role != "shoe" or not error(told.code).stops:
        return ()
    code = code_of(told)
    return (ShoeFaulted(code=code) if isinstance(told, ErrorSet) else ShoeRestored(code=code),)


def _suspicion(told: ErrorSet | ErrorCleared, device: str) -> tuple[Fact, ...]:
    what = error(told.code)
    suspect = isinstance(told, ErrorSet) and what.security
    return (SecurityNoted(code_of(told), device, what.name),) if suspect else ()


def _data(told: Told) -> dict[str, Any]:
    match told:
        case CardLeft():
            return _card_data(told)
        case ValueRevealed() | ValueFixed():
            return {"ref": ref_of(told)}
        case ErrorSet():
            return {**_error_data(told), "detail": told.detail}
        case ErrorCleared():
            return {**_error_data(told), "by": told.by}
        case VerdictGiven():
            return {"round": told.round, "tries": told.tries}
        case UnknownEvent():
            return {"kind": told.kind, "bytes": len(told.data)}
        case _:
            return asdict(told)


def _card_data(told: CardLeft) -> dict[str, Any]:
    commit = {"commit": told.commitment.hex()} if told.commitment else {}
    return {"ref": ref_of(told), "flags": list(told.oddities), "quality": told.quality, **commit}


def _error_data(told: ErrorSet | ErrorCleared) -> dict[str, Any]:
    what = error(told.code)
    return {"code": code_of(told), "error": what.name, "severity": what.severity}
