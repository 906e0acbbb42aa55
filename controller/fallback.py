"""Peek or no peek: what a reader's failure means for the table, and when the reader is trusted again.

Peek, no-peek while something has to be mended, and restore pending once all of it is: docs/fallback.md draws every way
between them.

The trial: to be sound for a while, and then to pass the reader's own test. By itself it comes back where restore =
"automatic", unless a supervisor put it out, and where nothing was wrong but that the day's inspection was missing.

Only this machine writes `reader.faulted` and `reader.restored`; both are events, ordered among the cards. A reader is
out at once, in the middle of a round; it is back only between rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, Literal

from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundOpened, TableEvent, told_by_peek
from protocols.orders import PeekArm, SelfTest
from protocols.records import AWAY, DeviceReported, Fact, LinkChanged, LinkState, Ordered, ReaderInspected

Restore = Literal["supervisor", "automatic"]
Trial = Literal["wanted", "asked", "passed", "impossible"]
"""The reader's own test on its way back: not asked for yet, asked for, passed, or none that it could do."""

READER: Final = "reader"
NOT_INSPECTED: Final = "not-inspected"
_OUT: Final[frozenset[LinkState]] = AWAY | {"stalled"}
_NO_TEST: Final = frozenset({"unsupported", "unknown_op"})
_TRIES: Final = 3
"""Failed readings, or peeks refused while one was due, in one round after which the reader is taken to have failed."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """`cause`: why the table is on no-peek, None while it is not; `ready`: the reader's link is up; `stale`: what it
    told last is too old; `errors`, `refused`: failed readings and refused peeks in this round; `standing`: the codes
    of its faults that were not cleared since; `doubted`: a supervisor put it out; `inspected`: as far as is wanted."""

    restore: Restore = "supervisor"
    cause: str | None = None
    ready: bool = False
    stale: bool = False
    errors: int = 0
    refused: int = 0
    standing: frozenset[str] = frozenset()
    doubted: bool = False
    inspected: bool = True
    trial: Trial = "wanted"

    @property
    def faulted(self) -> bool:
        return self.cause is not None

    @property
    def state(self) -> Literal["peek", "no-peek", "restore pending"]:
        if not self.faulted:
            return "peek"
        return "no-peek" if self._objection else "restore pending"

    @property
    def on_trial(self) -> bool:
        """Whether it has to be sound for a while now, and then to pass its test."""
        return self.state == "restore pending" and self.trial in ("wanted", "asked")

    @property
    def returns_by_itself(self) -> bool:
        """Whether it comes back without a further word, once its trial is passed."""
        return (self.restore == "automatic" and not self.doubted) or self.cause == NOT_INSPECTED

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
        back = machine.state == "restore pending" and machine.trial == "passed" and machine.returns_by_itself
        if back and not round_open:
            return machine._back(), ReaderRestored()
        return machine, None

    def out(self, reason: str) -> tuple[Fallback, TableEvent | None]:
        """The machine once the reader has failed for this reason, and the event, unless it is out already."""
        if self.faulted:
            return self, None
        return replace(self, cause=reason, trial="wanted"), ReaderFaulted(code=reason or None)

    def overdue(self) -> tuple[Fallback, TableEvent | None]:
        """The machine once the inspection holds no longer, and the event, unless it is out already."""
        return replace(self, inspected=False).out(NOT_INSPECTED)

    def asked_to_test(self) -> Fallback:
        """The machine once the reader was told to test itself on its way back."""
        return replace(self, trial="asked")

    def said(self, event: ReaderFaulted | ReaderRestored, *, round_open: bool) -> Fallback | str:
        """The machine after a supervisor's word, or why it cannot be taken."""
        if isinstance(event, ReaderFaulted):
            if self.faulted:
                return "reader.faulted: the reader is out already"
            return replace(self.out("")[0], doubted=True)
        if not self.faulted:
            return "reader.restored: the reader is in use"
        if self._objection:
            return f"reader.restored: {self._objection}"
        if round_open:
            return "reader.restored: the reader comes back between rounds only"
        if self.on_trial:
            return "reader.restored: the reader has first to be sound for a while and then to pass its own test"
        return self._back()

    @property
    def _objection(self) -> str | None:
        """What has to be mended before the reader can come back, None where nothing has."""
        if not self.ready:
            return "the reader's link is not up"
        if self.stale:
            return "the reader tells nothing new"
        if self.standing:
            return f"the reader's fault {', '.join(sorted(self.standing))} is not cleared"
        return None if self.inspected else "the reader was not inspected on this gaming day"

    def _back(self) -> Fallback:
        return Fallback(self.restore, ready=self.ready)

    def _noted(self, fact: Fact, *, armed: bool) -> Fallback:
        match fact:
            case LinkChanged(device="reader"):
                return replace(self, ready=fact.now == "ready", trial="wanted")
            case ReaderPeeked() if told_by_peek(fact.result) == "error":
                return replace(self, errors=self.errors + 1)
            case RoundOpened():
                return replace(self, errors=0, refused=0)
            case ReaderInspected():
                return replace(self, inspected=True, trial="wanted")
            case Ordered(device="reader", order=SelfTest.name) if self.trial == "asked" and fact.answer in _NO_TEST:
                return replace(self, trial="impossible")
            case DeviceReported(device="reader"):
                return self._reported(fact, armed=armed)
        return self

    def _reported(self, fact: DeviceReported, *, armed: bool) -> Fallback:
        match fact:
            case DeviceReported(report="error", data={"severity": "fault", "code": code}):
                return replace(self, standing=self.standing | {str(code)}, trial="wanted")
            case DeviceReported(report="error-cleared", data={"code": code}):
                return replace(self, standing=self.standing - {str(code)})
            case DeviceReported(report="boot"):
                return replace(self, standing=frozenset(), trial="wanted")
            case DeviceReported(report="self-test", data={"result": result}):
                return replace(self, trial="passed" if self.trial == "asked" and result == 0 else "wanted")
            case DeviceReported(report="peek-refused") if armed:
                return replace(self, refused=self.refused + 1)
            case DeviceReported(report="stale" | "fresh" as news):
                return replace(self, stale=news == "stale", trial="wanted")
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
            case DeviceReported(device="reader", report="stale"):
                return "stale"
        if self.refused >= _TRIES:
            return "peek-refused"
        return "unreadable" if self.errors >= _TRIES else None
