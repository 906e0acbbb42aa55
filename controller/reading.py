"""Whether the reader owes an answer: a fold over facts, the same live and after a restart."""

from __future__ import annotations

from dataclasses import dataclass

from protocols.events import ReaderFaulted
from protocols.records import DeviceReported, Fact


@dataclass(frozen=True, slots=True)
class Reading:
    """`begun`: the cards were seated and no answer came yet; `given_up`: the reader was put out meanwhile, so that
    its answer comes too late."""

    begun: bool = False
    given_up: bool = False

    def after(self, fact: Fact) -> Reading:
        match fact:
            case DeviceReported(device="reader", report="seated"):
                return Reading(begun=True)
            case DeviceReported(device="reader", report="verdict" | "boot"):
                return Reading()
            case ReaderFaulted() if self.begun:
                return Reading(given_up=True)
        return self
