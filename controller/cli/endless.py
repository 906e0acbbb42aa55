"""Commands that go on until somebody stops them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine

from controller.cli.output import remark


def run_until_stopped(main: Coroutine[None, None, None]) -> None:
    """Run `main` until SIGINT or SIGTERM; both end it where it waits, so that no line is cut or told twice."""
    asyncio.run(_until_stopped(main))


async def _until_stopped(main: Coroutine[None, None, None]) -> None:
    task = asyncio.ensure_future(main)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        remark("stopped")
