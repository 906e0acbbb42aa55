"""What happened, as the table takes it in, and the kinds of records that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final, Literal, Protocol

from protocols.events import Face, TableEvent
from protocols.hidden import Hidden

Decision = Literal["void", "accept", "correct"]
Kind = Literal["table", "header", "link", "device", "order", "input", "security", "system"]
LinkState = Literal["absent", "opening", "handshake", "ready", "stalled", "lost", "refused"]
LossKind = Literal["absent", "busy", "denied", "wedged", "protocol", "gone", "ended"]

AWAY: Final[frozenset[LinkState]] = frozenset({"absent", "lost", "refused"})
"""No line is open."""

_ANSWERED: Final[frozenset[LinkState]] = frozenset({"handshake", "ready", "stalled"})

NO_HASH: Final = "0" * 64
FLOOR: Final = "floor"


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """A device's link went from one state to another; `loss` says how it was lost, `detail` what was seen."""

    device: str
    was: LinkState
    now: LinkState
    loss: LossKind | None = None
    detail: str | None = None

    @property
    def is_loss(self) -> bool:
        """Whether a link that somebody had answered on is gone; one that could not be had was never there to lose."""
        return self.was in _ANSWERED and self.now in AWAY


@dataclass(frozen=True, slots=True)
class DeviceReported:
    """A device's report that is no table event: start, stand-by, lock, setting, counters.

    `value`: what it tells of the card that `data["ref"]` names, kept sealed with the record."""

    device: str
    report: str
    data: Mapping[str, Any] = field(default_factory=dict)
    value: Hidden | None = None


@dataclass(frozen=True, slots=True)
class SystemNoted:
    """Something about the daemon itself: start, stop, a step of the clock."""

    what: str
    data: Mapping[str, Any] = field(default_factory=dict)


STOP: Final = SystemNoted("stop")
"""The daemon's last word."""
PRUNED: Final = "journal.pruned"
SIGNED: Final = frozenset({STOP.what, PRUNED})
"""What of it the table signs at once."""


@dataclass(frozen=True, slots=True)
class InputRefused:
    """An input of a person that was not accepted, and why; `type` None where it named no event; `code`: what a command
    of the floor is answered beside `why`."""

    id: str
    role: str
    type: str | None
    why: str
    key: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class NextCard:
    """What a person said of the next card before it left the shoe: where it goes, how it lies."""

    id: str
    role: str
    to: str | None
    face: Face | None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class ReaderInspected:
    """A floorperson has looked the hole-card reader over for this gaming day and found it untouched; `by`: who."""

    name: ClassVar[str] = "inspected"
    id: str
    role: str
    by: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a supervisor has decided on a round of the epoch, `who` and `why`. `void`: it does not count; `accept`: it
    counts, with this `remedy`; `correct`: its card `draw` was this `card`. No verdict that was given changes."""

    name: ClassVar[str] = "resolution"
    id: str
    role: str
    round: int
    what: Decision
    who: str
    why: str
    remedy: str | None = None
    draw: int | None = None
    card: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Resend:
    """Somebody on the floor wants the records from `first` to `last`, or to the end, once more."""

    name: ClassVar[str] = "resend"
    id: str
    role: str
    key: str
    first: int
    last: int | None


@dataclass(frozen=True, slots=True)
class SecurityNoted:
    """What looks like an attack, or like a device that is not the one it should be; `code` such as `auth_failed`;
    `device` is FLOOR where it came over MQTT."""

    code: str
    device: str
    detail: str


@dataclass(frozen=True, slots=True)
class Ordered:
    """What the table told a device, and the answer; `id` names the order, again after a restart. `by`: the role of who
    wanted it, None for the table itself; `key`: whose it was, where it was a command of the floor."""

    device: str
    order: str
    args: Mapping[str, Any]
    id: str
    answer: str
    by: str | None = None
    key: str | None = None


PlainFact = (
    LinkChanged
    | DeviceReported
    | SystemNoted
    | InputRefused
    | NextCard
    | ReaderInspected
    | Resolution
    | Resend
    | SecurityNoted
    | Ordered
)
"""What the check is not asked about."""

Fact = TableEvent | PlainFact
"""One thing that happened; each fact becomes one record."""


class SaidBy(Protocol):
    """An input, named by its id and by who may say it: a role at the panel, a key on the floor."""

    @property
    def id(self) -> str: ...

    @property
    def role(self) -> str: ...

    @property
    def key(self) -> str | None: ...


def said_by(said: SaidBy) -> dict[str, Any]:
    """How a record names an input."""
    return {"id": said.id, "role": said.role} | _key(said.key)


def _said(fact: InputRefused | NextCard | ReaderInspected | Resolution | Resend) -> dict[str, Any]:
    match fact:
        case InputRefused():
            return {"type": fact.type, "why": fact.why} | ({"code": fact.code} if fact.code else {})
        case NextCard():
            return {"next": {"to": fact.to, "face": fact.face}}
        case ReaderInspected():
            return {fact.name: {"device": "reader", "by": fact.by}}
        case Resolution():
            said = {name: value for name, value in asdict(fact).items() if value is not None}
            return {fact.name: {name: value for name, value in said.items() if name not in ("id", "role", "key")}}
        case Resend():
            return {fact.name: {"from": fact.first, "to": fact.last}}


def _key(key: str | None) -> dict[str, Any]:
    return {"key": key} if key else {}


def body_of(fact: PlainFact) -> tuple[Kind, dict[str, Any]]:
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
        case InputRefused() | NextCard() | ReaderInspected() | Resolution() | Resend():
            return "input", said_by(fact) | _said(fact)
        case SecurityNoted():
            return "security", {"code": fact.code, "device": fact.device, "detail": fact.detail}
        case Ordered():
            order = {"device": fact.device, "order": fact.order, "args": dict(fact.args)}
            by = {"by": fact.by} if fact.by else {}
            return "order", {**order, "id": fact.id, "answer": fact.answer, **by} | _key(fact.key)
        case SystemNoted():
            return "system", {"what": fact.what, "data": dict(fact.data)}
