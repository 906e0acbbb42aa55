"""What the facts of a TDL/1 device add up to: where it stands, what it is committed to, what it is armed for.

Live and after a restart the state is the same fold over the same facts, so that the journal is all it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from protocols.events import CardDrawn, ReaderPeeked, TableEvent
from protocols.records import DeviceReported, Fact
from protocols.wire.tdl.errors import STOPPING
from protocols.wire.tdl.position import Position


@dataclass(frozen=True, slots=True)
class DeviceState:
    """`position`: the last event that became a fact, None before the first. `shoe`, `draw`: of the last card, 0 before
    it. `commits`: by ref, to the withheld values of this load. `armed`: the round that the reader waits for a peek of.
    `standing`: what its last status said, as far as a change of it is news. `stopped_by`: the codes of the errors that
    stop it and were not cleared since. `settings`: the digest that it attested last, None where an event told of a
    change since."""

    position: Position | None = None
    shoe: int = 0
    draw: int = 0
    commits: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    armed: int | None = None
    standing: Mapping[str, Any] | None = None
    stopped_by: frozenset[str] = frozenset()
    settings: bytes | None = None

    def has_drawn(self, shoe: int, draw: int) -> bool:
        """Whether this card left the shoe in this load."""
        return shoe == self.shoe and 1 <= draw <= self.draw


def after(state: DeviceState, facts: Iterable[Fact], device: str) -> DeviceState:
    """The state once these facts have happened; those of other devices and of people change nothing."""
    return reduce(partial(_step, device=device), facts, state)


def _step(state: DeviceState, fact: Fact, device: str) -> DeviceState:
    match fact:
        case TableEvent(actor=actor, seq=int() as eseq) if actor == device:
            return _happened(replace(state, position=Position(eseq)), fact)
        case DeviceReported() if fact.device == device:
            return _reported(state, fact.report, fact.data)
        case _:
            return state


def _happened(state: DeviceState, event: TableEvent) -> DeviceState:
    match event:
        case CardDrawn(ref=str() as ref):
            return _drawn(state, ref)
        case ReaderPeeked():
            return replace(state, armed=None)
        case _:
            return state


def _drawn(state: DeviceState, ref: str) -> DeviceState:
    """The state once it has told of this card, which it may have told before."""
    shoe, draw = (int(part) for part in ref.split("/"))
    if shoe != state.shoe:
        return replace(state, shoe=shoe, draw=draw, commits={})
    return replace(state, draw=max(draw, state.draw))


def _reported(state: DeviceState, report: str, data: Mapping[str, Any]) -> DeviceState:
    if "eseq" in data:
        head = data.get("head")
        state = replace(state, position=Position(data["eseq"], bytes.fromhex(head) if head else None))
        state = _drawn(state, data["ref"]) if "record" in data else state
    match report:
        case "card" if "commit" in data:
            return replace(state, commits={**state.commits, data["ref"]: bytes.fromhex(data["commit"])})
        case "peek-armed":
            return replace(state, armed=data["round"])
        case "peek-refused" | "verdict":
            return replace(state, armed=None)
        case "boot":
            return replace(state, armed=None, stopped_by=frozenset())
        case "error" if data["severity"] in STOPPING:
            return replace(state, stopped_by=state.stopped_by | {data["code"]})
        case "error-cleared":
            return replace(state, stopped_by=state.stopped_by - {data["code"]})
        case "attested" | "setting":
            return replace(state, settings=bytes.fromhex(data["settings"]) if "settings" in data else None)
        case "status":
            return replace(state, standing=data)
        case _:
            return state
