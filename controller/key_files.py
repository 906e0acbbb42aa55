"""Secret keys of 32 bytes in files of their own, 64 hex digits each: the vault's keys and those that sign."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from controller.changed_file import change_file, make_file
from protocols.errors import ShoewatchError

KEY_BYTES: Final = 32


class KeyFileError(ShoewatchError):
    """A key's file cannot be read or made, or holds no key."""


def read_key(path: Path) -> bytes:
    """The key in the file; KeyFileError where there is none."""
    found = _read(path)
    if len(found) != 1:
        raise KeyFileError(f"{path}: no key; a file with one holds {2 * KEY_BYTES} hex digits")
    return found[0]


def read_key_ring(path: Path) -> tuple[bytes, ...]:
    """The keys in the file, a line each, the one in use first; KeyFileError where there is none."""
    found = _read(path)
    if not found:
        raise KeyFileError(f"{path}: no keys; a file with some holds {2 * KEY_BYTES} hex digits a line")
    return found


def rotate_key_ring(path: Path, *, forget: bool) -> tuple[bytes, ...]:
    """Put a new key at the head of the file, which need not be there, or with `forget` in place of all; the keys that
    it then holds. KeyFileError or ConfigError where that cannot be done, as where it holds something else than keys;
    then it is as before."""
    keys: tuple[bytes, ...] = ()

    def changed(is_there: bool) -> str:
        nonlocal keys
        older = read_key_ring(path) if is_there else ()
        keys = (secrets.token_bytes(KEY_BYTES), *(() if forget else older))
        return "".join(f"{key.hex()}\n" for key in keys)

    change_file(path, changed, 0o600)
    return keys


def _read(path: Path) -> tuple[bytes, ...]:
    """A key for each line, nothing where one of them is no key."""
    try:
        keys = tuple(map(bytes.fromhex, path.read_text(encoding="ascii").split()))
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be read: {error.strerror}") from None
    except ValueError:
        return ()
    return keys if all(len(key) == KEY_BYTES for key in keys) else ()


def make_key(path: Path) -> None:
    """A new random key, whole and on disk or not at all, in a file for its owner alone; an existing file stays."""
    if path.exists():
        return
    try:
        make_file(path, secrets.token_hex(KEY_BYTES) + "\n", 0o600)
    except OSError as error:
        raise KeyFileError(f"{path}: the key cannot be made: {error.strerror}") from None
