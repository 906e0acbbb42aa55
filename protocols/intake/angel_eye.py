"""An Angel Eye shoe's reports to table events: rounds, refs, gaps, repeats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from protocols.device_session import Heard
from protocols.events import (
    CardDrawn,
    CardRevealed,
    LogGap,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeLoaded,
    ShoeRestored,
    TableEvent,
)
from protocols.intake.angel_said import noted, said_by
from protocols.intake.angel_state import SURPLUS, ShoeState, after
from protocols.line_session import Returned
from protocols.orders import Order
from protocols.records import DeviceReported, Fact
from protocols.wire.angel_eye import (
    Drawn,
    ErrorCleared,
    Report,
    ResultGiven,
    Retransmitted,
    Revealed,
    Started,
    SurplusRevealed,
    UnknownReport,
)

_SHORT_AWAY_NS: Final = 2_000_000_000


class AngelEyeIntake:
    """Takes every report of one shoe, repeats included, in the order of its line.

    Facts made from a report carry its digit: table events as `seq`, device records as `data["digit"]`."""

    def __init__(self, device: str = "shoe") -> None:
        self._device = device
        self._state = ShoeState()
        self._last: Report | None = None
        self._resumed: tuple[Fact, ...] = ()
        self._away_long = False

    def resume(self, facts: Sequence[Fact]) -> None:
        """Go on, once, before the first report, where a journal ends: the facts of this round and the one before."""
        self._state = after(self._state, facts)
        numbered = [fact for fact in facts if _digit(fact) is not None]
        self._resumed = tuple(takewhile(lambda fact: _digit(fact) == _digit(numbered[-1]), reversed(numbered)))

    def take(self, heard: Heard[Report | Returned]) -> tuple[Fact, ...]:
        """What one report becomes, in order; nothing for a repeat."""
        match heard.report:
            case Returned(away):
                self._away_long |= away >= _SHORT_AWAY_NS
                return ()
            case report:
                return () if self._is_repeat(report) else self._taken(report)

    def has_done(self, order: Order) -> bool:  # noqa: ARG002 (it can be asked again)
        """This shoe refuses no order for having carried it out."""
        return False

    def _taken(self, report: Report) -> tuple[Fact, ...]:
        missed = self._missed(report)
        facts = _facts(self._state, report, missed, self._device)
        self._state = after(self._state, facts)
        self._last = report
        self._away_long = False
        return facts

    def _is_repeat(self, report: Report) -> bool:
        """Before the first report after a start of the daemon the journal's last facts stand for the one before.

        A start of the shoe is then always news: two of them differ in nothing."""
        if self._last is not None:
            return report.frame == self._last.frame
        if isinstance(report, Started):
            return False
        return any(_says_the_same(fact, report, self._device) for fact in self._resumed)

    def _missed(self, report: Report) -> str | None:
        """Why something may have been missed before this report; None where nothing was."""
        if self._last is None:
            nothing_open = isinstance(report, Started) and self._state.coup is None
            return None if nothing_open else "daemon started"
        if self._away_long:
            return "link lost"
        if _follows(self._last.digit, report):
            return None
        return f"report {report.digit} came after {self._last.digit}"


def _follows(last: int, report: Report) -> bool:
    """The same digit with other bytes counts as following: it tells nothing of a loss."""
    begins_anew = isinstance(report, Started) and report.digit == 0
    return begins_anew or report.digit in (last, last % 9 + 1)


def _facts(state: ShoeState, report: Report, missed: str | None, device: str) -> tuple[Fact, ...]:
    before: list[Fact] = [LogGap(reason=missed)] if missed else []
    if state.coup and state.coup.over and not isinstance(report, Revealed):
        before.append(RoundClosed())
    now = _becomes(after(state, before), report, device)
    if missed:
        now = tuple(fact for fact in now if not isinstance(fact, LogGap))
    facts = (*before, *now)
    ended = after(state, facts).coup
    return _numbered((*facts, RoundClosed()) if ended and ended.complete else facts, report.digit)


def _becomes(state: ShoeState, report: Report, device: str) -> tuple[Fact, ...]:
    """What the report becomes where nothing was missed before it."""
    said = said_by(report, device)
    match report, said:
        case Drawn(), CardDrawn():
            return _dealt(state, said)
        case Retransmitted(), CardDrawn() if _unfilled(state, said):
            return _dealt_late(state, said)
        case ((Revealed() | SurplusRevealed()), CardRevealed()) if _lies_there(state, said):
            return (said,)
        case ((Retransmitted() | Revealed() | SurplusRevealed()), _):
            return (noted(report, device),)
        case ResultGiven(), RoundVoided() if state.coup is None:
            return (noted(report, device),)
        case ErrorCleared(), ShoeRestored(code=code) if state.stopped_by - {code}:
            return (noted(report, device),)
        case UnknownReport(code="D" | "d" | "R"), _:
            return LogGap(reason="a draw that cannot be read"), said
        case _:
            return (said,)


def _dealt(state: ShoeState, draw: CardDrawn) -> tuple[Fact, ...]:
    if draw.ref is None:
        loaded = draw.face == "up" and state.coup is None and not state.untouched
        return (ShoeLoaded(), draw) if loaded else (draw,)
    if _unfilled(state, draw):
        return (*_opening(state, draw), draw)
    restart = (LogGap(reason="coup restarted"), RoundVoided(reason="restarted"))
    return (*restart, *_opening(after(state, restart), draw), draw)


def _dealt_late(state: ShoeState, draw: CardDrawn) -> tuple[Fact, ...]:
    opening = _opening(state, draw)
    if state.takeable:
        return (*opening, draw.model_copy(update={"moved": state.takeable.draw}))
    return (LogGap(reason="only retransmitted"), *opening, draw)


def _opening(state: ShoeState, draw: CardDrawn) -> tuple[Fact, ...]:
    return (RoundOpened(boxes=()),) if draw.ref == "P1" and state.coup is None else ()


def _unfilled(state: ShoeState, draw: CardDrawn) -> bool:
    return draw.ref is not None and (state.coup is None or draw.ref not in state.coup.filled)


def _lies_there(state: ShoeState, reveal: CardRevealed) -> bool:
    """Whether the shoe drew the card: for the coup that is open, or outside in this round or the one before."""
    if reveal.ref == SURPLUS:
        return state.surplus is not None
    return state.coup is not None and reveal.ref in state.coup.filled


def _numbered(facts: Sequence[Fact], digit: int) -> tuple[Fact, ...]:
    return tuple(fact.model_copy(update={"seq": digit}) if isinstance(fact, TableEvent) else fact for fact in facts)


def _digit(fact: Fact) -> int | None:
    match fact:
        case TableEvent():
            return fact.seq
        case DeviceReported():
            digit: int | None = fact.data.get("digit")
            return digit
        case _:
            return None


def _says_the_same(fact: Fact, report: Report, device: str) -> bool:
    """Whether a journaled fact may have been made from a repeat of this report; a card's value is not compared, nor
    its face, which people may have told."""
    said = said_by(report, device)
    if isinstance(fact, TableEvent) and isinstance(said, TableEvent):
        return fact.seq == report.digit and _gist(fact) == _gist(said)
    return fact == noted(report, device)


def _gist(event: TableEvent) -> dict[str, Any]:
    return event.model_dump(exclude={"t", "seq", "actor", "manual", "card", "face", "moved"})
