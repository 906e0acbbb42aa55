"""What drivers and people put into the one intake queue of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from protocols.records import Fact


@dataclass(frozen=True, slots=True)
class Arrival:
    """Facts that belong together: journaled in one transaction, in this order.

    `mono_ns`: the monotonic clock when the last byte came in. `stored`: called once the facts are on disk; this
    is where a device that waits for an acknowledgement gets it."""

    facts: tuple[Fact, ...]
    mono_ns: int
    stored: Callable[[], None] | None = None


Intake = asyncio.Queue[Arrival]
