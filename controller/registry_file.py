"""The registry of trusted devices as it lies on disk: a file that only its owner may read, or one from systemd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from controller.changed_file import change_file
from protocols.errors import ConfigError
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

    def text(is_there: bool) -> str | None:
        document = read_devices(path) if is_there else {}
        changed = change(document)
        return write_document(changed) if changed != document else None

    change_file(path, text, 0o600)


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
