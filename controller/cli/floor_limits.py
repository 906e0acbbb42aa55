"""How many files a process may have open, and how many a floor needs."""

from __future__ import annotations

import resource
from typing import Final

from protocols.errors import ShoewatchError

FILES_A_TABLE: Final = 24
"""Journal, panel with the people at it, and the broker, with room for those that are opened anew."""

_FILES_BESIDE: Final = 64


def want_files(tables: int) -> None:
    """Raise this process' soft limit to what so many tables need; ShoewatchError where the hard one forbids it."""
    wanted = tables * FILES_A_TABLE + _FILES_BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _reaches(soft, wanted):
        return
    if not _reaches(hard, wanted):
        raise ShoewatchError(
            f"{tables} tables in one process need {wanted} open files, and it may have {hard}: "
            f"more --processes, or a higher limit (`ulimit -Hn {wanted}` as root)"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _reaches(limit: int, wanted: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= wanted
