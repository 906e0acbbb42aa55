"""What drivers and people put into the one intake queue of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from protocols import keys
from protocols.floor.commands import Objection
from protocols.records import Fact

Role = Literal["dealer", "supervisor"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """Facts that belong together: journaled in one transaction, in this order.

    `mono_ns`: the monotonic clock when the last byte came in. `stored`: called once the facts are on disk; this
    is where a device that waits for an acknowledgement gets it. `replayed`: told late, by a device that catches up;
    `age_s`: how long ago it happened, where the device's clock tells. `asked`: the input that an order was, where the
    last fact says what came of it."""

    facts: tuple[Fact, ...]
    mono_ns: int
    stored: Callable[[], None] | None = None
    replayed: bool = False
    age_s: float | None = None
    asked: Asked | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """Under an input that came from the floor: which key signed it, whose that is, the last record that its sender
    knew where it is of a round, and what else speaks against it unless it came before."""

    key: str
    name: str
    based_on: int | None
    objection: Objection | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person enters, without its `id`: a table event, what is known of the next card, or an order to a device.

    `fields` may hold the value of a card that lies face down. `answer` is called once, when everything that follows
    from the input is on disk; it never raises and never waits. `signed`: None at the panel, where the socket says who
    may speak in which role."""

    id: str
    role: keys.Role
    fields: Mapping[str, Any] = field(repr=False)
    answer: Callable[[Mapping[str, Any]], None]
    mono_ns: int
    signed: Signed | None = None

    @property
    def key(self) -> str | None:
        return self.signed.key if self.signed else None

    @property
    def sender(self) -> str:
        """Among whose inputs the id names this one."""
        return self.key or self.role


Intake = asyncio.Queue[Arrival | Asked]
