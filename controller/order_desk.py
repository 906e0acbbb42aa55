"""Orders on their way to the devices, for each device one after the other; every answer comes back as a fact.

A table without leave to do so tells its shoe nothing: such an order is answered `not_allowed` without the shoe."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from typing import Final, Protocol

from firmware_bridge.arrival import Arrival, Asked, Intake
from protocols.orders import Answer, Order, args_of
from protocols.records import Ordered

DEVICES: Final = ("shoe", "reader")


class Obeys(Protocol):
    """What can be told something."""

    async def command(self, order: Order) -> Answer: ...


class OrderDesk:
    """`may`: the devices that this table may tell something."""

    def __init__(self, intake: Intake, may: Collection[str]) -> None:
        self._intake = intake
        self._may = may
        self._orders: Mapping[str, asyncio.Queue[tuple[Order, Asked | None, str | None]]] = {
            device: asyncio.Queue() for device in DEVICES
        }

    def give(self, device: str, order: Order, asked: Asked | None = None) -> None:
        """Have the device told this, `asked` by somebody or by the table itself."""
        self._orders[device].put_nowait((order, asked, None))

    def give_named(self, device: str, order: Order, name: str) -> None:
        """Have the device told this by the table itself, under this name of the order."""
        self._orders[device].put_nowait((order, None, name))

    async def serve(self, device: str, driver: Obeys) -> None:
        """Tell the device what there is to tell, for ever."""
        while True:
            order, asked, given = await self._orders[device].get()
            answer = await driver.command(order) if device in self._may else "not_allowed"
            args = args_of(order)
            own = f"{order.name}-{args['round']}" if "round" in args else order.name
            name, by, key = (asked.id, asked.role, asked.key) if asked else (given or own, None, None)
            fact = Ordered(device, order.name, args, name, answer, by, key)
            await self._intake.put(Arrival((fact,), time.monotonic_ns(), asked=asked))
