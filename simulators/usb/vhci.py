"""A bench of USB ports of a real kernel, which imports each device by USB/IP: `python -m simulators.usb.vhci`.

It needs root, and the module vhci-hcd loaded before those of other host controllers: its ports are those of bus 1."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from struct import Struct
from typing import Any, Final, TypeVar

from simulators.usb.device import UsbDevice
from simulators.usb.kernel import plugged_in, pulled, settle
from simulators.usb.ports import Ports, Say, obey
from simulators.usb.usbip import BUS_ID, UsbIpServer

_CONTROLLER: Final = Path("/sys/devices/platform/vhci_hcd.0")
_VERSION, _IMPORT = 0x0111, 0x8003
_REQUEST: Final = Struct(">HHI32s")
_ANSWER: Final = Struct(">HHI288xIII12x")
_SECONDS: Final = 30.0
T = TypeVar("T")


class _Export:
    """A device and its server, in the loop; `end` is the pull."""

    def __init__(self, device: UsbDevice) -> None:
        self.device = device
        self._server = UsbIpServer(device)
        self._pulled = asyncio.Event()
        self._port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._serve())

    async def port(self) -> int:
        return await self._port

    def end(self) -> None:
        self._server.unplug()
        self._pulled.set()

    async def _serve(self) -> None:
        async with self._server.serving() as port:
            self._port.set_result(port)
            await self._pulled.wait()


def attach(port: int, socket_number: int = 0) -> None:
    """Plug what a USB/IP server exports at this TCP port of loopback into a port of the controller, counted from 0."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(_REQUEST.pack(_VERSION, _IMPORT, 0, BUS_ID.encode()))
        answer = line.recv(_ANSWER.size, socket.MSG_WAITALL)
        if len(answer) < _ANSWER.size:
            raise OSError(f"the server at {port} exports nothing that is free")
        *_, bus, address, speed = _ANSWER.unpack(answer)
        (_CONTROLLER / "attach").write_text(f"{socket_number} {line.fileno()} {bus << 16 | address} {speed}")


class Bench(Ports):
    """Its ports are `1-1` to `1-8`."""

    def __init__(self, say: Say) -> None:
        super().__init__(say)
        self.greeting = {"root": "/"}
        self._exports: dict[str, _Export] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def plug(self, port: str, **says: Any) -> None:
        """A new device, which the kernel and udev have seen to; `says` is what it says of itself."""
        device = self.made(port, **says)
        self._exports[port] = self._call(lambda: _Export(device))
        attach(self._await(self._exports[port].port()), int(port.removeprefix("1-")) - 1)
        plugged_in(port)

    def unplug(self, port: str) -> None:
        """The device goes, and kernel and udev have forgotten it."""
        self._pull(port)
        settle()

    def empty(self) -> None:
        """Unplug whatever is plugged in."""
        for port in list(self._exports):
            self._pull(port)

    def at(self, port: str, act: Callable[[UsbDevice], T]) -> T:
        return self._call(lambda: act(self._exports[port].device))

    def close(self) -> None:
        self.empty()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _pull(self, port: str) -> None:
        self._call(self._exports.pop(port).end)
        pulled(port)

    def _call(self, act: Callable[[], T]) -> T:
        async def called() -> T:
            return act()

        return self._await(called())

    def _await(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_SECONDS)


if __name__ == "__main__":
    obey(Bench)
