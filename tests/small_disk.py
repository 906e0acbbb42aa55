"""A disk of its own that is soon full, for the tests: a file system in memory, which root alone can mount."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import pytest
from needs import missing

_SIZE: Final = "1024k"
_BALLAST: Final = "ballast"


class SmallDisk:
    """`path`: where it is mounted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self) -> None:
        """Until not a byte more goes in."""
        with (
            (self.path / _BALLAST).open("ab", buffering=0) as ballast,
            pytest.raises(OSError, match="No space left on device"),
        ):
            _fill(ballast)

    def leave(self, room: int) -> None:
        """So many KiB, of a disk that is full."""
        ballast = self.path / _BALLAST
        os.truncate(ballast, max(0, ballast.stat().st_size - room * 1024))

    def empty(self) -> None:
        (self.path / _BALLAST).unlink()

    def freeze(self) -> None:
        """Read only from now on; nobody may have a file on it open for writing."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True, capture_output=True)


def _fill(file: io.FileIO) -> NoReturn:
    while True:
        file.write(bytes(1024))


@contextmanager
def small_disk(path: Path) -> Iterator[SmallDisk]:
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        missing("the right to mount a file system")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False)
