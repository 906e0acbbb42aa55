"""What an Angel Eye shoe sends in an evening, and what the intake makes of it in a few words, for the tests."""

from __future__ import annotations

from collections.abc import Iterable

import angel_frames as wire
from angel_frames import BANKER, BURN, FIRST_CARD, PLAYER

from protocols.device_session import Heard
from protocols.events import (
    CardDrawn,
    CardRevealed,
    LogGap,
    ResultReported,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    TableEvent,
    written,
)
from protocols.hidden import Hidden, opened
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.records import DeviceReported, Fact
from protocols.wire.angel_eye import AngelEyeDecoder, Report

Sent = tuple[str, bytes]


def card(code: str, target: int, index: int, value: str = wire.WITHHELD) -> Sent:
    return code, bytes([wire.slot(target, index), wire.value(value)])


def drawn(name: str, value: str = wire.WITHHELD, code: str = "D") -> Sent:
    """`drawn("P1")`."""
    return card(code, PLAYER if name[0] == "P" else BANKER, int(name[1]), value)


def shown(name: str, value: str = "7h") -> Sent:
    return drawn(name, value, "I")


def outside(value: str = wire.WITHHELD) -> Sent:
    return card("d", BURN, 0, value)


def result(code: int) -> Sent:
    return "G", bytes([0x80 | code << 4])


START: Sent = ("S", b"")
STAND_BY: Sent = ("P", b"")
CUT: Sent = ("C", b"")
FIRST = card("D", FIRST_CARD, 0, "2c")
DEAL = [drawn("P1"), drawn("B1"), drawn("P2"), drawn("B2")]
SHOW = [shown("P1", "9s"), shown("B1", "7c"), shown("P2", "Th"), shown("B2", "Jd")]
DEALT = ["draw player P1", "draw banker B1", "draw player P2", "draw banker B2"]
COUP = ["opened", *DEALT]
SHOWN = ["show P1 9s", "show B1 7c", "show P2 Th", "show B2 Jd"]
CLOSED = ["result player", "closed"]


def decode(frames: Iterable[bytes]) -> list[Report]:
    return list(AngelEyeDecoder().feed(b"".join(frames)))


def reports(*sent: Sent, start: int = 0) -> list[Report]:
    return decode(wire.numbered(*sent, start=start))


def taken(intake: AngelEyeIntake, some: Iterable[Report]) -> list[Fact]:
    return [fact for report in some for fact in intake.take(Heard(report))]


def brief(fact: Fact) -> str:
    match fact:
        case CardDrawn():
            value = opened(fact.card) if isinstance(fact.card, Hidden) else fact.card
            marks = [fact.face, "outside" if fact.outside else None, f"moved {fact.moved}" if fact.moved else None]
            return " ".join(str(word) for word in ["draw", fact.to, fact.ref, value, *marks] if word)
        case CardRevealed():
            return f"show {fact.ref} {fact.card}"
        case RoundOpened():
            return "opened" if fact.boxes == () else f"opened {fact.boxes}"
        case RoundClosed():
            return "closed"
        case RoundVoided():
            return f"voided {fact.reason}"
        case ResultReported():
            return f"result {fact.winner}"
        case LogGap():
            return "gap"
        case TableEvent():
            return " ".join(str(value) for key, value in written(fact).items() if key != "seq")
        case DeviceReported():
            words = [f"{key}={value}" for key, value in fact.data.items() if key != "digit"]
            return " ".join([f"[{fact.report}]", *words])
    raise AssertionError(fact)


def started(*sent: Sent) -> list[Report]:
    """The reports after a start report; a further start is numbered 0, as the shoe does."""
    frames: list[bytes] = []
    digit = 0
    for code, payload in [START, *sent]:
        digit = 0 if code == "S" else digit % 9 + 1
        frames.append(wire.frame(digit, code, payload))
    return decode(frames)
