"""Which USB device is meant, told by sysfs alone: reading strings from a device needs a permission to open it, and
fails in ways of its own.

A device is the one of its serial number, or the one at its port path (`1-1.4`: bus 1, port 1, port 4 of the hub
there). Bus addresses and node names change with every plugging and name nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.known_devices import READER, UsbId, is_port_path, names_a_device
from firmware_bridge.system_files import listed, text, text_if_any
from firmware_bridge.transport import LinkLost

assert READER.usb is not None
FACE: Final = READER.usb
"""How a reader looks where the configuration says nothing else."""

DEVICES: Final = Path("/sys/bus/usb/devices")
_INTERFACE: Final = ("bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """A device that is plugged in; `serial` is empty where it has none that tells it from others."""

    path: str
    bus: int
    address: int
    id: UsbId
    serial: str

    @property
    def node(self) -> str:
        return f"/dev/bus/usb/{self.bus:03}/{self.address:03}"

    def faces(self) -> dict[int, str]:
        """Its interfaces: number to class, subclass and protocol (`ff0001`); none while it is being set up or pulled,
        OSError where that happens meanwhile."""
        folders = list(_interfaces(self.path))
        faces = ("".join(text(folder / name) for name in _INTERFACE) for folder in folders)
        return {_number(folder): face for folder, face in zip(folders, faces, strict=True)}

    def driver(self, interface: int) -> str | None:
        """The kernel's driver of that interface; `usbfs` is a program."""
        for folder in _interfaces(self.path):
            with suppress(OSError):
                if _number(folder) == interface:
                    return (folder / "driver").readlink().name
        return None


def plugged_in() -> tuple[UsbDevice, ...]:
    """All devices, by port path; without the hubs that the computer itself has."""
    paths = sorted(folder.name for folder in listed(DEVICES) if is_port_path(folder.name))
    return tuple(device for path in paths if (device := _device(path)))


def meant(wanted: str, usb_id: UsbId) -> tuple[UsbDevice, ...]:
    """All devices that this serial number, or this port path, means."""
    return tuple(device for device in _named(wanted, plugged_in()) if device.id == usb_id)


def doubled(devices: tuple[UsbDevice, ...]) -> str:
    """That these have one serial number, and where they are."""
    places = " and ".join(device.path for device in devices)
    return f"{len(devices)} devices have the serial number {devices[0].serial}, at the ports {places}"


def found(wanted: str, usb_id: UsbId) -> UsbDevice:
    """The one device that is meant by a serial number or a port path; LinkLost where there is none, or more than one,
    with what there is."""
    devices = plugged_in()
    named = _named(wanted, devices)
    right = tuple(device for device in named if device.id == usb_id)
    if len(right) == 1:
        return right[0]
    if right:
        raise LinkLost("denied", doubled(right))
    others = named or [device for device in devices if device.id == usb_id]
    raise LinkLost("absent", _missing(wanted, usb_id, is_port_path(wanted), others))


def _named(wanted: str, devices: tuple[UsbDevice, ...]) -> list[UsbDevice]:
    """Under any USB id."""
    by_path = is_port_path(wanted)
    return [device for device in devices if (device.path if by_path else device.serial) == wanted]


def _missing(wanted: str, usb_id: UsbId, by_path: bool, others: Sequence[UsbDevice]) -> str:
    what = f"no device {usb_id} " + (f"at the port {wanted}" if by_path else f"with the serial number {wanted}")
    there = ", ".join(f"{each.id} {each.serial or 'without serial number'} at {each.path}" for each in others)
    return f"{what}; there is {there}" if there else what


def _device(path: str) -> UsbDevice | None:
    """None for one that is being pulled."""
    folder = DEVICES / path
    try:
        bus, address = int(text(folder / "busnum")), int(text(folder / "devnum"))
        usb_id = UsbId(text(folder / "idVendor"), text(folder / "idProduct"))
    except (OSError, ValueError):
        return None
    serial = text_if_any(folder / "serial")
    return UsbDevice(path, bus, address, usb_id, serial if names_a_device(serial) else "")


def _interfaces(path: str) -> Iterator[Path]:
    return (folder for folder in listed(DEVICES) if folder.name.startswith(f"{path}:"))


def _number(interface: Path) -> int:
    return int(text(interface / "bInterfaceNumber"), 16)
