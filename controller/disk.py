"""What keeps a disk from taking more: seen from outside, where no daemon says so."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SCARCE: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DiskTrouble:
    """`folder` lies on a disk that is mounted read only, or has so few bytes `left`."""

    folder: Path
    read_only: bool
    left: int

    def __str__(self) -> str:
        if self.read_only:
            return f"the disk of {self.folder} is mounted read only: the journal cannot be written"
        return f"the disk of {self.folder} has {self.left // 1024} KiB left: records wait in memory once it is full"


def disk_trouble(path: Path) -> DiskTrouble | None:
    """What is wrong with the disk on which this file is or would be; None where nothing is, or it is not there."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return None
    left, read_only = disk.f_bavail * disk.f_frsize, bool(disk.f_flag & os.ST_RDONLY)
    return DiskTrouble(path.parent, read_only, left) if read_only or left < _SCARCE else None
