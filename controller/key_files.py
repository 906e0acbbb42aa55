"""Secret keys of 32 bytes in files of their own, 64 hex digits each: the vault's key and those that sign."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError

KEY_BYTES: Final = 32


class KeyFileError(ShoewatchError):
    """A key's file cannot be read or made, or holds no key."""


def read_key(path: Path) -> bytes:
    """The key in the file; KeyFileError where there is none."""
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be read: {error.strerror}") from None
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise KeyFileError(f"{path}: no key; a file with one holds {2 * KEY_BYTES} hex digits")
    return key


def make_key(path: Path) -> None:
    """A new random key, whole and on disk or not at all, in a file for its owner alone; an existing file stays."""
    if path.exists():
        return
    made = path.with_name(f"{path.name}-new")
    try:
        made.unlink(missing_ok=True)
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        made.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be made: {error.strerror}") from None
