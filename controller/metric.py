"""One number that a daemon tells of itself, for MQTT and OpenMetrics alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """`name`: words joined by `-`, the unit last; `counts`: it only grows while the daemon runs; `device`: which of
    the devices it is about."""

    name: str
    said: str
    value: float
    counts: bool = False
    device: str | None = None

    @property
    def level(self) -> str:
        """Its level in a topic."""
        return self.name if self.device is None else f"{self.name}-{self.device}"
