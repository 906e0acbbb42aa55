"""Work that has to run for as long as something else does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any

from protocols.errors import ShoewatchError

_log = logging.getLogger(__name__)


@asynccontextmanager
async def beside(work: Mapping[str, Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """The body with this work, by name, beside it, which ends with the body.

    Work that fails, or ends by itself, ends the body: ShoewatchError says which and why."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_to_the_end(name, each)) for name, each in work.items()]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _to_the_end(name: str, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except* ShoewatchError:
        raise
    except* Exception as error:
        _log.critical("%s has failed", name, exc_info=error)
        raise ShoewatchError(f"{name} has failed: {_first(error)!r}") from None
    raise ShoewatchError(f"{name} has ended by itself")


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
