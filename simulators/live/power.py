"""What happens to a device as a whole: it restarts, loses its power or its memory, or another one is put in its
place."""

from __future__ import annotations

import asyncio
from typing import Final, Generic, TypeVar

from simulators.faults.menu import Fault, at
from simulators.faults.schedule import Schedule
from simulators.live.station import Station
from simulators.tdl.device import Device
from simulators.tdl.impostor import impostor

D = TypeVar("D", bound=Device)
_OF_DEVICES: Final = at("device")
_BROWN_OUT: Final = 2
_EXCHANGED_S: Final = 0.3


class Power(Generic[D]):
    """Of the device at one station, as its schedule says."""

    def __init__(self, station: Station[D], schedule: Schedule) -> None:
        self._station = station
        self._schedule = schedule

    async def fail(self) -> bool:
        """Let happen what is due now, if anything; whether it was."""
        station = self._station
        fault = self._schedule.take(_OF_DEVICES)
        match fault:
            case None:
                return False
            case Fault(name="reboot"):
                station.do(station.device.reboot)
            case Fault(name="brownout"):
                station.do(lambda now: station.device.reboot(now, reason=_BROWN_OUT))
                await self._away(fault.amount)
            case Fault(name="counter-reset"):
                station.device.count_anew()
            case Fault(name="other-chain"):
                station.device.memory.alter()
            case Fault(name="overflow"):
                await self._overflow(int(fault.amount))
            case Fault(name="rollback"):
                await self._roll_back(int(fault.amount))
            case _:
                station.device = station.do(lambda now: impostor(station.device, fault, now))
                await self._away(_EXCHANGED_S)
        return True

    async def _overflow(self, room: int) -> None:
        """Somebody plays with its buttons while nobody hears of it; it goes on once the host has what is left."""
        station = self._station
        station.line.unplug()
        station.device.memory.capacity = room
        for _ in range(2 * room):
            station.do(station.device.press)
        await self._away(_EXCHANGED_S)
        await station.until(lambda: station.is_stored)

    async def _roll_back(self, count: int) -> None:
        """It goes on once the host has seen that."""
        station = self._station
        station.device.memory.roll_back(count)
        station.do(station.device.reboot)
        await self._away(_EXCHANGED_S)
        await station.until(lambda: station.device.in_session)

    async def _away(self, seconds: float) -> None:
        self._station.line.unplug()
        await asyncio.sleep(seconds)
        self._station.line.plug_in()
