"""What the table can tell a device to do, and how the device can answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

Refusal = Literal["bad_arg", "unknown_op", "busy", "wrong_state", "denied", "unsupported", "failed"]
Answer = Literal["ok", "no_answer", "no_link", "not_allowed"] | Refusal
"""Done, refused by the device, or: `no_answer`: it stayed silent; `no_link`, `not_allowed`: it was not asked, because
its line is down or because this table may not."""

CommandCheck = Literal["with_stx", "without_stx"]
"""Whether the check of a command to an Angel Eye shoe covers its first byte."""


@dataclass(frozen=True, slots=True)
class PeekArm:
    """Let the reader answer once in this round; `up` is what lies face up, `timeout_s` how long it waits for cards.

    `policy` 1: natural or not; 2: small, medium or large."""

    name: ClassVar[str] = "peek_arm"
    round: int
    up: Literal["ace", "ten"]
    policy: Literal[1, 2] = 1
    timeout_s: int = 20


@dataclass(frozen=True, slots=True)
class PeekCancel:
    """The peek of this round is not wanted any more."""

    name: ClassVar[str] = "peek_cancel"
    round: int


@dataclass(frozen=True, slots=True)
class Lock:
    """Lock or unlock the shoe's exit, where it has a lock."""

    name: ClassVar[str] = "lock"
    locked: bool


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Run the tests in the mask; refused during a round."""

    name: ClassVar[str] = "self_test"
    mask: int = 0xFFFF


@dataclass(frozen=True, slots=True)
class ClearError:
    """Take an error back, by the device's own number of it, where it lets the host do that."""

    name: ClassVar[str] = "clear_error"
    error: int


@dataclass(frozen=True, slots=True)
class ConfirmGame:
    """Have the shoe confirm the game that is under way."""

    name: ClassVar[str] = "confirm_game"


@dataclass(frozen=True, slots=True)
class Attest:
    """Have the device prove anew which firmware and which settings it runs with."""

    name: ClassVar[str] = "attest"


Order = PeekArm | PeekCancel | Lock | SelfTest | ClearError | ConfirmGame | Attest


def args_of(order: Order) -> Mapping[str, Any]:
    """The order's fields by name, as an `order` record holds them."""
    return asdict(order)
