"""A person is answered once what was said is on disk; while the disk takes nothing, that it is not, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from controller.answers import not_kept
from firmware_bridge.arrival import Asked

_PATIENCE_S: Final = 2.0


def in_time(asked: Asked, told: Callable[[], None], trouble: Callable[[], str | None]) -> Callable[[], None]:
    """What is to be called once the input is on disk, in place of `told`. Of the two answers only the first is given;
    the same input again asks for the other one. `trouble`: what keeps the disk from taking records."""
    return _Answer(asked, told, trouble).stored


class _Answer:
    def __init__(self, asked: Asked, told: Callable[[], None], trouble: Callable[[], str | None]) -> None:
        self._asked = asked
        self._told = told
        self._trouble = trouble
        self._timer: asyncio.TimerHandle | None = None
        self._wait()

    def stored(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._told()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE_S, self._look)

    def _look(self) -> None:
        why = self._trouble()
        if why is None:
            self._wait()
        else:
            self._timer = None
            self._asked.answer(not_kept(self._asked.id, why))
