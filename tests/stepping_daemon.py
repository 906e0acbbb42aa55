"""A daemon whose wall clock somebody sets: `stepping_daemon.py SECONDS run --config FILE`; on SIGUSR1 it goes on by so
many seconds, on SIGUSR2 it goes back by them."""

from __future__ import annotations

import signal
import sys
import time

from controller.cli.main import app_for

_true_ns, _true = time.time_ns, time.time
_ahead = 0.0


def _set(seconds: float) -> None:
    global _ahead
    _ahead += seconds


def main(seconds: str, *command: str) -> None:
    time.time = lambda: _true() + _ahead
    time.time_ns = lambda: _true_ns() + int(_ahead * 1_000_000_000)
    signal.signal(signal.SIGUSR1, lambda *_: _set(float(seconds)))
    signal.signal(signal.SIGUSR2, lambda *_: _set(-float(seconds)))
    app_for(list(command))(list(command))


if __name__ == "__main__":
    main(*sys.argv[1:])
