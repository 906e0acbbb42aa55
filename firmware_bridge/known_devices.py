"""The devices that the product knows, in one table: from it come the udev rules, the speed of a serial line, and what
is said of a device that is plugged in.

A converter chip stands in front of anything, a shoe as well as a till: it is known here so that it is never taken for
a device by its USB id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from firmware_bridge.transport import LineSettings

Role = Literal["shoe", "reader"]
Protocol = Literal["angel-eye", "bee-tek", "tdl"]

_USB_ID: Final = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})")
_PORT_PATH: Final = re.compile(r"[0-9]+-[0-9]+(\.[0-9]+)*")


@dataclass(frozen=True, slots=True, order=True)
class UsbId:
    """Vendor and product, each of four lower-case hex digits, as udev and sysfs write them."""

    vendor: str
    product: str

    @classmethod
    def parse(cls, text: str) -> UsbId:
        """`1209:ca4d`; ValueError for anything else."""
        found = _USB_ID.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no USB id (VENDOR:PRODUCT, such as 1209:ca4d, in hexadecimal)")
        return cls(found[1].lower(), found[2].lower())

    def __str__(self) -> str:
        return f"{self.vendor}:{self.product}"


@dataclass(frozen=True, slots=True)
class UsbFace:
    """How a device looks on USB: its id, and its one interface as class, subclass and protocol, two hex digits each."""

    id: UsbId
    interface: str


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A kind of device. `usb` is None where it is reached through a serial line, `line` None where it is not."""

    name: str
    role: Role
    protocol: Protocol
    usb: UsbFace | None = None
    line: LineSettings | None = None


READER: Final = KnownDevice("reference reader", "reader", "tdl", usb=UsbFace(UsbId("1209", "ca4d"), "ff0001"))

KNOWN: Final[tuple[KnownDevice, ...]] = (
    READER,
    KnownDevice("reference shoe", "shoe", "tdl", line=LineSettings(baud=115200)),
    KnownDevice("Angel Eye II-EX", "shoe", "angel-eye", line=LineSettings(baud=4800)),
    KnownDevice("Bee-Tek", "shoe", "bee-tek", line=LineSettings(baud=9600)),
)

CONVERTERS: Final[Mapping[UsbId, str]] = {
    UsbId("0403", "6001"): "FTDI FT232R",
    UsbId("0403", "6010"): "FTDI FT2232",
    UsbId("0403", "6011"): "FTDI FT4232",
    UsbId("0403", "6014"): "FTDI FT232H",
    UsbId("0403", "6015"): "FTDI FT-X",
    UsbId("067b", "2303"): "Prolific PL2303",
    UsbId("067b", "23a3"): "Prolific PL2303GC",
    UsbId("10c4", "ea60"): "Silicon Labs CP210x",
    UsbId("10c4", "ea70"): "Silicon Labs CP2105",
    UsbId("1a86", "5523"): "WCH CH341",
    UsbId("1a86", "55d3"): "WCH CH343",
    UsbId("1a86", "55d4"): "WCH CH9102",
    UsbId("1a86", "7523"): "WCH CH340",
    UsbId("110a", "1110"): "Moxa UPort 1110",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a device's word is worth: `assurance`, what proves that it is this device; `loss_detection`, how surely it
    shows that something was missed."""

    assurance: Literal["key-bound", "unauthenticated"]
    loss_detection: Literal["complete", "weak", "none"]


EVIDENCE: Final[Mapping[Protocol, Evidence]] = {
    "angel-eye": Evidence("unauthenticated", "weak"),
    "bee-tek": Evidence("unauthenticated", "none"),
    "tdl": Evidence("key-bound", "complete"),
}


def line_of(protocol: Protocol) -> LineSettings:
    """The serial line of the devices that speak this protocol."""
    return next(device.line for device in KNOWN if device.protocol == protocol and device.line)


def is_port_path(text: str) -> bool:
    """Whether this is the path of a USB socket: `1-1.4`, bus 1, its socket 1, in the hub there socket 4."""
    return _PORT_PATH.fullmatch(text) is not None


def names_a_device(serial: str) -> bool:
    """Whether a serial number tells one device from another: makers leave it empty, or fill it with one character."""
    return len(set(serial)) > 1
