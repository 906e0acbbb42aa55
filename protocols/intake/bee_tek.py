"""A Bee-Tek shoe's reports to table events: cards without a place, and the gaps that nothing rules out.

The shoe numbers nothing. After a start of the daemon, a lost line or characters that are no frame, a card may have been
missed; between them nothing tells."""

from __future__ import annotations

from collections.abc import Iterator

from protocols.device_session import Heard
from protocols.events import CardDrawn, LogGap
from protocols.line_session import Returned
from protocols.orders import Order
from protocols.records import DeviceReported, Fact
from protocols.wire.bee_tek import AlarmRaised, CardRead, Garbled, Report, UnknownFrame, Warned


class BeeTekIntake:
    """Takes every report of one shoe, in the order of its line. Values are hidden: nobody knows here how a card
    lies."""

    def __init__(self, device: str = "shoe") -> None:
        self._device = device
        self._missed: str | None = "daemon started"
        self._mode: str | None = None

    def take(self, heard: Heard[Report | Returned]) -> tuple[Fact, ...]:
        """What one report becomes, in order; a gap stands before the first report that can be read again."""
        match heard.report:
            case Returned():
                self._missed = self._missed or "link lost"
                return ()
            case Garbled():
                self._missed = self._missed or "characters that are no report"
                return ()
            case report:
                return (*self._gap(), *self._said(report))

    def has_done(self, order: Order) -> bool:  # noqa: ARG002 (it takes none)
        """This shoe takes no orders."""
        return False

    def _gap(self) -> Iterator[Fact]:
        if self._missed is not None:
            yield LogGap(reason=self._missed)
            self._missed = None

    def _said(self, report: CardRead | AlarmRaised | Warned | UnknownFrame) -> Iterator[Fact]:
        match report:
            case CardRead(mode, card):
                yield from self._in_mode(mode)
                yield CardDrawn(card=card)
            case AlarmRaised(code, text):
                yield DeviceReported(self._device, "alarm", {"code": code, "text": text})
            case Warned(code):
                yield DeviceReported(self._device, "warning", {"code": code})
            case UnknownFrame(length):
                yield DeviceReported(self._device, "unknown", {"bytes": length})

    def _in_mode(self, mode: str) -> Iterator[Fact]:
        if mode != self._mode:
            self._mode = mode
            yield DeviceReported(self._device, "mode", {"mode": mode})
