"""The clocks of a record: which boot, and the wall clock, which is only a label."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


@dataclass(frozen=True, slots=True)
class Clock:
    """`boot`: the machine's boot, within which monotonic times can be compared."""

    boot: str = field(default_factory=_boot_id)

    def wall(self) -> str:
        """RFC 3339 UTC with milliseconds."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
