"""What the faults of a line do to the bytes of a report."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from simulators.faults.baud import heard_at
from simulators.faults.menu import Fault, at
from simulators.faults.schedule import Schedule

Until = Literal["opened", "plugged in"]


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing is sent for some seconds; nor heard where the device is `deaf`."""

    seconds: float
    deaf: bool = False


@dataclass(frozen=True, slots=True)
class Unplugged:
    """The line is closed, and open again after some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing passes in either direction until a host opens the line anew, or until the device is plugged in anew."""

    until: Until


Part = bytes | Pause | Unplugged | Silence
_OF_A_LINE: Final = at("line")
_FILLING: Final = b"U"
"""Ends a report in none of the protocols."""


class NoisyLine:
    """Spoils what it carries as its schedule says; seeded."""

    def __init__(self, schedule: Schedule, seed: int) -> None:
        self._schedule = schedule
        self._rng = random.Random(seed)
        self._held = b""
        self._to_drop = 0
        self._ratio = 1.0
        self._spoil: Mapping[str, Callable[[bytes, Fault], list[Part]]] = {
            "drop": self._drop,
            "dup": lambda data, _: [data, data],
            "corrupt": self._corrupt,
            "split": lambda data, fault: self._split(data, fault.amount),
            "glue": self._glue,
            "late": lambda data, fault: [Pause(fault.amount), data],
            "stall": lambda data, fault: [Pause(fault.amount, deaf=True), data],
            "awol": lambda _data, _: [Silence("plugged in")],
            "wedge": lambda _data, _: [Silence("opened")],
            "unplug": lambda data, fault: [self._cut(data)[0], Unplugged(fault.amount)],
            "noise": lambda data, fault: [self._rng.randbytes(int(fault.amount)), data],
            "oversize": self._stretch,
            "wrong-baud": self._change_speed,
        }

    def carry(self, data: bytes) -> tuple[str | None, list[Part]]:
        """What becomes of `data`, and by which fault; bytes that are held come out together with the next."""
        fault = self._schedule.take(_OF_A_LINE)
        if self._to_drop:
            self._to_drop -= 1
            return "drop", []
        whole = self._with_held(data)
        parts = self._spoil[fault.name](whole, fault) if fault else [whole]
        return fault.name if fault else None, [self._at_speed(part) for part in parts]

    def heard(self, data: bytes) -> bytes:
        """What the device hears of what a host sends."""
        return data if self._ratio == 1.0 else heard_at(data, 1 / self._ratio)

    def replied(self, data: bytes) -> bytes:
        """What the host hears of an answer: faults strike reports, but the speed is the line's."""
        return data if self._ratio == 1.0 else heard_at(data, self._ratio)

    def rest(self) -> bytes:
        """What is still held."""
        return self._with_held(b"")

    def _with_held(self, data: bytes) -> bytes:
        held, self._held = self._held, b""
        return held + data

    def _at_speed(self, part: Part) -> Part:
        return self.replied(part) if isinstance(part, bytes) else part

    def _cut(self, data: bytes) -> tuple[bytes, bytes]:
        at = self._rng.randint(1, max(len(data) - 1, 1))
        return data[:at], data[at:]

    def _drop(self, _: bytes, fault: Fault) -> list[Part]:
        self._to_drop = int(fault.amount) - 1
        return []

    def _corrupt(self, data: bytes, fault: Fault) -> list[Part]:
        spoiled = bytearray(data)
        for place in self._rng.sample(range(len(data) * 8), min(int(fault.amount), len(data) * 8)):
            spoiled[place // 8] ^= 1 << place % 8
        return [bytes(spoiled)]

    def _split(self, data: bytes, seconds: float) -> list[Part]:
        first, second = self._cut(data)
        return [first, Pause(seconds), second]

    def _stretch(self, data: bytes, fault: Fault) -> list[Part]:
        first, second = self._cut(data)
        return [first + _FILLING * int(fault.amount) + second]

    def _glue(self, data: bytes, _: Fault) -> list[Part]:
        self._held = data
        return []

    def _change_speed(self, data: bytes, fault: Fault) -> list[Part]:
        self._ratio = fault.amount
        return [data]
