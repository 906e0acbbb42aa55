"""The table of devices: ids as udev writes them, no converter among them, and which serial numbers name a device."""

from __future__ import annotations

import re

import pytest

from firmware_bridge.known_devices import CONVERTERS, KNOWN, UsbId, is_port_path, line_of, names_a_device

WRITTEN = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")


def test_ids_are_written_as_udev_writes_them() -> None:
    ids = [*CONVERTERS, *(device.usb.id for device in KNOWN if device.usb)]
    assert all(WRITTEN.fullmatch(str(each)) for each in ids)
    assert len(set(ids)) == len(ids)


def test_every_device_is_reached_in_one_way() -> None:
    assert all((device.usb is None) != (device.line is None) for device in KNOWN)


def test_no_converter_chip_passes_for_a_device() -> None:
    assert not {device.usb.id for device in KNOWN if device.usb} & CONVERTERS.keys()


def test_an_interface_is_class_subclass_and_protocol() -> None:
    assert all(re.fullmatch("[0-9a-f]{6}", device.usb.interface) for device in KNOWN if device.usb)


@pytest.mark.parametrize(("protocol", "baud"), [("angel-eye", 4800), ("bee-tek", 9600), ("tdl", 115200)])
def test_the_speed_of_a_line(protocol: str, baud: int) -> None:
    assert line_of(protocol).baud == baud  # type: ignore[arg-type]


def test_an_id_is_read_in_either_case() -> None:
    assert UsbId.parse("1209:CA4D") == UsbId("1209", "ca4d")


@pytest.mark.parametrize("text", ["", "1209", "1209:ca4", "1209:ca4d0", "1209:cagd", "1209-ca4d", " 1209:ca4d"])
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no USB id"):
        UsbId.parse(text)


@pytest.mark.parametrize(
    ("text", "is_path"),
    [
        ("1-1", True),
        ("1-1.4", True),
        ("12-3.4.10", True),
        ("1", False),
        ("1-", False),
        ("1-1.", False),
        ("1.1-4", False),
    ],
)
def test_the_path_of_a_socket(text: str, is_path: bool) -> None:
    assert is_port_path(text) is is_path


@pytest.mark.parametrize(
    ("serial", "names"),
    [("HCR-0007", True), ("10", True), ("", False), ("0", False), ("00000000", False), ("----", False), ("  ", False)],
)
def test_a_serial_number_of_one_character_names_nothing(serial: str, names: bool) -> None:
    assert names_a_device(serial) is names
