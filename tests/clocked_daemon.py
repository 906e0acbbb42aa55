"""A daemon whose clock counts as synchronised, whatever this computer's is: `clocked_daemon.py run --config FILE`; on
SIGUSR1 it counts as one that is not, and again as one that is."""

from __future__ import annotations

import signal
import sys

from controller import command_desk
from controller.cli.main import app_for

_synchronised = True


def _turn() -> None:
    global _synchronised
    _synchronised = not _synchronised


def main(*command: str) -> None:
    command_desk.is_synchronised = lambda: _synchronised  # type: ignore[attr-defined]
    signal.signal(signal.SIGUSR1, lambda *_: _turn())
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
