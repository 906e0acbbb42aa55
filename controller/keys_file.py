"""The registry of known keys as it lies on disk. Nothing in it is secret."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.changed_file import change_file
from protocols.errors import ConfigError
from protocols.keys import KeyRegistry, parse_keys, write_keys

_MODE: Final = 0o644
_LARGEST: Final = 256 * 1024
"""A thousand keys; the daemon reads them between two cards."""


def read_keys(path: Path) -> KeyRegistry:
    """The keys in the file; ConfigError where it cannot be read or is wrong."""
    try:
        text = _bytes(path).decode()
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise ConfigError(str(path), ["is no text in UTF-8"]) from None
    return parse_keys(text, str(path))


def _bytes(path: Path) -> bytes:
    """What the file holds; OSError where it is none, or larger than any registry: nobody waits for its end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        found = os.pread(descriptor, _LARGEST + 1, 0)
    finally:
        os.close(descriptor)
    return _within(found)


def _within(text: bytes) -> bytes:
    if len(text) > _LARGEST:
        raise OSError(errno.EFBIG, f"a registry has at most {_LARGEST} bytes")
    return text


def change_keys(path: Path, change: Callable[[KeyRegistry], KeyRegistry]) -> None:
    """Replace the file, which need not be there yet, by what `change` makes of it; ConfigError where that cannot be
    done, whatever `change` raises where that does."""

    def text(is_there: bool) -> str:
        written = write_keys(change(read_keys(path) if is_there else {}))
        _within(written.encode())
        return written

    change_file(path, text, _MODE)
