"""Files that are replaced as a whole: whatever happens meanwhile, the old one or the new one is there."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from protocols.errors import ConfigError, ShoewatchError


def change_file(path: Path, change: Callable[[bool], str | None], mode: int) -> None:
    """Replace the file by the text that `change` gives, None for none; it is told whether the file is there. Of two
    changes at once none is lost.

    ConfigError where it cannot be written, whatever `change` raises where that does; then it is as before."""
    try:
        path = path.resolve()
    except RuntimeError:
        raise ConfigError(str(path), ["is a symbolic link that leads to itself"]) from None
    try:
        with alone_in(path.parent) as folder:
            text = change(path.exists())
            if text is not None:
                _replace(path, text, mode)
                os.fsync(folder)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None


def make_file(path: Path, text: str, mode: int) -> None:
    """A new file, whole and on disk or not at all; OSError where that cannot be done, FileExistsError where there is
    one, which stays."""
    with alone_in(path.parent) as folder:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "it is there already, and is never overwritten")
        _replace(path, text, mode)
        os.fsync(folder)


@contextmanager
def alone_in(folder: Path) -> Iterator[int]:
    """The folder's descriptor, while nobody else changes such a file in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str, mode: int) -> None:
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w", encoding="utf-8") as file:
            _give_to_owner(file.fileno(), path)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def _give_to_owner(descriptor: int, path: Path) -> None:
    """The new file belongs to whom the old one did: who reads it is the daemon's user, not who changes it."""
    try:
        old, new = path.stat(), os.fstat(descriptor)
    except FileNotFoundError:
        return
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        raise ShoewatchError(f"{path} belongs to another user: do this as root (sudo)") from None
