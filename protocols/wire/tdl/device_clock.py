"""What a device's own clock says of when something happened. It counts ms from its start and wraps after 49 days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MS: Final = 1_000_000
_WRAP: Final = 1 << 32
_DRIFT_NS: Final = 60_000_000_000


@dataclass(frozen=True, slots=True)
class DeviceClock:
    """The clock of the start `boot` stood at `t_ms` at the monotonic time `at` in ns, or a little later: lines delay.
    `t_ms` None: it was not told yet."""

    boot: int | None = None
    t_ms: int | None = None
    at: int = 0

    def told(self, t_ms: int, at: int) -> DeviceClock:
        """The clock after it was told again: what was least delayed counts, for as long as clocks keep in step."""
        before = self._now_ms(at)
        if before is not None and at - self.at < _DRIFT_NS and _difference(t_ms, before) <= 0:
            return self
        return DeviceClock(self.boot, t_ms, at)

    def age_ns(self, boot: int, t_ms: int, now: int) -> int | None:
        """How long ago something happened; None where it was before this start of the device, or nothing is known."""
        device_now = self._now_ms(now)
        if device_now is None or boot != self.boot:
            return None
        return max(0, _difference(device_now, t_ms)) * _MS

    def _now_ms(self, now: int) -> int | None:
        return None if self.t_ms is None else self.t_ms + (now - self.at) // _MS


def _difference(later: int, earlier: int) -> int:
    """In ms, from half a wrap back to half a wrap on."""
    return (later - earlier + _WRAP // 2) % _WRAP - _WRAP // 2
