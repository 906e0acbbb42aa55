"""Which USB device is meant, over trees of sysfs that are as a kernel shows them, also while it changes them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from firmware_bridge import usb_identity
from firmware_bridge.doubles import Doubles
from firmware_bridge.known_devices import UsbId
from firmware_bridge.ports import parse_port
from firmware_bridge.transport import LinkLost
from firmware_bridge.usb_identity import FACE, found, plugged_in
from protocols.records import SecurityNoted


class Tree:
    """`/sys/bus/usb/devices`, with its devices laid out as their entries there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plug(self, path: str, serial: str | None, *, usb_id: str = "1209:ca4d", address: int = 5) -> Path:
        vendor, product = usb_id.split(":")
        device = self.folder / path
        texts = {"busnum": path.partition("-")[0], "devnum": str(address), "idVendor": vendor, "idProduct": product}
        _write(device, {**texts, **({} if serial is None else {"serial": serial})})
        return device

    def interface(self, path: str, number: int, face: str, driver: str | None = None) -> None:
        names = ("bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")
        texts = dict(zip(names, (face[0:2], face[2:4], face[4:6]), strict=True))
        folder = self.folder / f"{path}:1.{number}"
        _write(folder, {"bInterfaceNumber": f"{number:02x}", **texts})
        if driver:
            (folder / "driver").symlink_to(f"../../../../bus/usb/drivers/{driver}")


def _write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(f"{text}\n")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setattr(usb_identity, "DEVICES", tmp_path)
    made = Tree(tmp_path)
    _write(tmp_path / "usb1", {"busnum": "1", "devnum": "1", "idVendor": "1d6b", "idProduct": "0002"})
    return made


def refusal(wanted: str, usb_id: UsbId = FACE.id) -> tuple[str, str]:
    with pytest.raises(LinkLost) as caught:
        found(wanted, usb_id)
    return caught.value.kind, caught.value.detail


def test_devices_are_those_in_ports(tree: Tree) -> None:
    tree.plug("1-1.4", "HCR-0002", address=12)
    tree.plug("1-1", "HCR-0001")
    tree.interface("1-1", 0, FACE.interface)
    assert [(device.path, device.serial, device.node) for device in plugged_in()] == [
        ("1-1", "HCR-0001", "/dev/bus/usb/001/005"),
        ("1-1.4", "HCR-0002", "/dev/bus/usb/001/012"),
    ]


@pytest.mark.parametrize("serial", [None, "", "0", "00000000", "ffff"])
def test_a_serial_number_of_one_character_is_none(tree: Tree, serial: str | None) -> None:
    tree.plug("1-1", serial)
    assert found("1-1", FACE.id).serial == ""
    assert refusal("HCR-1")[1].endswith("there is 1209:ca4d without serial number at 1-1")


def test_a_clone_is_refused_with_both_ports(tree: Tree) -> None:
    tree.plug("1-1", "HCR-0007")
    tree.plug("1-2", "HCR-0007")
    assert refusal("HCR-0007") == ("denied", "2 devices have the serial number HCR-0007, at the ports 1-1 and 1-2")
    assert found("1-2", FACE.id).path == "1-2"


def test_each_double_that_comes_is_told_once(tree: Tree) -> None:
    told: list[SecurityNoted] = []
    ports = {"shoe": parse_port("usb:1-1"), "reader": parse_port("usb:HCR-0007")}
    doubles = Doubles(ports.items(), told.append)

    def news() -> list[str]:
        told.clear()
        doubles.look()
        assert all((note.code, note.device) == ("double_identity", "reader") for note in told)
        return [note.detail.partition(", ")[2] for note in told]

    tree.plug("1-1", "HCR-0007")
    tree.plug("1-3", "HCR-0007", usb_id="0403:6001")
    assert news() == []
    clone = tree.plug("1-2", "HCR-0007", address=6)
    assert news() == ["at the ports 1-1 and 1-2"]
    another = tree.plug("1-4", "HCR-0007", address=7)
    assert news() == ["at the ports 1-1 and 1-2 and 1-4"]
    assert news() == []
    shutil.rmtree(another)
    assert news() == []
    shutil.rmtree(clone)
    tree.plug("1-2", "HCR-0007", address=8)
    assert news() == ["at the ports 1-1 and 1-2"]


def test_the_same_serial_number_under_another_id_is_another_device(tree: Tree) -> None:
    tree.plug("1-1", "HCR-0007", usb_id="0403:6001")
    tree.plug("1-2", "HCR-0007")
    assert found("HCR-0007", FACE.id).path == "1-2"
    assert found("HCR-0007", UsbId("0403", "6001")).path == "1-1"


def test_what_is_at_a_port_must_be_a_reader(tree: Tree) -> None:
    tree.plug("1-1", "HCR-0007", usb_id="0403:6001")
    assert refusal("1-1") == ("absent", "no device 1209:ca4d at the port 1-1; there is 0403:6001 HCR-0007 at 1-1")


def test_interfaces_and_who_has_them(tree: Tree) -> None:
    tree.plug("1-1", "HCR-0007")
    tree.interface("1-1", 0, "030000", "usbhid")
    tree.interface("1-1", 10, FACE.interface)
    device = found("1-1", FACE.id)
    assert device.faces() == {0: "030000", 10: FACE.interface}
    assert [device.driver(number) for number in (0, 10, 3)] == ["usbhid", None, None]


def test_a_device_that_is_being_pulled_is_none(tree: Tree) -> None:
    half_gone = tree.plug("1-1", "HCR-0007")
    device = found("1-1", FACE.id)
    (half_gone / "devnum").unlink()
    assert plugged_in() == ()
    shutil.rmtree(half_gone)
    assert device.faces() == {}
    assert device.driver(0) is None


def test_a_computer_without_usb_has_no_devices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(usb_identity, "DEVICES", tmp_path / "nothing")
    assert plugged_in() == ()
    assert refusal("HCR-0007") == ("absent", "no device 1209:ca4d with the serial number HCR-0007")
