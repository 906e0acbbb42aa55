"""How much of something may come in a time: so many at once, and then so many a second."""

from __future__ import annotations

import time


class Pace:
    """`at_once`: how many may come without a pause; `a_second`: how many more each second allows."""

    def __init__(self, at_once: int, a_second: float) -> None:
        self._most = float(at_once)
        self._a_second = a_second
        self._left = self._most
        self._at = time.monotonic()

    def take(self) -> bool:
        """Whether one more may come now; it is then counted."""
        if self.wait_s > 0:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """One that was counted did not come."""
        self._left = min(self._most, self._left + 1)

    @property
    def wait_s(self) -> float:
        """How long until one more may come."""
        now = time.monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._a_second)
        self._at = now
        return max(0.0, (1 - self._left) / self._a_second)
