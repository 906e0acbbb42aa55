"""A line on which everything that can happen to bytes happens in some share of the reports."""

from __future__ import annotations

from simulators.faults.menu import parse_fault
from simulators.faults.noise import NoisyLine
from simulators.faults.schedule import Progress, Schedule

SPOILERS = ("drop", "dup", "corrupt:40", "split", "glue", "late", "noise", "unplug:0.2")


def noisy_line(seed: int, rate: float) -> NoisyLine:
    faults = [parse_fault(f"{fault}@p={rate / len(SPOILERS)}") for fault in SPOILERS]
    return NoisyLine(Schedule(faults, Progress(), seed), seed)
