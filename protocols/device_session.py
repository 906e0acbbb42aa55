"""What a session with a device hands out: to be sent, to be taken in, to be told. Times are the monotonic clock in ns.

The session is pure; whoever holds the line carries this out, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar

from protocols.orders import Answer
from protocols.records import LossKind, SecurityNoted

R_co = TypeVar("R_co", covariant=True)

NEVER: Final = 2**63 - 1
"""The deadline of a session in which nothing is due."""


@dataclass(frozen=True, slots=True)
class Send:
    """Bytes for the line."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Heard(Generic[R_co]):
    """A report. `number`: what to acknowledge once it is on disk, None where nothing is; `replayed`: it is told late,
    while the device catches up; `age_ns`: how long ago it happened by the device's clock, None where not known."""

    report: R_co
    number: int | None = None
    replayed: bool = False
    age_ns: int | None = None

    @property
    def age_s(self) -> float | None:
        """The same in seconds, to a tenth."""
        return None if self.age_ns is None else round(self.age_ns * 1e-9, 1)


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the command `cid`."""

    cid: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class LinkIs:
    """The state of a line that is open."""

    state: Literal["handshake", "ready", "stalled"]


@dataclass(frozen=True, slots=True)
class Ended:
    """The line is of no more use: `kind` says why, `denied` that a person has to mend it. Not again before `again`."""

    kind: LossKind
    detail: str
    again: int


Output = Send | Heard[R_co] | Answered | LinkIs | SecurityNoted | Ended
