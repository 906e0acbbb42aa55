"""Rounds as a table log, whatever the game, with what the check must say of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

from protocols.events import Event, LogHeader, Observed
from simulators.rounds import Round

A = TypeVar("A")


class HouseRules(Protocol):
    """By what a table deals."""

    @property
    def procedure(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Expected:
    """A violation that the check must report: `event` counts from 1, the header not counted."""

    event: int
    code: str


@dataclass(frozen=True, slots=True)
class DealtLog:
    """A table log and all the violations in it."""

    header: LogHeader
    events: tuple[Event, ...]
    expected: tuple[Expected, ...]


def header_of(rules: HouseRules, observes: Sequence[Observed] | None, uncounted: int | None = None) -> LogHeader:
    """The first line of a log; `uncounted` rounds were dealt since the last count of the stub, None: not told."""
    return LogHeader(
        procedure=rules.procedure,
        options=dict(rules.options),
        rounds_since_stub_count=uncounted,
        observes=None if observes is None else tuple(observes),
    )


def log_of(
    header: LogHeader,
    rounds: Iterable[Round[A]],
    tellable: Collection[Enum],
    teller: Callable[[], Callable[[A], Iterable[Event]]],
) -> DealtLog:
    """The log of `rounds`; `teller` gives what tells the events of each act of one round.

    ValueError where a round has a misdeal that is not `tellable`."""
    events, expected = list[Event](), list[Expected]()
    for dealt in rounds:
        if dealt.misdeal and dealt.misdeal not in tellable:
            raise ValueError(f"{dealt.misdeal.name} does not show in a table log of these inputs")
        tell = teller()
        for number, act in enumerate(dealt.acts):
            events.extend(tell(act))
            if number == dealt.blamed and dealt.code:
                expected.append(Expected(len(events), dealt.code))
    return DealtLog(header, tuple(events), tuple(expected))
