"""The line of a simulated reader that stands at the bench, packets on USB on the host's side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from usb_bench import Bench

from simulators.live.play import READER_SERIAL
from simulators.usb.packets import Assembler, to_packets


class UsbLine:
    """In the port `port`, under `serial`."""

    def __init__(self, bench: Bench, port: str = "1-1", serial: str = READER_SERIAL) -> None:
        self.bench = bench
        self.port = port
        self.serial = serial
        self._is_in = False
        self._assembler = Assembler()

    def plug_in(self) -> None:
        if not self._is_in:
            self._is_in, self._assembler = True, Assembler()
            self.bench.plug(self.port, serial=self.serial)

    def unplug(self) -> None:
        if self._is_in:
            self._is_in = False
            self.bench.unplug(self.port)

    async def send(self, data: bytes) -> bool:
        if self._is_in:
            self.bench.send(*to_packets(data), port=self.port)
        return self._is_in

    async def attend(self, hear: Callable[[bytes], None]) -> None:
        def heard(port: str, packet: bytes) -> None:
            if port == self.port and (frame := self._assembler.take(packet)):
                hear(frame)

        self.bench.on_heard = heard
        loop = asyncio.get_running_loop()
        loop.add_reader(self.bench.output, self.bench.pump)
        try:
            await asyncio.Event().wait()
        finally:
            loop.remove_reader(self.bench.output)
