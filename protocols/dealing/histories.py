"""The histories that may all be true where a table does not observe everything: which of them an event leaves, and
what is told of it. Pure.

A history is a state; the first one, the leading, supposes least. Face-down cards are compared by identity, so that no
value decides what remains. A history lives as long as one reading of each event breaks no rule in it. Once none does,
what happened is a violation: of those broken the rule that comes first in the order of precedence, and the histories
that break it are gone on from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from protocols.dealing.frozen import derived, replace
from protocols.dealing.rules.finding import Finding, Moment
from protocols.dealing.table import State
from protocols.verdicts import Outcome

MOST: Final = 256
"""So many histories are carried at most."""

_BY_WEIGHT: Final[tuple[Outcome, ...]] = ("violation", "warning", "unobservable")


@dataclass(frozen=True)
class Answer:
    """What the rules say of an event on one reading of it: their objections with their codes, by precedence."""

    moment: Moment
    objections: tuple[tuple[str, Finding], ...]

    @derived("objections")
    def first(self) -> tuple[str, Finding] | None:
        """The first violation, else the first warning, else what cannot be judged."""
        if not self.objections:
            return None
        by_weight = ((code, finding) for outcome in _BY_WEIGHT for code, finding in self._with(outcome))
        return next(by_weight, None)

    @property
    def outcome(self) -> Outcome:
        return self.first[1].outcome if self.first else "ok"

    @derived("objections")
    def breach(self) -> str | None:
        """The code of the first violation."""
        return next((code for code, _ in self._with("violation")), None)

    def _with(self, outcome: Outcome) -> Iterable[tuple[str, Finding]]:
        return (item for item in self.objections if item[1].outcome == outcome)


@dataclass(frozen=True, slots=True)
class Told:
    """The answers that remain, the leading first, and the objection that the verdict tells."""

    left: tuple[Answer, ...]
    objection: tuple[str, Finding] | None


def settled(answers: Sequence[Sequence[Answer]]) -> Told:
    """What remains of some histories, given the answers on each reading of the event in each of them.

    Where the reading that supposes least is broken and another is not, or a warning does not hold on all, nobody can
    judge the event."""
    every = [answer for readings in answers for answer in readings]
    if len(every) == 1:
        return Told((every[0],), every[0].first)
    left = tuple(answer for answer in every if answer.breach is None)
    if not left:
        return _broken(every)
    told = every[0]
    sure = told.outcome != "violation" and (told.outcome != "warning" or all(it.outcome == "warning" for it in left))
    return Told(left, told.first if sure else _doubtful(told.first))


def _broken(answers: Sequence[Answer]) -> Told:
    order = [rule.code for rule in answers[0].moment.setting.game.rules]
    code = min((answer.breach or "" for answer in answers), key=order.index)
    left = tuple(answer for answer in answers if answer.breach == code)
    return Told(left, left[0].first)


def _doubtful(objection: tuple[str, Finding] | None) -> tuple[str, Finding] | None:
    return (objection[0], replace(objection[1], outcome="unobservable")) if objection else None


def merged(states: Iterable[State]) -> tuple[State, ...]:
    """Each history once. A round that is over is as the leading history has it; where too many are left in the open
    one, only the leading is gone on with and the round is not judged any more."""
    left = list(states)
    if len(left) == 1:
        return (left[0],)
    previous = left[0].previous
    left = list(dict.fromkeys(replace(state, previous=previous) for state in left))
    if len(left) <= MOST:
        return tuple(left)
    return (replace(left[0], round=replace(left[0].round, disputed=True, manifold=True)),)
