"""What came over MQTT, came to nothing and is not recorded one by one: counted, and told in one record a minute."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from protocols.records import FLOOR, SecurityNoted

CODE: Final = "command_rejected"
_EVERY_S: Final = 60.0


class Rejected:
    """`note` gets the record: the first at once, each further one a minute after the one before. `what` it is that is
    counted, and the record's `code`."""

    def __init__(self, note: Callable[[SecurityNoted], None], what: str = "commands", code: str = CODE) -> None:
        self._note = note
        self._what = what
        self._code = code
        self._counts: Counter[str] = Counter()
        self._more = asyncio.Event()
        self._next_at = 0.0

    def count(self, code: str, times: int = 1) -> None:
        self._counts[code] += times
        self._more.set()

    async def tell(self) -> None:
        """Until cancelled; what is not told then is told by the next call."""
        while True:
            await self._more.wait()
            await asyncio.sleep(self._next_at - time.monotonic())
            self._next_at = time.monotonic() + _EVERY_S
            self._more.clear()
            told = ", ".join(f"{code} {count}" for code, count in sorted(self._counts.items()))
            total = self._counts.total()
            self._counts.clear()
            self._note(SecurityNoted(self._code, FLOOR, f"{self._what} that came to nothing: {total} ({told})"))
