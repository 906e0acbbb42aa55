"""A port of a real kernel whose device is a gadget of that kernel: `python -m simulators.usb.gadget`.

The kernel's dummy_hcd joins a host controller to a device controller, and FunctionFS leaves the device's endpoints to
this program. It needs root, and the modules dummy_hcd and usb_f_fs loaded before those of other host controllers: its
port is `1-1`. The chip decides which numbers the endpoints have."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from simulators.usb.descriptors import IN, OUT, PACKET_BYTES, Descriptors
from simulators.usb.device import Transfer, UsbDevice
from simulators.usb.kernel import plugged_in, pulled, settle
from simulators.usb.ports import Ports, Say, obey

_CONFIGFS: Final = Path("/sys/kernel/config")
_GADGET: Final = _CONFIGFS / "usb_gadget/reader"
_FUNCTIONS: Final = Path("/dev/shoewatch-gadget")
_CONTROLLER: Final = "dummy_udc.0"
_LANGUAGE: Final = "0x409"
_CONFIGURATION_BYTES: Final = 9
_DESCRIPTORS, _STRINGS = 3, 2
_FULL_SPEED, _HIGH_SPEED = 1, 2
_AGAIN_S: Final = 0.005
T = TypeVar("T")


class Bench(Ports):
    """Its one port is `1-1`; what a device says of its interface is the same for all."""

    def __init__(self, say: Say) -> None:
        super().__init__(say)
        self.greeting = {"root": "/"}
        self._devices: dict[str, UsbDevice] = {}
        self._pumps: list[threading.Thread] = []
        self._control, self._in, self._out = _function()

    def plug(self, port: str, **says: Any) -> None:
        """A new device, which the kernel and udev have seen to; `says` is what it says of itself."""
        device = self._devices[port] = self.made(port, **says)
        _tell(device.descriptors)
        self._pumps = [
            threading.Thread(target=pump, args=(device, file), daemon=True)
            for pump, file in ((_to_host, self._in), (_from_host, self._out))
        ]
        for pump in self._pumps:
            pump.start()
        _connect(_CONTROLLER)
        plugged_in(port)

    def unplug(self, port: str) -> None:
        """The device goes, and kernel and udev have forgotten it."""
        self._pull(port)
        settle()

    def empty(self) -> None:
        """Unplug whatever is plugged in."""
        for port in list(self._devices):
            self._pull(port)

    def at(self, port: str, act: Callable[[UsbDevice], T]) -> T:
        return act(self._devices[port])

    def close(self) -> None:
        self.empty()

    def _pull(self, port: str) -> None:
        _connect("")
        self._devices.pop(port).unplug()
        for pump in self._pumps:
            pump.join()
        pulled(port)


def _function() -> tuple[int, int, int]:
    """The gadget with its function, ready to be connected: the files of its control endpoint, in and out. What is read
    or written never waits for a host to be there, which is EAGAIN."""
    if not _GADGET.parent.exists():
        subprocess.run(["mount", "-t", "configfs", "none", str(_CONFIGFS)], check=True)
    for folder in ("", f"strings/{_LANGUAGE}", "configs/c.1", "functions/ffs.reader"):
        (_GADGET / folder).mkdir(exist_ok=True)
    (_GADGET / "configs/c.1/ffs.reader").symlink_to(_GADGET / "functions/ffs.reader")
    _FUNCTIONS.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "functionfs", "reader", str(_FUNCTIONS)], check=True)
    control = os.open(_FUNCTIONS / "ep0", os.O_RDWR)
    interface = Descriptors().configuration[_CONFIGURATION_BYTES:]
    count = interface[4] + 1
    both = struct.pack("<II", count, count) + 2 * interface
    os.write(control, struct.pack("<III", _DESCRIPTORS, 12 + len(both), _FULL_SPEED | _HIGH_SPEED) + both)
    os.write(control, struct.pack("<IIII", _STRINGS, 16, 0, 0))
    into, out = (os.open(_FUNCTIONS / name, os.O_RDWR | os.O_NONBLOCK) for name in ("ep1", "ep2"))
    return control, into, out


def _tell(says: Descriptors) -> None:
    """What the device says of itself, once it is connected."""
    strings = {"serialnumber": says.serial, "manufacturer": says.maker, "product": says.name}
    for name, text in strings.items():
        (_GADGET / f"strings/{_LANGUAGE}" / name).write_text(text)
    for name, number in {"idVendor": says.vendor, "idProduct": says.product}.items():
        (_GADGET / name).write_text(f"{number:#06x}")


def _connect(controller: str) -> None:
    """Plug the gadget into this controller; nowhere where it has no name."""
    (_GADGET / "UDC").write_text(f"{controller}\n")


def _to_host(device: UsbDevice, file: int) -> None:
    """Hand over one report after the other, until the device is pulled."""
    while not device.is_gone:
        code, report = _ended(device, IN)
        if code == errno.EPIPE:
            _moved(device, lambda: _halt(file))
            device.clear_halt(IN)
        elif code == 0:
            _moved(device, partial(os.write, file, report))


def _from_host(device: UsbDevice, file: int) -> None:
    """Take one packet after the other, until the device is pulled."""
    while packet := _moved(device, partial(os.read, file, PACKET_BYTES)):
        _ended(device, OUT, packet)


def _ended(device: UsbDevice, endpoint: int, data: bytes = b"") -> tuple[int, bytes]:
    """How a transfer ended, and what came in."""
    ended: SimpleQueue[tuple[int, bytes]] = SimpleQueue()
    with device.lock:
        if device.is_gone:
            return errno.ESHUTDOWN, b""
        device.submit(Transfer(endpoint, PACKET_BYTES, lambda code, came: ended.put((code, came)), data))
    return ended.get()


def _moved(device: UsbDevice, move: Callable[[], T]) -> T | None:
    """What `move` gives once a host is there; None where the device is pulled before."""
    while not device.is_gone:
        try:
            return move()
        except (BlockingIOError, BrokenPipeError):
            time.sleep(_AGAIN_S)
    return None


def _halt(into: int) -> None:
    """The kernel takes the wrong direction for this wish."""
    try:
        os.read(into, PACKET_BYTES)
    except OSError as done:
        if done.errno != errno.EBADMSG:
            raise


if __name__ == "__main__":
    obey(Bench)
