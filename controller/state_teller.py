"""Makes the table's `state` anew when something in it changes: the first change at once, those that come fast together,
the last one always."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NoReturn

_EVERY_S: Final = 0.1


class StateTeller:
    """`make` gives the payload, `keep` has it stand on the broker."""

    def __init__(self, make: Callable[[], bytes], keep: Callable[[bytes], None], every_s: float = _EVERY_S) -> None:
        self._make = make
        self._keep = keep
        self._every_s = every_s
        self._changed = asyncio.Event()
        self._changed.set()

    def changed(self) -> None:
        """Something in it is other than before."""
        self._changed.set()

    def tell(self) -> None:
        """Make it now, where anything has changed since it was made."""
        if self._changed.is_set():
            self._changed.clear()
            self._keep(self._make())

    async def run(self) -> NoReturn:
        """Until cancelled."""
        while True:
            await self._changed.wait()
            self.tell()
            await asyncio.sleep(self._every_s)
