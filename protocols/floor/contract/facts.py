"""What the records say that are neither events of the game nor about the daemon itself."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from protocols.events import DrawNumber, Face, LogHeader, Place
from protocols.floor.contract.wire import AnyObject, CardText, KeyId, Seq, Wire
from protocols.orders import Answer, ClearError, Lock, PeekArm, PeekCancel, SelfTest
from protocols.records import Decision, LinkState, LossKind

Device = Annotated[str, Field(description="`shoe` or `reader`; `floor` in a security record about commands.")]
InputId = Annotated[str, Field(description="The sender's own id of the input.")]
Role = Annotated[Literal["dealer", "supervisor"], Field(description="In which role it was said.")]
AnyRole = Annotated[
    Literal["dealer", "supervisor", "console", "archive", "table"],
    Field(description="In which role it was said; `console`, `archive` and `table` are keys' alone."),
]
SignedBy = Annotated[
    KeyId | None, Field(default=None, description="Whose command it was; left out of what was said at the panel.")
]


class HeaderData(Wire):
    """The procedure, its options and the state of the shoe under which the records behind it are judged."""

    kind: Literal["header"]
    event: LogHeader


class LinkData(Wire):
    """The link of a device went from one state to another."""

    kind: Literal["link"]
    device: Device
    from_: Annotated[LinkState, Field(alias="from")]
    to: LinkState
    loss: LossKind | None = Field(description="How it was lost; null where it was not.")
    detail: str | None = Field(description="What was seen.")


class DeviceData(Wire):
    """What a device told that is no event of the game: start, error, lock, setting, counters. What `data` holds is said
    by the device's protocol for this report, and may grow."""

    kind: Literal["device"]
    device: Device
    report: str = Field(description="The name of the report, such as `error`.")
    data: AnyObject


class NoArgs(Wire):
    """The order needs none."""


class OrderData(Wire):
    """A device was told something. `by`: the role of who wanted it; without it the table itself did."""

    kind: Literal["order"]
    device: Device
    order: Literal["peek_arm", "peek_cancel", "lock", "self_test", "clear_error", "confirm_game", "attest"]
    args: PeekArm | PeekCancel | Lock | SelfTest | ClearError | NoArgs
    id: str = Field(description="The order's name, or the id of the input that it is.")
    answer: Answer | Literal["given"] = Field(
        description="The device's answer; `given` in the record that says that it will be told."
    )
    by: AnyRole | None = None
    key: SignedBy


class RefusedInput(Wire):
    """Something that a person said was not accepted."""

    kind: Literal["input"]
    id: InputId
    role: AnyRole
    key: SignedBy
    type: str | None = Field(description="What it was to be; null where it named nothing of the kind.")
    why: str = Field(description="One sentence.")
    code: str | None = Field(default=None, description="As in the answer, where a command comes to nothing as it is.")


class SaidOfNext(Wire):
    """Of the next card, before it left the shoe; null where it was not said."""

    to: Place | None = Field(description="Where it goes.")
    face: Face | None = Field(description="How it lies.")


class NextInput(Wire):
    """A person said where the next card goes."""

    kind: Literal["input"]
    id: InputId
    role: Role
    key: SignedBy
    next: SaidOfNext


class Inspection(Wire):
    """A device was looked over and found untouched."""

    device: Literal["reader"]
    by: str = Field(description="Who looked it over.")


class InspectedInput(Wire):
    """A floorperson has inspected the reader for this gaming day."""

    kind: Literal["input"]
    id: InputId
    role: Role
    key: SignedBy
    inspected: Inspection


class Resolved(Wire):
    """What was decided on a round: `void`: it does not count; `accept`: it counts, with this `remedy`; `correct`: its
    card `draw` was this `card`. No verdict changes by it."""

    round: int = Field(ge=1, description="Of the epoch.")
    what: Decision
    who: str
    why: str
    remedy: str | None = None
    draw: DrawNumber | None = None
    card: CardText | None = None


class ResolutionInput(Wire):
    """A supervisor decided on a round."""

    kind: Literal["input"]
    id: InputId
    role: Role
    key: SignedBy
    resolution: Resolved


class Range(Wire):
    """Records, both ends included."""

    from_: Annotated[Seq, Field(alias="from")]
    to: Seq


class ResendInput(Wire):
    """Records are wanted, and sent, once more."""

    kind: Literal["input"]
    id: InputId
    role: AnyRole
    key: KeyId
    resend: Range


class SecurityData(Wire):
    """What looks like an attack, or like a device that is not the one it should be."""

    kind: Literal["security"]
    code: str = Field(description="Which, such as `auth_failed`.")
    device: Device
    detail: str = Field(description="What was seen.")


InputData = RefusedInput | NextInput | InspectedInput | ResolutionInput | ResendInput
