"""Blocking calls on threads of their own: a stuck one holds up neither the loop, nor other devices, nor the exit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


def tell(loop: asyncio.AbstractEventLoop, call: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
    """Have `call` run in the loop; nothing where that loop has ended already, for then nobody waits."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: call(*args, **kwargs))


def settle(future: asyncio.Future[T], answer: T) -> None:
    """Answer a future, unless whoever waited was cancelled."""
    if not future.done():
        future.set_result(answer)


def fail(future: asyncio.Future[T], fault: Exception) -> None:
    """Fail a future, unless whoever waited was cancelled."""
    if not future.done():
        future.set_exception(fault)


def bear(future: asyncio.Future[Any]) -> None:
    """As a future's callback: its failure is told to whoever waits; where nobody does any more it is no news."""
    if not future.cancelled():
        future.exception()


async def in_own_thread(call: Callable[[], T], name: str) -> T:
    """What `call` returns or raises; a cancellation leaves the thread to itself."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            result = call()
        except Exception as fault:
            tell(loop, fail, answer, fault)
        else:
            tell(loop, settle, answer, result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await answer
