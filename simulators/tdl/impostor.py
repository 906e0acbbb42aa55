"""Devices that are put in another's place: they have its protocol and its looks, but not its key."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Final, TypeVar

from simulators.faults.menu import Fault
from simulators.tdl.device import Device
from simulators.tdl.identity import Identity, simulated
from simulators.tdl.memory import Memory

D = TypeVar("D", bound=Device)
_UNAPPROVED: Final = hashlib.sha256(b"demo firmware 6.6.6").digest()


def impostor(device: D, fault: Fault, now: float) -> D:
    """What takes the device's place by this fault, just switched on."""
    return type(device)(_identity(device.identity, fault), Memory(), now)


def _identity(true: Identity, fault: Fault) -> Identity:
    match fault:
        case Fault(name="swap-device", value=str() as serial):
            return simulated(true.role, serial, true.caps)
        case Fault(name="old-firmware"):
            return replace(true, firmware=_UNAPPROVED, version="0.9.0")
        case _:
            return replace(true, secret=hashlib.sha256(b"not " + true.secret).digest())
