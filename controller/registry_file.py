"""The registry of trusted devices as it lies on disk: a file that only its owner may read, or one from systemd."""

from __future__ import annotations

from pathlib import Path

from protocols.errors import ConfigError
from protocols.registry import Registry, parse_registry


def read_registry(path: Path, *, handed_over: bool = False) -> Registry:
    """The registry in the file; ConfigError where it cannot be read, others may read it, or it is wrong.

    `handed_over`: by systemd, which keeps it from others in its own way."""
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise ConfigError(str(path), ["is no text in UTF-8"]) from None
    if mode & 0o077 and not handed_over:
        raise ConfigError(str(path), [f"others may read the keys in it (chmod 0600 {path})"])
    return parse_registry(text, str(path))
