"""The suite of transports over USB."""

from __future__ import annotations

import asyncio
from pathlib import Path

import transport_suite
from device_lines import descriptors, until
from transport_suite import Rig
from usb_bench import Bench

from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings, Transport
from protocols.records import LossKind

SERIAL = "HCR-0007"


async def opened(address: str = f"usb:{SERIAL}") -> Transport:
    return await open_port(parse_port(address), LineSettings(115200))


class UsbRig(Rig):
    second: LossKind | None = "busy"

    def __init__(self, folder: Path, bench: Bench) -> None:
        super().__init__(folder)
        self.bench = bench

    async def open(self) -> Transport:
        self.bench.plug(serial=SERIAL)
        await (await self.again()).close()
        self.before = descriptors()
        return await self.again()

    async def again(self) -> Transport:
        return await opened()

    async def send(self, data: bytes) -> None:
        self.bench.send(data)

    async def hang_up(self) -> None:
        self.bench.unplug()

    async def heard(self, data: bytes) -> None:
        await until(lambda: self.bench.has_heard(data))

    async def stop(self) -> None:
        await asyncio.sleep(0)


async def conform(bench: Bench, case: str) -> None:
    await transport_suite.run(UsbRig(Path(), bench), case)
