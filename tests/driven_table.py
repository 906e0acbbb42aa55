"""A driver of a TDL/1 device on a line, and what came out of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import tdl_device as device
from device_lines import until
from tdl_host import EXPECTED
from tdl_line import PtyDevice, TcpDevice

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.driver import SessionDriver
from firmware_bridge.link import Backoff, Opener
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings
from protocols.events import CardDrawn
from protocols.intake.tdl import TdlIntake
from protocols.records import Fact, LinkChanged, SecurityNoted
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.session import HostSession
from protocols.wire.tdl.stream import TdlReport

QUICK = Backoff(first_s=0.01, cap_s=0.05)


def opener(port: str) -> Opener:
    return lambda: open_port(parse_port(port), LineSettings(115200))


class Table:
    """A driver, and what came out of it; with `stores` everything is stored as it comes."""

    def __init__(
        self,
        opening: Opener,
        journal: list[Fact] | None = None,
        *,
        stores: bool = True,
        room: int = 0,
        expected: Expected = EXPECTED,
        role: Role = "shoe",
    ) -> None:
        self.journal: list[Fact] = list(journal or [])
        self.arrivals: list[Arrival] = []
        self.queue: Intake = asyncio.Queue(room)
        self._stores = stores
        intake = TdlIntake("shoe", role)
        intake.resume(self.journal)
        session = HostSession("shoe", expected, intake.position)
        self.driver: SessionDriver[TdlReport] = SessionDriver("shoe", opening, session, intake, self.queue, QUICK)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Table]:
        tasks = [asyncio.create_task(self.driver.run()), asyncio.create_task(self._take())]
        try:
            yield self
        finally:
            for task in tasks:
                task.cancel()
            async with asyncio.timeout(2):
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self) -> None:
        while True:
            arrival = await self.queue.get()
            assert isinstance(arrival, Arrival)
            self.arrivals.append(arrival)
            if self._stores:
                self.store(arrival)

    def store(self, arrival: Arrival) -> None:
        self.journal += arrival.facts
        if arrival.stored:
            arrival.stored()

    @property
    def facts(self) -> list[Fact]:
        return [fact for arrival in self.arrivals for fact in arrival.facts]

    @property
    def draws(self) -> list[str | None]:
        return [fact.ref for fact in self.facts if isinstance(fact, CardDrawn)]

    @property
    def links(self) -> list[LinkChanged]:
        return [fact for fact in self.facts if isinstance(fact, LinkChanged)]

    @property
    def states(self) -> list[str]:
        return [link.now for link in self.links]

    @property
    def alarms(self) -> list[str]:
        return [fact.code for fact in self.facts if isinstance(fact, SecurityNoted)]

    async def ready(self, times: int = 1) -> None:
        await until(lambda: self.states.count("ready") == times)

    async def entered(self, state: str, deadline_s: float = 5.0) -> None:
        await until(lambda: self.states[-1:] == [state], deadline_s)


def draw(served: TcpDevice | PtyDevice, number: int) -> None:
    served.say(served.device.note(device.CARD, device.card(number, device.WITHHELD)))


def refs(first: int, last: int) -> list[str]:
    return [f"5/{number}" for number in range(first, last + 1)]
