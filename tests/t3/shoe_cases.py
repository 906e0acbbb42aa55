"""The shoe behind a converter, with the kernel's own driver for it: found by the converter's serial number."""

from __future__ import annotations

import asyncio
import os
import termios
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import transport_suite
from as_nobody import in_the_group
from device_lines import descriptors, until
from ftdi import LINK, MODULES, NAME, SERIAL, FtdiLine, Hand
from guest import Case, do, load, set_up
from transport_suite import Rig, loss

from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings, Transport
from firmware_bridge.udev_rules import Shoe, rules
from protocols.records import LossKind

ADDRESS = f"serial:{LINK}"
CASES: dict[str, Case] = {}


async def opened() -> Transport:
    return await open_port(parse_port(ADDRESS), LineSettings(115200))


class FtdiRig(Rig):
    second: LossKind | None = "busy"

    def __init__(self, line: FtdiLine) -> None:
        super().__init__(Path())
        self.line = line
        self.received = bytearray()

    async def open(self) -> Transport:
        self.line.plug_in()
        await self.line.is_there()
        self.before = descriptors()
        return await self.again()

    async def again(self) -> Transport:
        return await opened()

    async def send(self, data: bytes) -> None:
        await self.line.send(data)

    async def hang_up(self) -> None:
        self.line.unplug()

    async def heard(self, data: bytes) -> None:
        def whole() -> bool:
            self.received += self.line.receive()
            return bytes(self.received) == data

        await until(whole)

    async def stop(self) -> None:
        self.line.unplug()
        await self.line.is_there(False)


async def conform(name: str, hand: Hand) -> None:
    line = FtdiLine(hand)
    try:
        await transport_suite.run(FtdiRig(line), name)
    finally:
        line.close()


CASES |= {f"transport: {name}": partial(conform, name) for name in transport_suite.CASES}


def case(body: Callable[[FtdiLine], Awaitable[None]]) -> Case:
    async def at_line(hand: Hand) -> None:
        line = FtdiLine(hand)
        try:
            line.plug_in()
            await line.is_there()
            await body(line)
        finally:
            line.close()

    CASES[body.__name__] = at_line
    return at_line


@case
async def only_the_group_may_open_it(line: FtdiLine) -> None:
    node = LINK.resolve()
    assert node.name.startswith("ttyUSB")
    assert do("stat", "--format", "%A %U %G", str(node)).strip() == "crw-rw---- root shoewatch"
    with in_the_group(None):
        lost = await loss(opened())
    assert lost.kind == "denied"
    assert "nobody is not in the group shoewatch" in lost.detail
    with in_the_group("shoewatch"):
        transport = await opened()
        await transport.close()


@case
async def it_has_the_speed_that_was_asked_for_and_keeps_its_modem_lines(line: FtdiLine) -> None:
    transport = await open_port(parse_port(f"{ADDRESS}?baud=4800"), LineSettings(115200))
    looking = os.open(LINK, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        _, _, control, _, into, out, _ = termios.tcgetattr(looking)
    finally:
        os.close(looking)
    assert (into, out) == (termios.B4800, termios.B4800)
    assert control & (termios.CSIZE | termios.PARENB | termios.CSTOPB | termios.HUPCL) == termios.CS8
    await transport.close()


@case
async def a_pulled_converter_takes_its_name_along_and_brings_it_back(line: FtdiLine) -> None:
    transport = await opened()
    reading = asyncio.create_task(transport.read())
    line.unplug()
    assert (await loss(reading)).kind == "gone"
    await line.is_there(False)
    assert (await loss(opened())).kind == "absent"
    line.plug_in()
    await line.is_there()
    transport = await opened()
    await line.send(b"\x05")
    assert (await transport.read()).data == b"\x05"
    await transport.close()


@contextmanager
def machine() -> Iterator[Hand]:
    set_up(rules([Shoe(SERIAL, NAME)]))
    load(*MODULES)
    do("udevadm", "settle")
    yield Hand()


def between(_: Hand) -> None:
    """Every case cleans up for itself."""
