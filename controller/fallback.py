"""Peek or no peek: what a reader's failure means for the table, and when the reader is trusted again.

    peek --(link not ready, an error that stands, it gives up)--> no-peek --(link up, no error)--> restore pending
      ^                                                              ^                               |
      |                                                              +---------(fails again)---------+
      +--(between rounds: a supervisor's word; or by itself where restore = "automatic", once it has been
          sound for a while and then passed its own test)

Only this machine writes `reader.faulted` and `reader.restored`; both are events, ordered among the cards. A reader is
out at once, in the middle of a round; it is back only between rounds. One that a supervisor put out comes back by a
supervisor's word only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, Literal

from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundOpened, TableEvent, told_by_peek
from protocols.orders import PeekArm
from protocols.records import DeviceReported, Fact, LinkChanged, LinkState, Ordered

Restore = Literal["supervisor", "automatic"]

READER: Final = "reader"
_OUT: Final[frozenset[LinkState]] = frozenset({"absent", "lost", "refused", "stalled"})
_TRIES: Final = 3
"""Failed readings, or peeks refused while one was due, in one round after which the reader is taken to have failed."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """`faulted`: the table is on no-peek; `ready`: the reader's link is up; `errors`, `refused`: failed readings and
    refused peeks in this round; `standing`: the codes of its faults that were not cleared since; `doubted`: a
    supervisor put it out; `testing`, `passed`: its test on the way back was asked for, and passed."""

    restore: Restore = "supervisor"
    faulted: bool = False
    ready: bool = False
    errors: int = 0
    refused: int = 0
    standing: frozenset[str] = frozenset()
    doubted: bool = False
    testing: bool = False
    passed: bool = False

    @property
    def state(self) -> Literal["peek", "no-peek", "restore pending"]:
        if not self.faulted:
            return "peek"
        return "restore pending" if self.ready and not self.standing else "no-peek"

    @property
    def may_return(self) -> bool:
        """Whether it comes back by itself if it stays as it is and passes its test."""
        return self.restore == "automatic" and self.state == "restore pending" and not self.doubted

    def recall(self, facts: Iterable[Fact]) -> Fallback:
        """The machine with what a journal holds of the reader."""
        return reduce(lambda machine, fact: machine._noted(fact, armed=False), facts, self)

    def after(self, fact: Fact, *, round_open: bool, armed: bool = False) -> tuple[Fallback, TableEvent | None]:
        """The machine after a fact, and the event that it makes of it; `round_open` once the fact is entered,
        `armed`: the reader was to answer when it came."""
        machine = self._noted(fact, armed=armed)
        reason = machine._failure(fact)
        if reason is not None and not machine.faulted:
            return machine.out(reason)
        if machine.may_return and machine.passed and not round_open:
            return machine._back(), ReaderRestored()
        return machine, None

    def out(self, reason: str) -> tuple[Fallback, TableEvent | None]:
        """The machine once the reader has failed for this reason, and the event, unless it is out already."""
        if self.faulted:
            return self, None
        return replace(self, faulted=True, testing=False, passed=False), ReaderFaulted(code=reason)

    def asked_to_test(self) -> Fallback:
        """The machine once the reader was told to test itself on its way back."""
        return replace(self, testing=True)

    def said(self, event: ReaderFaulted | ReaderRestored, *, round_open: bool) -> Fallback | str:
        """The machine after a supervisor's word, or why it cannot be taken."""
        if isinstance(event, ReaderFaulted):
            if self.faulted:
                return "reader.faulted: the reader is out already"
            return replace(self.out("")[0], doubted=True)
        if not self.faulted:
            return "reader.restored: the reader is in use"
        if not self.ready:
            return "reader.restored: the reader's link is not up"
        if self.standing:
            return f"reader.restored: the reader's fault {', '.join(sorted(self.standing))} is not cleared"
        if round_open:
            return "reader.restored: the reader comes back between rounds only"
        return self._back()

    def _back(self) -> Fallback:
        return Fallback(self.restore, ready=self.ready)

    def _noted(self, fact: Fact, *, armed: bool) -> Fallback:
        match fact:
            case LinkChanged(device="reader"):
                return replace(self, ready=fact.now == "ready", testing=False, passed=False)
            case ReaderPeeked() if told_by_peek(fact.result) == "error":
                return replace(self, errors=self.errors + 1)
            case RoundOpened():
                return replace(self, errors=0, refused=0)
            case DeviceReported(device="reader"):
                return self._reported(fact, armed=armed)
        return self

    def _reported(self, fact: DeviceReported, *, armed: bool) -> Fallback:
        match fact:
            case DeviceReported(report="error", data={"severity": "fault", "code": code}):
                return replace(self, standing=self.standing | {str(code)}, testing=False, passed=False)
            case DeviceReported(report="error-cleared", data={"code": code}):
                return replace(self, standing=self.standing - {str(code)})
            case DeviceReported(report="boot"):
                return replace(self, standing=frozenset(), testing=False, passed=False)
            case DeviceReported(report="self-test", data={"result": result}):
                return replace(self, passed=self.testing and result == 0, testing=False)
            case DeviceReported(report="peek-refused") if armed:
                return replace(self, refused=self.refused + 1)
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
            case DeviceReported(device="reader", report="self-test", data={"result": result}) if result != 0:
                return "self-test"
        if self.refused >= _TRIES:
            return "peek-refused"
        return "unreadable" if self.errors >= _TRIES else None
