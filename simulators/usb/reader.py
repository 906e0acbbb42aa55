"""The reference reader as a device on USB, exported by USB/IP: `python -m simulators.usb.reader [PORT [SERIAL]]`.

It obeys lines of its input: `seat natural`, `seat none`, `remove`, `unplug`, `plug`."""

from __future__ import annotations

import asyncio
import sys
from typing import Final

from simulators.live.play import READER_SERIAL
from simulators.live.station import Station
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader
from simulators.usb.descriptors import Descriptors
from simulators.usb.device import UsbDevice
from simulators.usb.packets import Assembler, to_packets
from simulators.usb.usbip import UsbIpServer

_PORT: Final = 3240
_UNREAD_MAX: Final = 64


class UsbReader:
    """A reader and its plug; `station` is the reader's own side, `server` the host's."""

    def __init__(self, serial: str = READER_SERIAL, port: int = 0) -> None:
        self._assembler = Assembler()
        self.server = UsbIpServer(UsbDevice(Descriptors(serial), self._hear), port)
        now = asyncio.get_running_loop().time()
        self.station = Station(TdlReader(simulated("reader", serial), Memory(), now), self)

    def plug_in(self) -> None:
        self.server.plug_in()

    def unplug(self) -> None:
        self.server.unplug()

    async def send(self, data: bytes) -> bool:
        """Whether there is a host that asks for it, at least now and then."""
        device = self.server.device
        if not self.server.is_imported or device.unread > _UNREAD_MAX:
            return False
        for packet in to_packets(data):
            device.send(packet)
        return True

    def obey(self, line: str) -> None:
        """One line of the person who stands before it; what it does not know it says."""
        match line.split():
            case ["seat", "natural" | "none" as what]:
                self.station.do(lambda now: self.station.device.seat(now, natural=what == "natural"))
            case ["remove"]:
                self.station.do(self.station.device.remove)
            case ["unplug"]:
                self.unplug()
            case ["plug"]:
                self.plug_in()
            case _:
                sys.stderr.write(f"{line!r}: it is seat natural, seat none, remove, unplug or plug\n")

    def _hear(self, packet: bytes) -> None:
        if frame := self._assembler.take(packet):
            self.station.hear(frame)


async def serve(port: int = _PORT, serial: str = READER_SERIAL) -> None:
    """Until the input ends."""
    reader = UsbReader(serial, port)
    async with reader.server.serving() as served, asyncio.TaskGroup() as group:
        running = group.create_task(reader.station.run())
        sys.stdout.write(f"{served}\n")
        sys.stdout.flush()
        async for line in await _input():
            reader.obey(line.decode(errors="replace").strip())
        running.cancel()


async def _input() -> asyncio.StreamReader:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    return lines


if __name__ == "__main__":
    asyncio.run(serve(int((sys.argv[1:] or [str(_PORT)])[0]), (sys.argv[2:] or [READER_SERIAL])[0]))
