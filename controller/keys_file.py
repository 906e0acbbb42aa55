"""The registry of known keys as it lies on disk. Nothing in it is secret."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.changed_file import change_file
from protocols.errors import ConfigError
from protocols.keys import KeyRegistry, parse_keys, write_keys

_MODE: Final = 0o644


def read_keys(path: Path) -> KeyRegistry:
    """The keys in the file; ConfigError where it cannot be read or is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise ConfigError(str(path), ["is no text in UTF-8"]) from None
    return parse_keys(text, str(path))


def change_keys(path: Path, change: Callable[[KeyRegistry], KeyRegistry]) -> None:
    """Replace the file, which need not be there yet, by what `change` makes of it; ConfigError where that cannot be
    done, whatever `change` raises where that does."""
    change_file(path, lambda is_there: write_keys(change(read_keys(path) if is_there else {})), _MODE)
