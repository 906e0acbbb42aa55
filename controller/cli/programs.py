"""Commands of shoewatch that another one of them runs beside itself."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from controller.tether import tethered

_LINE_MAX: Final = 1 << 20


@asynccontextmanager
async def program(*arguments: str, heard: bool = False) -> AsyncIterator[asyncio.subprocess.Process]:
    """A shoewatch command in a process of its own, ended with the body; a terminal's Ctrl-C does not reach it.

    `heard`: its standard output comes as `stdout`, else it goes where this process' own goes."""
    command = tethered([sys.executable, "-m", "controller", *arguments])
    stdout = asyncio.subprocess.PIPE if heard else None
    process = await asyncio.create_subprocess_exec(*command, process_group=0, stdout=stdout, limit=_LINE_MAX)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
