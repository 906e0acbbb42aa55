"""Small files of the system, such as sysfs has them: each may be gone, or closed to us, from one look to the next."""

from __future__ import annotations

from pathlib import Path


def listed(folder: Path) -> list[Path]:
    """What is in the folder; nothing where it cannot be seen."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def text(file: Path) -> str:
    """Its text without the white space around it; OSError where it cannot be read."""
    return file.read_text(encoding="utf-8", errors="replace").strip()


def text_if_any(file: Path) -> str:
    """The same; empty where it cannot be read."""
    try:
        return text(file)
    except OSError:
        return ""
