"""A supervised reader that comes and goes, told by udev or looked for, one body a test; each at a bench of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

from device_lines import descriptors, device_threads, until
from usb_bench import Bench, Body
from usb_rig import SERIAL, opened

from firmware_bridge import hotplug
from firmware_bridge.hotplug import Hotplug
from firmware_bridge.link import Backoff, LinkSupervisor
from firmware_bridge.transport import Transport
from protocols.records import LinkChanged

NEVER_S = 3600.0
PATIENT = Backoff(NEVER_S, NEVER_S)
CASES: list[str] = []


def case(body: Body) -> Body:
    CASES.append(body.__name__)
    return body


class Desk:
    """A supervisor of the reader, with what it reported; it waits for ever unless it is told that something came."""

    def __init__(self, rescan_s: float = NEVER_S) -> None:
        self.changes: list[LinkChanged] = []
        self.arrivals = 0
        self.supervisor = LinkSupervisor("reader", opened, self._report, PATIENT)
        self._hotplug = Hotplug(self._arrived, rescan_s=rescan_s)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._hotplug.run()), asyncio.create_task(self.supervisor.run(self._serve))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def is_in(self, state: str, times: int = 1) -> None:
        await until(lambda: sum(change.now == state for change in self.changes) >= times, 20)

    def told(self) -> list[str]:
        return [change.now for change in self.changes]

    def _arrived(self) -> None:
        self.arrivals += 1
        self.supervisor.hurry()

    async def _report(self, change: LinkChanged) -> None:
        self.changes.append(change)

    async def _serve(self, transport: Transport) -> NoReturn:
        await transport.write(b"\x06")
        await self.supervisor.enter("ready")
        while True:
            await transport.read()


@case
async def an_arrival_ends_the_pause(bench: Bench) -> None:
    desk = Desk()
    async with desk.running():
        await desk.is_in("absent")
        bench.plug(serial=SERIAL)
        await desk.is_in("ready")
        bench.unplug(removes=1)
        await desk.is_in("lost")
        await asyncio.sleep(0.1)
        assert desk.told() == ["opening", "absent", "ready", "lost"]
        bench.plug("1-2", serial=SERIAL)
        await desk.is_in("ready", 2)


@case
async def others_that_come_and_go_do_not_disturb(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    desk = Desk()
    async with desk.running():
        await desk.is_in("ready")
        bench.plug("1-2", serial="HCR-0001")
        bench.unplug("1-2", removes=2)
        await until(lambda: desk.arrivals > 0)
        await asyncio.sleep(0.2)
        assert desk.told() == ["opening", "ready"]


@case
async def a_serial_line_that_arrives_is_told_too(bench: Bench) -> None:
    desk = Desk()
    async with desk.running():
        await desk.is_in("absent")
        bench.do("announce", subsystem="input", name="mouse7")
        bench.do("announce", subsystem="tty", name="ttyUSB7")
        await until(lambda: desk.arrivals > 0)
        await asyncio.sleep(0.1)
        assert desk.arrivals == 1


@case
async def without_udev_it_is_looked_for(bench: Bench) -> None:
    vars(hotplug)["_monitor"] = lambda: None
    desk = Desk(rescan_s=0.05)
    async with desk.running():
        await desk.is_in("absent")
        bench.plug(serial=SERIAL)
        await desk.is_in("ready")
        bench.unplug()
        await desk.is_in("lost")
        bench.plug(serial=SERIAL)
        await desk.is_in("ready", 2)


async def replugs(bench: Bench, count: str) -> None:
    """Not one of the cases above: `count` times out and in, and nothing grows."""
    desk = Desk()
    async with desk.running():
        for number in range(1, 4 + int(count)):
            bench.plug(serial=SERIAL)
            await desk.is_in("ready", number)
            bench.unplug(removes=number % 2)
            await desk.is_in("lost", number)
            if number == 3:
                before = _held()
        await until(lambda: all(now <= then for now, then in zip(_held(), before, strict=True)))


def _held() -> tuple[int, int, int, int]:
    return len(descriptors()), device_threads(), len(os.listdir("/proc/self/task")), len(asyncio.all_tasks())
