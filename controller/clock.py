"""The clocks of a record: which boot, and the wall clock, which is only a label; a watch for its steps; and whether it
can be relied on."""

from __future__ import annotations

import asyncio
import ctypes
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NoReturn

_NS: Final = 1_000_000_000
_LOOK_S: Final = 1.0
_STEP_NS: Final = _NS
_TOGETHER_NS: Final = 50_000_000
_UNSYNCHRONISED: Final = 5
_TIMEX_BYTES: Final = 512


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


@dataclass(frozen=True, slots=True)
class Clock:
    """`boot`: the machine's boot, within which monotonic times can be compared."""

    boot: str = field(default_factory=_boot_id)

    def wall(self) -> str:
        """RFC 3339 UTC with milliseconds."""
        now = datetime.fromtimestamp(time.time_ns() / _NS, UTC)
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def is_synchronised() -> bool | None:
    """Whether the kernel holds the wall clock to be right, as a time service tells it; None where it does not say."""
    adjtimex = getattr(ctypes.CDLL(None), "adjtimex", None)
    answer = adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)) if adjtimex else -1
    return None if answer < 0 else answer != _UNSYNCHRONISED


async def watch_steps(stepped: Callable[[float], Awaitable[None]]) -> NoReturn:
    """Until cancelled: tell by how many seconds somebody has set the wall clock, whenever that is a second or more; a
    clock that is slowly brought into step is not set."""
    offset = _offset_ns()
    while True:
        await asyncio.sleep(_LOOK_S)
        now = _offset_ns()
        step, offset = now - offset, now
        if abs(step) >= _STEP_NS:
            await stepped(round(step / _NS, 1))


def _offset_ns() -> int:
    """How far the wall clock is ahead of the monotonic one, both read without a pause between."""
    while True:
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if after - before < _TOGETHER_NS:
            return wall - after
