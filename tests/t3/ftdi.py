"""The shoe's end of QEMU's converter, which has the chip of FTDI: a port of the machine whose other end is the
converter's line, and QEMU's own monitor, which plugs it and pulls it."""

from __future__ import annotations

import asyncio
import json
import os
import select
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from device_lines import until

SERIAL: Final = "SHOE42"
NAME: Final = "SH42"
LINK: Final = Path(f"/dev/shoewatch/shoe-{NAME}")
DEVICES: Final = (
    *("-device", "qemu-xhci,id=xhci", "-device", "virtio-serial"),
    *("-chardev", "socket,id=line,path=line,server=on,wait=off", "-chardev", "socket,id=shoe,path=line"),
    *("-device", "virtserialport,chardev=shoe,name=shoe"),
    *("-chardev", "socket,id=qmp,path=qmp,server=on,wait=off", "-mon", "chardev=qmp,mode=control"),
    *("-chardev", "socket,id=hand,path=qmp", "-device", "virtserialport,chardev=hand,name=hand"),
)
"""For QEMU; the converter itself is plugged in later."""
MODULES: Final = ("virtio_console", "xhci-pci", "ftdi_sio")

_SHOE: Final = "/dev/virtio-ports/shoe"
_HAND: Final = "/dev/virtio-ports/hand"
_CONVERTER: Final = {"driver": "usb-serial", "id": "converter", "chardev": "line", "bus": "xhci.0", "serial": SERIAL}
_READ_MAX: Final = 65536
_DEADLINE_S: Final = 20.0


class Hand:
    """Plugs the converter and pulls it."""

    def __init__(self) -> None:
        self._hand = os.open(_HAND, os.O_RDWR)
        self._rest = b""
        self._next()
        self._do("qmp_capabilities")

    def plug(self) -> None:
        self._do("device_add", **_CONVERTER, **{"always-plugged": True})

    def pull(self) -> None:
        """Once its place is free again."""
        self._do("device_del", "event", id=_CONVERTER["id"])

    def _do(self, command: str, *then: str, **arguments: Any) -> None:
        """Give a command, until it is answered and what follows it has been said, in either order."""
        os.write(self._hand, json.dumps({"execute": command, "arguments": arguments}).encode())
        wanted = {"return", *then}
        while wanted:
            said = self._next()
            assert "error" not in said, said
            wanted -= said.keys()

    def _next(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._hand], (), (), _DEADLINE_S)
            assert ready, "the monitor does not answer"
            self._rest += os.read(self._hand, _READ_MAX)
        line, _, self._rest = self._rest.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        return said


class FtdiLine:
    """The device's end of the line; `heard` is all that came while it was plugged in."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._is_in = False
        self._port = os.open(_SHOE, os.O_RDWR | os.O_NONBLOCK)
        self.heard = bytearray()

    def plug_in(self) -> None:
        """Harmless when plugged in already."""
        if not self._is_in:
            self._hand.plug()
            self._is_in = True

    def unplug(self) -> None:
        """Harmless when unplugged already."""
        if self._is_in:
            self._is_in = False
            self._hand.pull()

    async def is_there(self, there: bool = True) -> None:
        """Once udevd has seen to it, either way."""
        await until(lambda: LINK.exists() == there, _DEADLINE_S)

    async def send(self, data: bytes) -> bool:
        """Whether it was plugged in; waits while the converter takes nothing."""
        while data and self._is_in:
            with suppress(BlockingIOError):
                data = data[os.write(self._port, data) :]
            if data:
                await asyncio.sleep(0.005)
        return self._is_in

    async def attend(self, hear: Callable[[bytes], None]) -> None:
        """Pass on what comes, for ever."""
        while True:
            if data := self.receive():
                hear(data)
            await asyncio.sleep(0.005)

    def receive(self) -> bytes:
        """What has come since; the port tells an end that it does not have while nobody is at the other one."""
        with suppress(BlockingIOError):
            return os.read(self._port, _READ_MAX)
        return b""

    def close(self) -> None:
        self.unplug()
        os.close(self._port)
