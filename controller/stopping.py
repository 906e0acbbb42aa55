"""What asks a program to come to its end: SIGTERM, Ctrl-C, and a terminal or session that is closed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


def on_stop(call: Callable[[], object]) -> None:
    """Have `call` run in this loop whenever that happens; under `nohup` a closed terminal is no reason."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, call)
