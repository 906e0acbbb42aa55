"""A bench of USB ports under umockdev: `umockdev-wrapper python3 -m simulators.usb.bench`, with Debian's own Python.

It says `{"root": DIRECTORY}`: a process that has the preload library and UMOCKDEV_DIR set to this sees these devices,
and no others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

from simulators.usb.descriptors import Descriptors  # noqa: E402
from simulators.usb.device import UsbDevice  # noqa: E402
from simulators.usb.ports import Ports, Say, obey  # noqa: E402
from simulators.usb.usbfs import UsbfsNode  # noqa: E402

_HUB: Final = """P: /devices/usb1
A: busnum=1\\n
A: devnum=1\\n
A: idVendor=1d6b\\n
A: idProduct=0002\\n
A: speed=480\\n
E: DEVTYPE=usb_device
E: SUBSYSTEM=usb

"""
_MINORS_A_BUS: Final = 128
T = TypeVar("T")


class _Plugged:
    """One device in its port, and its traces in sysfs and /dev."""

    def __init__(self, testbed: Any, port: str, address: int, device: UsbDevice, kernel_driver: str | None) -> None:
        self.device = device
        self.address = address
        self._testbed = testbed
        self._port = port
        self._node = UsbfsNode(device, kernel_driver)
        self._name = f"/dev/bus/usb/001/{address:03}"
        self._path = f"/sys/devices/usb1/{port}"
        self.file = Path(testbed.get_root_dir() + self._name)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._link(self._node.target)
        testbed.attach_ioctl(self._name, self._node.handler)
        Path(f"{testbed.get_root_dir()}/ioctl{self._name}").chmod(0o777)
        testbed.add_from_string(_described(port, address, device.descriptors, kernel_driver))

    def unplug(self, first: int, removes: int) -> None:
        """The device first, its traces in sysfs then, as the kernel does it; `first` is what its transfers end with.

        Its node stays and answers that the device is gone: umockdev's library would leak a connection in whoever
        opens a node that is not there any more."""
        self._link("/dev/null")
        self._node.unplug(first)
        for _ in range(removes):
            self._testbed.uevent(self._path, "remove")
        for path in (f"{self._path}/{self._port}:1.0", self._path):
            self._testbed.remove_device(path)

    def _link(self, target: str) -> None:
        fresh = self.file.with_suffix(".new")
        fresh.symlink_to(target)
        fresh.replace(self.file)

    def forget(self) -> None:
        """Another device gets this address."""
        self._testbed.detach_ioctl(self._name)
        self.file.unlink()


class Bench(Ports):
    """Its ports are wherever a command names one, behind a hub too."""

    def __init__(self, say: Say) -> None:
        super().__init__(say)
        self._testbed = UMockdev.Testbed.new()
        self._testbed.add_from_string(_HUB)
        self._plugged: dict[str, _Plugged] = {}
        self._pulled: dict[int, _Plugged] = {}
        self._address = 1
        self.root: str = self._testbed.get_root_dir()
        os.chmod(self.root, 0o1777)  # noqa: S103  # hosts of other users listen for uevents in it
        self.greeting = {"root": self.root}

    def plug(self, port: str, *, driver: str | None = None, mode: int = 0o600, **says: Any) -> dict[str, Any]:
        """A new device; `says` is what it says of itself, `mode` that of its node, `driver` the kernel's for it."""
        self._address = max(2, (self._address + 1) % _MINORS_A_BUS)
        if before := self._pulled.pop(self._address, None):
            before.forget()
        device = self.made(port, **says)
        self._plugged[port] = _Plugged(self._testbed, port, self._address, device, driver)
        os.chmod(self._plugged[port].file, mode)
        return {"address": self._address}

    def unplug(self, port: str, *, first: int = 108, removes: int = 1) -> None:
        pulled = self._plugged.pop(port)
        pulled.unplug(first, removes)
        self._pulled[pulled.address] = pulled

    def announce(self, subsystem: str, name: str) -> None:
        """Any other device arrives."""
        self._testbed.add_device(subsystem, name, None, [], [])

    def at(self, port: str, act: Callable[[UsbDevice], T]) -> T:
        return act(self._plugged[port].device)

    def close(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)


def _described(port: str, address: int, says: Descriptors, kernel_driver: str | None) -> str:
    """The device and its interface, in umockdev's own language."""
    ids = {"idVendor": f"{says.vendor:04x}", "idProduct": f"{says.product:04x}", "bcdDevice": "0100"}
    attributes = {"busnum": 1, "devnum": address, **ids, "speed": 12, "bConfigurationValue": 1, "bNumInterfaces": " 1"}
    attributes |= {"manufacturer": says.maker, "product": says.name, **({"serial": says.serial} if says.serial else {})}
    minor = address - 1
    properties = {"DEVNAME": f"/dev/bus/usb/001/{address:03}", "DEVTYPE": "usb_device", "SUBSYSTEM": "usb"}
    properties |= {"BUSNUM": "001", "DEVNUM": f"{address:03}", "MAJOR": "189", "MINOR": str(minor)}
    interface = dict(zip(("Class", "SubClass", "Protocol"), (f"{each:02x}" for each in says.face), strict=True))
    return (
        f"P: /devices/usb1/{port}\n"
        + "".join(f"A: {name}={value}\\n\n" for name, value in attributes.items())
        + f"H: descriptors={(says.device + says.configuration).hex().upper()}\n"
        + "".join(f"E: {name}={value}\n" for name, value in properties.items())
        + f"\nP: /devices/usb1/{port}/{port}:1.0\nA: bInterfaceNumber=00\\n\n"
        + "".join(f"A: bInterface{name}={value}\\n\n" for name, value in interface.items())
        + (f"L: driver=../../../../bus/usb/drivers/{kernel_driver}\n" if kernel_driver else "")
        + "E: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\n\n"
    )


if __name__ == "__main__":
    obey(Bench)
