"""What one report of an Angel Eye shoe says by itself, whatever came before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from protocols.cards import Card
from protocols.events import (
    CardDrawn,
    CardRevealed,
    CutCardReached,
    ResultReported,
    RoundVoided,
    ShoeFaulted,
    ShoeRestored,
)
from protocols.intake.angel_state import SURPLUS, code_of
from protocols.records import DeviceReported, Fact
from protocols.wire.angel_eye import (
    CuttingCard,
    Drawn,
    DrawnOutside,
    ErrorCleared,
    ErrorSet,
    LockChanged,
    Report,
    ResultGiven,
    Retransmitted,
    Revealed,
    SettingChanged,
    Slot,
    Started,
    StoodBy,
    SurplusRevealed,
    UnknownReport,
)

_FAULTS: Final = frozenset({4, 5, 6})

_NAMES: Final[Mapping[type[Report], str]] = {
    Started: "start",
    StoodBy: "stand-by",
    ErrorSet: "error",
    ErrorCleared: "error-cleared",
    LockChanged: "lock",
    SettingChanged: "setting",
    Retransmitted: "retransmission",
    Revealed: "reveal",
    SurplusRevealed: "surplus-reveal",
    ResultGiven: "result",
    CuttingCard: "cutting-card",
    Drawn: "draw",
    DrawnOutside: "outside-draw",
    UnknownReport: "unknown",
}


def said_by(report: Report, device: str) -> Fact:
    """Its table event without `seq`, else its device record."""
    match report:
        case Drawn(slot=slot, card=card) | Retransmitted(slot=slot, card=card):
            turned = slot.target == "first_card"
            return CardDrawn(to=_place(slot), ref=_ref(slot), card=card, face="up" if turned else None)
        case DrawnOutside(card=card):
            return CardDrawn(outside=True, ref=SURPLUS, card=card)
        case Revealed(slot=slot, card=Card() as card):
            return CardRevealed(ref=_ref(slot), card=card)
        case SurplusRevealed(card=Card() as card):
            return CardRevealed(ref=SURPLUS, card=card)
        case ResultGiven(outcome="forced_quit"):
            return RoundVoided(reason="forced_quit")
        case ResultGiven(outcome="player" | "banker" | "tie" as winner):
            return ResultReported(winner=winner)
        case CuttingCard():
            return CutCardReached()
        case ErrorSet(error=error) if error in _FAULTS:
            return ShoeFaulted(code=code_of(error))
        case ErrorCleared(error=error) if error in _FAULTS:
            return ShoeRestored(code=code_of(error))
        case _:
            return noted(report, device)


def noted(report: Report, device: str) -> DeviceReported:
    """The device record of a report; it never holds the value of a card: where telling it turns one, it is an event."""
    return DeviceReported(device, _NAMES[type(report)], {"digit": report.digit, **_data(report)})


def _data(report: Report) -> dict[str, Any]:
    match report:
        case ErrorSet():
            return {"error": report.error, "error_mode": report.error_mode}
        case ErrorCleared():
            return {"error": report.error}
        case LockChanged():
            return {"locked": report.locked}
        case SettingChanged():
            return {"address": report.address, "value": report.value}
        case Drawn() | Retransmitted() | Revealed():
            return {"slot": _slot_name(report.slot)}
        case ResultGiven():
            return {"outcome": report.outcome}
        case UnknownReport():
            return {"code": report.code, "bytes": len(report.frame)}
        case _:
            return {}


def _place(slot: Slot) -> str:
    return slot.target if slot.target in ("player", "banker") else "burn"


def _ref(slot: Slot) -> str | None:
    """`"P3"`, `"B1"`; a burned card has none."""
    return f"{slot.target[0].upper()}{slot.index}" if slot.target in ("player", "banker") else None


def _slot_name(slot: Slot) -> str:
    return _ref(slot) or f"{slot.target}:{slot.index}"
