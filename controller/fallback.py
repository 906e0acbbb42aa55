"""Peek or no peek: what a reader's failure means for the table, and when the reader is trusted again.

    peek --(link not ready, or the reader gives up)--> no-peek --(ready again)--> restore pending
      ^                                                   ^                            |
      |                                                   +---------(fails again)------+
      +--(between rounds: a supervisor's word, or by itself where restore = "automatic")

Only this machine writes `reader.faulted` and `reader.restored`; both are events, ordered among the cards. A reader is
out at once, in the middle of a round; it is back only between rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

from protocols.events import ReaderFaulted, ReaderPeeked, ReaderRestored, RoundOpened, TableEvent
from protocols.records import Fact, LinkChanged, LinkState

Restore = Literal["supervisor", "automatic"]

READER: Final = "reader"
_OUT: Final[frozenset[LinkState]] = frozenset({"absent", "lost", "refused", "stalled"})
_TRIES: Final = 3
"""Failed readings in one round after which the reader is taken to have failed."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """`faulted`: the table is on no-peek; `ready`: the reader's link is up; `wanted`: a supervisor wants it back;
    `errors`: failed readings in this round."""

    restore: Restore = "supervisor"
    faulted: bool = False
    ready: bool = False
    wanted: bool = False
    errors: int = 0

    @property
    def state(self) -> Literal["peek", "no-peek", "restore pending"]:
        if not self.faulted:
            return "peek"
        return "restore pending" if self.ready else "no-peek"

    def after(self, fact: Fact, *, round_open: bool) -> tuple[Fallback, tuple[TableEvent, ...]]:
        """The machine after a fact, and the events that it makes of it; `round_open` once the fact is entered."""
        machine = self._noted(fact)
        if isinstance(fact, LinkChanged) and fact.device == READER and fact.now in _OUT:
            return machine._fail(f"link-{fact.now}")
        if machine.errors >= _TRIES and not machine.faulted:
            return machine._fail("unreadable")
        return machine._return() if machine._may_return and not round_open else (machine, ())

    def put_out(self) -> tuple[Fallback, tuple[TableEvent, ...]]:
        """A supervisor does not trust the reader."""
        return self._fail("supervisor")

    def want_back(self, *, round_open: bool) -> tuple[Fallback, tuple[TableEvent, ...]]:
        """A supervisor trusts the reader again: at once between rounds, else when this one ends."""
        machine = replace(self, wanted=True)
        return machine._return() if machine._may_return and not round_open else (machine, ())

    def objection(self) -> str | None:
        """Why the reader cannot be restored, None where it can."""
        if not self.faulted:
            return "the reader is in use"
        return None if self.ready else "the reader's link is not up"

    @property
    def _may_return(self) -> bool:
        return self.faulted and self.ready and (self.wanted or self.restore == "automatic")

    def _noted(self, fact: Fact) -> Fallback:
        match fact:
            case LinkChanged(device="reader"):
                return replace(self, ready=fact.now == "ready")
            case ReaderPeeked(result="error"):
                return replace(self, errors=self.errors + 1)
            case RoundOpened():
                return replace(self, errors=0)
        return self

    def _fail(self, code: str) -> tuple[Fallback, tuple[TableEvent, ...]]:
        failed = replace(self, faulted=True, wanted=False)
        return failed, () if self.faulted else (ReaderFaulted(code=code),)

    def _return(self) -> tuple[Fallback, tuple[TableEvent, ...]]:
        return replace(self, faulted=False, wanted=False, errors=0), (ReaderRestored(),)
