"""A panel without a table: what comes in lies in its queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from firmware_bridge.arrival import Asked, Intake
from firmware_bridge.panel import Panel


@asynccontextmanager
async def table(folder: Path, size: int = 256) -> AsyncIterator[tuple[Panel, Intake]]:
    queue: Intake = asyncio.Queue(size)
    panel = Panel(folder / "panel", queue)
    async with panel.serving():
        yield panel, queue


def with_table(folder: Path, scenario: Callable[[Panel, Intake], Awaitable[None]], size: int = 256) -> None:
    async def run() -> None:
        async with table(folder, size) as (panel, queue):
            await scenario(panel, queue)

    asyncio.run(run())


async def next_asked(queue: Intake) -> Asked:
    async with asyncio.timeout(5):
        asked = await queue.get()
    assert isinstance(asked, Asked)
    return asked


def dealer(folder: Path) -> Path:
    return folder / "panel" / "dealer.sock"
