"""Peek or no peek: what a reader's failure means for the table, and when the reader is trusted again.

    peek --(its link is not ready, or it gives up)--> no-peek --(ready again)--> restore pending
      ^                                                  ^                            |
      |                                                  +---------(fails again)------+
      +--(between rounds: a supervisor's word, or by itself where restore = "automatic")

Only this machine writes `reader.faulted` and `reader.restored`; both are events, ordered among the cards. A reader is
out at once, in the middle of a round; it is back only between rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundOpened, TableEvent, told_by_peek
from protocols.orders import PeekArm
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, Ordered

Restore = Literal["supervisor", "automatic"]

READER: Final = "reader"
_OUT: Final[frozenset[LinkState]] = frozenset({"absent", "lost", "refused", "stalled"})
_TRIES: Final = 3
"""Failed readings in one round after which the reader is taken to have failed."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """`faulted`: the table is on no-peek; `ready`: the reader's link is up; `errors`: failed readings in this round."""

    restore: Restore = "supervisor"
    faulted: bool = False
    ready: bool = False
    errors: int = 0

    @property
    def state(self) -> Literal["peek", "no-peek", "restore pending"]:
        if not self.faulted:
            return "peek"
        return "restore pending" if self.ready else "no-peek"

    def after(self, fact: Fact, *, round_open: bool) -> tuple[Fallback, TableEvent | None]:
        """The machine after a fact, and the event that it makes of it; `round_open` once the fact is entered."""
        machine = self._noted(fact)
        reason = machine._failure(fact)
        if reason is not None and not machine.faulted:
            return replace(machine, faulted=True), ReaderFaulted(code=reason)
        if machine.restore == "automatic" and machine.state == "restore pending" and not round_open:
            return replace(machine, faulted=False, errors=0), ReaderRestored()
        return machine, None

    def said(self, event: ReaderFaulted | ReaderRestored, *, round_open: bool) -> Fallback | str:
        """The machine after a supervisor's word, or why it cannot be taken."""
        if isinstance(event, ReaderFaulted):
            return "reader.faulted: the reader is out already" if self.faulted else replace(self, faulted=True)
        if not self.faulted:
            return "reader.restored: the reader is in use"
        if not self.ready:
            return "reader.restored: the reader's link is not up"
        if round_open:
            return "reader.restored: the reader comes back between rounds only"
        return replace(self, faulted=False, errors=0)

    def _noted(self, fact: Fact) -> Fallback:
        match fact:
            case LinkChanged(device="reader"):
                return replace(self, ready=fact.now == "ready")
            case ReaderPeeked() if told_by_peek(fact.result) == "error":
                return replace(self, errors=self.errors + 1)
            case RoundOpened():
                return replace(self, errors=0)
        return self

    def _failure(self, fact: Fact) -> str | None:
        """Why the reader has failed, None where it has not."""
        match fact:
            case LinkChanged(device="reader") if fact.now in _OUT:
                return f"link-{fact.now}"
            case Ordered(device="reader", order=PeekArm.name) if fact.answer != "ok":
                return f"arm-{fact.answer}"
            case DeviceReported(device="reader", report="error", data={"severity": "fault", "code": code}):
                return str(code)
        return "unreadable" if self.errors >= _TRIES else None
