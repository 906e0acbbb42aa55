"""Which events are in flight: at most eight, go-back-N, sent again until they are acknowledged."""

from __future__ import annotations

from typing import Final

_IN_FLIGHT: Final = 8
_FIRST_RTO_S: Final = 0.25
_GROWTH: Final = 1.5
_LAST_RTO_S: Final = 2.0


class Window:
    """Closed until the host has said from where on it wants the events. `acknowledged`: all up to this number are
    stored, which only the host can say; `resend_at`: when those in flight are sent again."""

    def __init__(self, acknowledged: int) -> None:
        self.acknowledged = acknowledged
        self.resend_at: float | None = None
        self._is_open = False
        self._before = acknowledged
        self._next = acknowledged + 1
        self._rto_s = _FIRST_RTO_S

    def open_at(self, number: int) -> None:
        """The host wants the events from this one on; those before it may be on its way to the disk."""
        self._is_open, self._next, self._before = True, number, number - 1
        self.resend_at, self._rto_s = None, _FIRST_RTO_S

    def close(self) -> None:
        """Nothing is sent any more."""
        self._is_open, self.resend_at = False, None

    def acknowledge(self, number: int, last: int, now: float) -> bool:
        """Everything up to this event is stored; False for an event that does not exist."""
        if number > last:
            return False
        self.acknowledged = max(self.acknowledged, number)
        if number > self._before:
            self._before = number
            self._next = max(self._next, number + 1)
            self._rto_s = _FIRST_RTO_S
            self.resend_at = now + self._rto_s if self._next > number + 1 else None
        return True

    def due(self, last: int, now: float) -> range:
        """The numbers of the events to send now, out of those up to `last`."""
        if not self._is_open:
            return range(0)
        numbers = range(self._next, min(last, self._before + _IN_FLIGHT) + 1)
        if numbers:
            self._next = numbers.stop
            self.resend_at = self.resend_at or now + self._rto_s
        return numbers

    def is_overdue(self, now: float) -> bool:
        """Whether an acknowledgement is waited for too long."""
        return self.resend_at is not None and now >= self.resend_at

    def back_off(self) -> None:
        """Go back to the first that is not acknowledged, and wait longer for its acknowledgement."""
        self._next = self._before + 1
        self._rto_s = min(self._rto_s * _GROWTH, _LAST_RTO_S)
        self.resend_at = None
