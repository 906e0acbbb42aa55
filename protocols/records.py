"""What happened, as the table takes it in, and the kinds of records that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from protocols.events import TableEvent

Kind = Literal["table", "header", "link", "device", "order", "input", "security", "system"]
LinkState = Literal["absent", "opening", "handshake", "ready", "stalled", "lost", "refused"]
LossKind = Literal["absent", "busy", "denied", "wedged", "protocol", "gone", "ended"]

NO_HASH: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """A device's link went from one state to another; `loss` says how it was lost, `detail` what was seen."""

    device: str
    was: LinkState
    now: LinkState
    loss: LossKind | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class DeviceReported:
    """A device's report that is no table event: start, stand-by, lock, setting, counters."""

    device: str
    report: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemNoted:
    """Something about the daemon itself: start, stop, a step of the clock."""

    what: str
    data: Mapping[str, Any] = field(default_factory=dict)


Fact = TableEvent | LinkChanged | DeviceReported | SystemNoted
"""One thing that happened; each fact becomes one record."""


def body_of(fact: LinkChanged | DeviceReported | SystemNoted) -> tuple[Kind, dict[str, Any]]:
    """The record's kind and its fields, in the order in which they are published."""
    match fact:
        case LinkChanged():
            fields = {
                "device": fact.device,
                "from": fact.was,
                "to": fact.now,
                "loss": fact.loss,
                "detail": fact.detail,
            }
            return "link", fields
        case DeviceReported():
            return "device", {"device": fact.device, "report": fact.report, "data": dict(fact.data)}
        case SystemNoted():
            return "system", {"what": fact.what, "data": dict(fact.data)}
