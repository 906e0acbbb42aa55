"""The commands that start a table's daemon and look into it: as a service where it is `installed`, else by hand."""

from __future__ import annotations

import shlex
from pathlib import Path


def start_daemon(config: Path, *, installed: bool) -> str:
    """Starts the table's daemon."""
    if installed:
        return f"sudo systemctl start {_unit(config)}"
    return shlex.join(["shoewatch", "run", "--config", str(config)])


def restart_daemon(config: Path, *, installed: bool) -> str:
    """Starts a daemon again that may run."""
    if installed:
        return f"sudo systemctl restart {_unit(config)}"
    return f"stop it (Ctrl-C), then {start_daemon(config, installed=False)}"


def look_into_daemon(config: Path, *, installed: bool) -> str:
    """Shows what the daemon says of its devices."""
    if installed:
        return f"journalctl -u {_unit(config)} -n 50"
    return shlex.join(["shoewatch", "devices", "--follow", "--config", str(config)])


def _unit(config: Path) -> str:
    """The unit's instance is the folder of the configuration."""
    return shlex.quote(f"shoewatch@{config.absolute().parent.name}")
