"""What the facts of an Angel Eye shoe add up to: the coup, the surplus card, the load.

Live and after a restart the state is the same fold over the same facts, so that the journal is all it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from protocols.events import (
    CardDrawn,
    CardRevealed,
    CutCardReached,
    ResultReported,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeFaulted,
    ShoeLoaded,
    ShoeRestored,
)
from protocols.records import DeviceReported, Fact

SURPLUS: Final = "x"
"""The ref of a card drawn outside a coup."""


def code_of(error: int) -> str:
    """`angel-4`"""
    return f"angel-{error}"


@dataclass(frozen=True, slots=True)
class Coup:
    """An open coup: the refs that are `filled`, those of them whose value the shoe `told`, `over` after the result."""

    filled: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    over: bool = False

    @property
    def complete(self) -> bool:
        return self.over and self.filled <= self.told


@dataclass(frozen=True, slots=True)
class Surplus:
    """The last card drawn outside while it is neither shown nor dealt: its number in its round.

    `carried`: that round has ended."""

    draw: int
    told: bool
    carried: bool = False


@dataclass(frozen=True, slots=True)
class ShoeState:
    """`draws` counts the cards since the last coup ended; `untouched`: loaded, and no coup or cutting card since;
    `stopped_by`: the codes of the errors that stop it and were not cleared since."""

    coup: Coup | None = None
    draws: int = 0
    surplus: Surplus | None = None
    untouched: bool = False
    stopped_by: frozenset[str] = frozenset()

    @property
    def takeable(self) -> Surplus | None:
        """The surplus card if `moved` can name it: a number of this round hides the same number of the one before."""
        surplus = self.surplus
        return None if surplus and surplus.carried and surplus.draw <= self.draws else surplus


def after(state: ShoeState, facts: Iterable[Fact]) -> ShoeState:
    """The state once these facts have happened."""
    return reduce(_step, facts, state)


def _step(state: ShoeState, fact: Fact) -> ShoeState:
    match fact:
        case ShoeLoaded():
            return replace(state, untouched=True, surplus=None)
        case CutCardReached():
            return replace(state, untouched=False)
        case RoundOpened():
            return replace(state, untouched=False, coup=Coup())
        case CardDrawn():
            return _drawn(state, fact)
        case CardRevealed(ref=ref) | DeviceReported(report="reveal", data={"ref": ref}):
            return _revealed(state, ref)
        case ResultReported() if state.coup:
            return replace(state, coup=replace(state.coup, over=True))
        case RoundClosed() | RoundVoided():
            return replace(state, coup=None, draws=0, surplus=_carried(state.surplus))
        case _:
            return replace(state, stopped_by=_stopped_by(state.stopped_by, fact))


def _stopped_by(codes: frozenset[str], fact: Fact) -> frozenset[str]:
    match fact:
        case ShoeFaulted(code=str() as code):
            return codes | {code}
        case ShoeRestored():
            return frozenset()
        case DeviceReported(report="error-cleared", data={"error": int() as error}):
            return codes - {code_of(error)}
        case _:
            return codes


def _drawn(state: ShoeState, draw: CardDrawn) -> ShoeState:
    told = draw.card is not None
    if draw.moved is not None:
        told = told or (state.surplus is not None and state.surplus.told)
        return replace(state, surplus=None, coup=_filled(state.coup, draw.ref, told))
    number = state.draws + 1
    if draw.outside:
        return replace(state, draws=number, surplus=Surplus(number, told))
    return replace(state, draws=number, coup=_filled(state.coup, draw.ref, told))


def _filled(coup: Coup | None, ref: str | None, told: bool) -> Coup | None:
    if coup is None or ref is None:
        return coup
    return replace(coup, filled=coup.filled | {ref}, told=coup.told | ({ref} if told else set()))


def _revealed(state: ShoeState, ref: str | None) -> ShoeState:
    if ref == SURPLUS:
        return replace(state, surplus=None)
    coup = state.coup and replace(state.coup, told=state.coup.told | {str(ref)})
    return replace(state, coup=coup)


def _carried(surplus: Surplus | None) -> Surplus | None:
    """A `moved` reaches no further back than the round before."""
    return None if surplus is None or surplus.carried else replace(surplus, carried=True)
