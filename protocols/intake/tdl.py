"""A TDL/1 device's reports to facts: numbered, so that the journal tells where to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from protocols.device_session import Heard
from protocols.events import CardRevealed, LogGap, TableEvent
from protocols.intake.tdl_said import code_of, noted, ref_of, said_by
from protocols.intake.tdl_state import DeviceState, after
from protocols.orders import Order, PeekArm
from protocols.records import DeviceReported, Fact, SecurityNoted
from protocols.wire.tdl.attestation import Attested
from protocols.wire.tdl.events import ErrorCleared, Event, ValueFixed, ValueRevealed
from protocols.wire.tdl.handshake import Role
from protocols.wire.tdl.messages import Status
from protocols.wire.tdl.position import Position, Rebased
from protocols.wire.tdl.reader_events import VerdictGiven
from protocols.wire.tdl.stream import TdlReport


class TdlIntake:
    """Takes what the session of one device hears, in order. Every event becomes at least one fact with its number:
    table events as `seq`, with the device as `actor`; device records as `data["eseq"]`."""

    def __init__(self, device: str, role: Role) -> None:
        self._device = device
        self._role = role
        self._state = DeviceState()

    @property
    def position(self) -> Position | None:
        """The last event that became a fact; None where there was none."""
        return self._state.position

    @property
    def settings(self) -> bytes | None:
        """The digest of the settings that it attested last; None where it never did, or they were changed since."""
        return self._state.settings

    def resume(self, facts: Iterable[Fact]) -> None:
        """Go on, once, before the first report, where a journal ends. `facts`, in order, may be of all devices; they
        must hold this device's last numbered one."""
        self._state = after(self._state, facts, self._device)

    def take(self, heard: Heard[TdlReport]) -> tuple[Fact, ...]:
        """What one report becomes, in order."""
        match heard.report:
            case Event() as event:
                facts = self._numbered(event, heard)
            case Status() as status:
                facts = self._standing(status)
            case Rebased() as rebased:
                facts = self._rebased(rebased)
            case Attested() as attested:
                facts = (_attested(attested, self._device),)
        self._state = after(self._state, facts, self._device)
        return facts

    def has_done(self, order: Order) -> bool:
        """Whether the device has told that this very order is carried out, and nothing since that undoes it."""
        return isinstance(order, PeekArm) and order.round == self._state.armed

    def _numbered(self, event: Event, heard: Heard[TdlReport]) -> tuple[Fact, ...]:
        late: dict[str, Any] = {"replayed": True, "t_ms": event.t_ms} if heard.replayed else {}
        if heard.replayed or isinstance(event.told, VerdictGiven):
            late["age_s"] = heard.age_s
        return tuple(_with_number(fact, event.eseq, late, self._device) for fact in self._said(event))

    def _said(self, event: Event) -> Sequence[Fact]:
        match event.told:
            case ValueRevealed() | ValueFixed() as told if self._role == "shoe":
                return self._shown(told)
            case ErrorCleared() as told if self._state.stopped_by - {code_of(told)}:
                return (noted(told, self._device),)
            case told:
                return said_by(told, self._device, self._role)

    def _shown(self, told: ValueRevealed | ValueFixed) -> tuple[Fact, ...]:
        """A value is believed where its card was drawn and it is the one that the shoe was committed to."""
        record = noted(told, self._device)
        commit = self._state.commits.get(ref_of(told))
        if isinstance(told, ValueRevealed) and commit is not None and not told.opens(commit):
            return record, SecurityNoted("commit_mismatch", self._device, f"card {ref_of(told)} is not the one drawn")
        if told.reading.card is None or not self._state.has_drawn(told.shoe_no, told.draw_no):
            return (record,)
        return (CardRevealed(ref=ref_of(told), card=told.reading.card),)

    def _standing(self, status: Status) -> tuple[Fact, ...]:
        data = {"state": status.state, "mode": status.mode, "errors": [f"tdl-{code:02X}" for code in status.errors]}
        return () if data == self._state.standing else (DeviceReported(self._device, "status", data),)

    def _rebased(self, rebased: Rebased) -> tuple[Fact, ...]:
        """Whatever came before is not known: of a shoe that may have been cards."""
        data: dict[str, Any] = {"eseq": rebased.eseq, "head": rebased.head.hex() if rebased.head else None}
        if rebased.lost is not None:
            gap = LogGap(reason=f"{rebased.lost} events of the {self._device} are lost")
            return gap, DeviceReported(self._device, "events-lost", {**data, "lost": rebased.lost})
        paired = DeviceReported(self._device, "paired", data)
        unseen = self._role == "shoe" and rebased.eseq > 0
        return (LogGap(reason=f"first meeting with the {self._device}"), paired) if unseen else (paired,)


def _attested(told: Attested, device: str) -> DeviceReported:
    digests = {"firmware": told.firmware.hex(), "settings": told.settings.hex()}
    return DeviceReported(device, "attested", {**digests, "boot": told.boot_id})


def _with_number(fact: Fact, eseq: int, late: dict[str, Any], device: str) -> Fact:
    match fact:
        case TableEvent():
            return fact.model_copy(update={"seq": eseq, "actor": device})
        case DeviceReported():
            return DeviceReported(fact.device, fact.report, {"eseq": eseq, **fact.data, **late})
        case _:
            return fact
