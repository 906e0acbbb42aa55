"""What is plugged in: USB devices and serial lines, from sysfs alone, without opening any of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.known_devices import CONVERTERS, KNOWN, UsbId, is_port_path
from firmware_bridge.system_files import listed, text_if_any
from firmware_bridge.usb_identity import UsbDevice, plugged_in

TTYS: Final = Path("/sys/class/tty")
LINKS: Final = (Path("/dev/shoewatch"), Path("/dev/serial/by-id"))
_NO_UART: Final = "0"


@dataclass(frozen=True, slots=True)
class SerialLine:
    """A serial line of the computer's own, or of a USB device: then `socket` is that device's port path. `links`: what
    it is called besides."""

    node: str
    driver: str
    socket: str | None
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plugged:
    """Everything, by port path and by name."""

    devices: tuple[UsbDevice, ...] = ()
    lines: tuple[SerialLine, ...] = ()


def everything_plugged_in() -> Plugged:
    """What is there now; what is being pulled may be missing."""
    return Plugged(plugged_in(), tuple(_lines()))


def called(usb_id: UsbId) -> str:
    """What the product knows of a USB id: `reference reader`, `FTDI FT232R, a converter`, or that it knows nothing."""
    device = next((known.name for known in KNOWN if known.usb and known.usb.id == usb_id), None)
    converter = CONVERTERS.get(usb_id)
    return device or (f"{converter}, a converter" if converter else "not known here")


def _lines() -> Iterator[SerialLine]:
    links = _links()
    for entry in sorted(listed(TTYS), key=lambda entry: entry.name):
        with suppress(OSError):
            device = (entry / "device").resolve(strict=True)
            if text_if_any(entry / "type") != _NO_UART:
                node = f"/dev/{entry.name}"
                yield SerialLine(node, _driver(device), _socket(device), tuple(links.get(entry.name, ())))


def _socket(device: Path) -> str | None:
    """The nearest USB device above it."""
    return next((folder.name for folder in (device, *device.parents) if is_port_path(folder.name)), None)


def _driver(device: Path) -> str:
    with suppress(OSError):
        return (device / "driver").readlink().name
    return "no driver"


def _links() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in LINKS:
        for link in sorted(listed(folder)):
            with suppress(OSError):
                found.setdefault(Path(os.readlink(link)).name, []).append(str(link))
    return found
