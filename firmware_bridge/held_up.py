"""Whether this program was itself held up while it waited for a device: then what came meanwhile is heard before the
device is judged by its silence."""

from __future__ import annotations

from typing import Final

CATCH_UP_S: Final = 0.1
"""How long is listened for that."""

_LATE_S: Final = 0.05


def held_up(late_s: float) -> bool:
    """Whether a wait that ended so long after its time says something of this program."""
    return late_s >= _LATE_S
