"""The errors that a TDL/1 device can have, and how severe each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Severity = Literal["info", "warn", "retry", "hold", "fault", "security"]


STOPPING: Final[frozenset[Severity]] = frozenset({"hold", "fault"})


@dataclass(frozen=True, slots=True)
class DeviceError:
    """`security`: it may be an attack, whatever it does to the device."""

    name: str
    severity: Severity
    security: bool = False

    @property
    def stops(self) -> bool:
        """Whether the device cannot be used while it lasts."""
        return self.severity in STOPPING


ERRORS: Final[Mapping[int, DeviceError]] = {
    0x01: DeviceError("unreadable", "hold"),
    0x02: DeviceError("overdraw", "hold"),
    0x03: DeviceError("button misuse", "warn"),
    0x04: DeviceError("reverse at the exit", "hold"),
    0x05: DeviceError("reverse midway", "hold"),
    0x06: DeviceError("card code", "fault"),
    0x07: DeviceError("draw time-out", "warn"),
    0x08: DeviceError("double feed", "hold"),
    0x09: DeviceError("jam", "fault"),
    0x0A: DeviceError("count", "fault"),
    0x0B: DeviceError("lid open", "hold"),
    0x0C: DeviceError("sensor dirty", "warn"),
    0x0D: DeviceError("journal full", "warn"),
    0x0E: DeviceError("memory", "fault"),
    0x0F: DeviceError("low power", "warn"),
    0x10: DeviceError("self-test", "fault"),
    0x11: DeviceError("configuration corrupt", "fault"),
    0x12: DeviceError("tamper", "fault", security=True),
    0x13: DeviceError("host silent", "info"),
    0x20: DeviceError("not seated", "retry"),
    0x21: DeviceError("blocked", "hold"),
    0x22: DeviceError("light", "fault"),
    0x23: DeviceError("lamp", "fault"),
    0x24: DeviceError("card unreadable", "retry"),
    0x25: DeviceError("foreign card", "fault", security=True),
    0x26: DeviceError("unarmed peek", "security", security=True),
}


def error(code: int) -> DeviceError:
    """What the code means; one that is not known stops nothing."""
    return ERRORS.get(code, DeviceError("unknown", "info"))
