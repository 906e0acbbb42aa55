"""Commands that go on until somebody stops them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from controller.cli.output import remark
from controller.stopping import on_stop


def run_until_stopped(main: Coroutine[None, None, None]) -> None:
    """Run `main` until somebody stops it; that ends it where it waits, so that no line is cut or told twice."""
    asyncio.run(_until_stopped(main))


async def _until_stopped(main: Coroutine[None, None, None]) -> None:
    task = asyncio.ensure_future(main)
    on_stop(task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        remark("stopped")
