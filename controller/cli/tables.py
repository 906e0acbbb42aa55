"""Which tables a command means: the configuration that is named, else the one here, else those that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from protocols.errors import ShoewatchError

INSTALLED: Final = Path("/etc/shoewatch")
_NAME: Final = "table.toml"


def configurations(named: Path | None) -> tuple[Path, ...]:
    """The files; none where there is neither a file here nor one installed."""
    if named is not None:
        return (named,)
    here = Path(_NAME)
    return (here,) if here.exists() else tuple(sorted(INSTALLED.glob(f"*/{_NAME}")))


def is_installed(file: Path) -> bool:
    """Whether the table is run as a service."""
    return file.absolute().is_relative_to(INSTALLED)


def some_configurations(named: Path | None) -> tuple[Path, ...]:
    """At least one; ShoewatchError where there is none."""
    found = configurations(named)
    if not found:
        raise ShoewatchError(f"no table is configured here: there is no ./{_NAME} and no {INSTALLED}/TABLE/{_NAME}")
    return found
