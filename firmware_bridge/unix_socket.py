"""A Unix socket in a folder: made for a group, in place of a stale one, never in place of a live one."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError

_MODE: Final = 0o660
_PATH_BYTES: Final = 107
_NEW: Final = ".new"
_ANSWER_S: Final = 1.0


class SocketError(ShoewatchError):
    """The socket cannot be made here."""


def fits(path: Path) -> bool:
    """Whether the system takes a path of this length for a socket."""
    return len(os.fsencode(f"{path}{_NEW}")) <= _PATH_BYTES


@contextmanager
def listening(path: Path, group: str | None = None) -> Iterator[socket.socket]:
    """A listening socket at `path`, mode 0660, for this group, else for the one of this process, removed at the end;
    SocketError where another process serves there, or it cannot be given to the group."""
    _refuse_taken(path)
    made = _made(path, group)
    try:
        yield made
    finally:
        with suppress(OSError):
            path.unlink()
        made.close()


def _made(path: Path, group: str | None) -> socket.socket:
    """Made beside its place and moved there, so that nobody ever meets it with another mode or group."""
    new = Path(f"{path}{_NEW}")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        new.unlink(missing_ok=True)
        made.bind(str(new))
        _give(new, group)
        new.chmod(_MODE)
        made.listen()
        new.rename(path)
    except OSError as error:
        made.close()
        raise SocketError(f"{path}: no socket can be made here: {error.strerror or error}") from None
    return made


def _give(path: Path, group: str | None) -> None:
    """OSError, with what would help, where that cannot be done."""
    if group is None:
        return
    try:
        shutil.chown(path, group=group)
    except LookupError:
        raise OSError(errno.EINVAL, f"there is no group {group} (sudo groupadd --system {group})") from None
    except PermissionError:
        raise OSError(errno.EPERM, f"only a member of the group {group} can give it a socket") from None


def _refuse_taken(path: Path) -> None:
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return
    if not is_socket:
        raise SocketError(f"{path}: this is no socket and is left alone; another folder, or remove it")
    if _is_served(path):
        raise SocketError(f"{path}: another shoewatch serves here; each table needs its own folder")


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_ANSWER_S)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
    return True
