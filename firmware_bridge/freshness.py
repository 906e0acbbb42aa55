"""How old what a device tells is, apart from how its line stands: a line may be up and nothing new come over it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

from firmware_bridge.held_up import CATCH_UP_S, held_up
from protocols.records import DeviceReported

_NS: Final = 1e-9


class Freshness:
    """Tells `stale` once no report came for `max_age_s`, and `fresh` with the next one. Of a device that has told
    nothing yet there is nothing to grow old: whether it is there at all is its link's to say."""

    def __init__(self, device: str, max_age_s: float, tell: Callable[[DeviceReported], Awaitable[None]]) -> None:
        self._device = device
        self._max_age_s = max_age_s
        self._tell = tell
        self._heard_ns = 0
        self._heard = asyncio.Event()
        self._stale = False

    @property
    def is_stale(self) -> bool:
        return self._stale

    def heard(self, mono_ns: int) -> None:
        """A report came in, at this time of the monotonic clock."""
        self._heard_ns = mono_ns
        self._heard.set()

    async def run(self) -> NoReturn:
        """Until cancelled."""
        await self._heard.wait()
        while True:
            await self._grown_old()
            self._stale = True
            last = self._heard_ns
            self._heard.clear()
            await self._told("stale", age_s=_seconds(time.monotonic_ns() - last), max_age_s=self._max_age_s)
            await self._heard.wait()
            self._stale = False
            await self._told("fresh", away_s=_seconds(self._heard_ns - last))

    async def _grown_old(self) -> None:
        """Once the last report is past its age. Where this program was itself held up over that time, what came
        meanwhile is heard first."""
        while (left := self._left_s()) > 0:
            await asyncio.sleep(left)
            if held_up(-self._left_s()):
                await asyncio.sleep(CATCH_UP_S)

    def _left_s(self) -> float:
        return self._max_age_s - (time.monotonic_ns() - self._heard_ns) * _NS

    async def _told(self, report: str, **data: float) -> None:
        await self._tell(DeviceReported(self._device, report, data))


def _seconds(ns: int) -> float:
    return round(ns * _NS, 1)
