"""The registry of trusted devices as it lies on disk: a file that only its owner may read, or one from systemd."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from protocols.errors import ConfigError, ShoewatchError
from protocols.registry import Registry, parse_registry
from protocols.registry_changes import Document, read_document, write_document


def read_registry(path: Path, *, handed_over: bool = False) -> Registry:
    """The registry in the file; ConfigError where it cannot be read, others may read it, or it is wrong.

    `handed_over`: by systemd, which keeps it from others in its own way."""
    return parse_registry(_private_text(path, handed_over=handed_over), str(path))


def read_devices(path: Path) -> Document:
    """The same as a document, keys included."""
    return read_document(_private_text(path), str(path))


def change_registry(path: Path, change: Callable[[Document], Document]) -> None:
    """Replace the file, which need not be there yet, by what `change` makes of it: whatever happens meanwhile, the old
    one or the new one is there, and of two changes at once none is lost.

    ConfigError where it cannot be read or written, whatever `change` raises where that does; then it is as before."""
    path = path.resolve()
    try:
        with _alone_in(path.parent) as folder:
            document = read_devices(path) if path.exists() else {}
            changed = change(document)
            if changed != document:
                _replace(path, write_document(changed))
                os.fsync(folder)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None


def _private_text(path: Path, *, handed_over: bool = False) -> str:
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise ConfigError(str(path), ["is no text in UTF-8"]) from None
    if mode & 0o077 and not handed_over:
        raise ConfigError(str(path), [f"others may read the keys in it (chmod 0600 {path})"])
    return text


@contextmanager
def _alone_in(folder: Path) -> Iterator[int]:
    """The folder's descriptor, while nobody else changes a registry in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
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
