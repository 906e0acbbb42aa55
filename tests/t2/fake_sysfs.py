"""A tree as the kernel shows it under /sys, of USB devices and the serial lines that they make, and their uevents."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_HOST = "devices/pci0000:00/0000:00:14.0"
_USB_MAJOR = 189
_TTY_MAJOR = 188


@dataclass(frozen=True)
class Device:
    """A USB device in the socket `port` (1-1.4); `interfaces` as class, subclass and protocol; `ttys` names the serial
    lines that it makes, one on each interface."""

    port: str
    number: int
    vendor: str = "1209"
    product: str = "ca4d"
    serial: str | None = "HCR-0007"
    interfaces: Sequence[str] = ("ff0001",)
    ttys: Sequence[str] = ()


@dataclass(frozen=True)
class Uevent:
    """What the kernel says of a device, and the node that it makes for it."""

    devpath: str
    node: str
    major: int
    minor: int
    fields: Mapping[str, str] = field(default_factory=dict)

    def said(self, action: str) -> bytes:
        devnum = {"MAJOR": str(self.major), "MINOR": str(self.minor), "DEVNAME": self.node}
        fields = {"ACTION": action, "DEVPATH": f"/{self.devpath}", **self.fields, **devnum}
        return "".join([f"{action}@/{self.devpath}\0", *(f"{key}={value}\0" for key, value in fields.items())]).encode()


def build(sys: Path, devices: Sequence[Device]) -> dict[str, list[Uevent]]:
    """Write the tree of these devices anew; for each socket the uevents of the device and of its lines."""
    for folder in ("bus/usb/devices", "bus/usb-serial/devices", "class/tty", "dev/char"):
        (sys / folder).mkdir(parents=True, exist_ok=True)
    root = sys / _HOST / "usb1"
    _write(root, uevent="DEVTYPE=usb_device", idVendor="1d6b", idProduct="0002")
    _link(root / "subsystem", sys / "bus/usb")
    return {device.port: _plugged(sys, device) for device in devices}


def _plugged(sys: Path, device: Device) -> list[Uevent]:
    path = _folder(sys, device.port)
    minor = device.number - 1
    product = f"{int(device.vendor, 16):x}/{int(device.product, 16):x}/100"
    event = Uevent(
        str(path.relative_to(sys)),
        f"bus/usb/001/{device.number:03}",
        _USB_MAJOR,
        minor,
        {
            "SUBSYSTEM": "usb",
            "DEVTYPE": "usb_device",
            "PRODUCT": product,
            "BUSNUM": "001",
            "DEVNUM": f"{device.number:03}",
        },
    )
    serial = {} if device.serial is None else {"serial": device.serial}
    _write(path, idVendor=device.vendor, idProduct=device.product, busnum="1", devnum=str(device.number), **serial)
    (path / "descriptors").write_bytes(_descriptors(device))
    _node(sys, path, event, "bus/usb")
    return [event, *_interfaces(sys, path, device)]


def _interfaces(sys: Path, path: Path, device: Device) -> list[Uevent]:
    events = []
    for index, kind in enumerate(device.interfaces):
        interface = path / f"{device.port}:1.{index}"
        names = ("bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")
        parts = dict(zip(names, (kind[:2], kind[2:4], kind[4:]), strict=True))
        _write(interface, uevent="DEVTYPE=usb_interface", bInterfaceNumber=f"{index:02}", **parts)
        _link(interface / "subsystem", sys / "bus/usb")
        if index < len(device.ttys):
            events.append(_line(sys, interface, device.ttys[index]))
    return events


def _line(sys: Path, interface: Path, name: str) -> Uevent:
    port = interface / name
    _write(port, uevent="DRIVER=ftdi_sio", port_number="0")
    _link(port / "subsystem", sys / "bus/usb-serial")
    tty = port / "tty" / name
    minor = int(name.removeprefix("ttyUSB"))
    event = Uevent(str(tty.relative_to(sys)), name, _TTY_MAJOR, minor, {"SUBSYSTEM": "tty"})
    _node(sys, tty, event, "class/tty")
    return event


def _folder(sys: Path, port: str) -> Path:
    """`.../usb1/1-1/1-1.4` for 1-1.4: each hub on the way is a device of its own."""
    bus, _, sockets = port.partition("-")
    chain = sockets.split(".")
    hubs = [f"{bus}-{'.'.join(chain[: depth + 1])}" for depth in range(len(chain))]
    for depth in range(1, len(hubs)):
        hub = sys.joinpath(_HOST, "usb1", *hubs[:depth])
        if not hub.exists():
            _write(hub, uevent="DEVTYPE=usb_device", idVendor="05e3", idProduct="0608")
            _link(hub / "subsystem", sys / "bus/usb")
    return sys.joinpath(_HOST, "usb1", *hubs)


def _node(sys: Path, path: Path, event: Uevent, subsystem: str) -> None:
    dev = f"{event.major}:{event.minor}"
    lines = {**event.fields, "MAJOR": str(event.major), "MINOR": str(event.minor), "DEVNAME": event.node}
    lines.pop("SUBSYSTEM")
    _write(path, uevent="\n".join(f"{key}={value}" for key, value in lines.items()), dev=dev)
    _link(path / "subsystem", sys / subsystem)
    _link(sys / "dev/char" / dev, path)
    listed = sys / subsystem / ("devices" if subsystem.startswith("bus") else "") / path.name
    _link(listed, path)


def _descriptors(device: Device) -> bytes:
    """The device's descriptor, and one configuration whose interfaces have an interrupt endpoint each way."""
    interfaces = b"".join(
        struct.pack("<9B", 9, 4, index, 0, 2, *bytes.fromhex(kind), 0)
        + struct.pack("<BBBBHB", 7, 5, 0x81 + index, 3, 64, 1)
        + struct.pack("<BBBBHB", 7, 5, 0x01 + index, 3, 64, 1)
        for index, kind in enumerate(device.interfaces)
    )
    ids = int(device.vendor, 16), int(device.product, 16), 0x100
    configuration = struct.pack("<BBHBBBBB", 9, 2, 9 + len(interfaces), len(device.interfaces), 1, 0, 0x80, 50)
    return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x200, 0, 0, 0, 64, *ids, 1, 2, 3, 1) + configuration + interfaces


def _write(folder: Path, **attributes: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in attributes.items():
        (folder / name).write_text(f"{value}\n")


def _link(link: Path, target: Path) -> None:
    if link.is_symlink():
        link.unlink()
    link.symlink_to(os.path.relpath(target, link.parent))
