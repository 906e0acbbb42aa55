"""What the doctor sees of what is plugged in, at trees of sysfs as a kernel shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import shoewatch
from daemon import configure_table
from doctor_asked import asked, codes

from controller.doctor import computer
from firmware_bridge import plugged, usb_identity
from firmware_bridge.plugged import SerialLine, everything_plugged_in

NOWHERE = "mqtt://127.0.0.1:1"


class Sysfs:
    """`/sys` with a bus of USB and serial lines, as the kernel links them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._devices, self._bus, self._ttys = root / "devices", root / "bus", root / "tty"
        self.links = root / "dev"
        for folder in (self._devices, self._bus, self._ttys, self.links):
            folder.mkdir()
        monkeypatch.setattr(usb_identity, "DEVICES", self._bus)
        monkeypatch.setattr(plugged, "TTYS", self._ttys)
        monkeypatch.setattr(plugged, "LINKS", (self.links,))

    def usb(self, path: str, usb_id: str, serial: str) -> Path:
        folder = self._devices / "usb1" / path
        folder.mkdir(parents=True)
        vendor, product = usb_id.split(":")
        texts = {"busnum": "1", "devnum": "4", "idVendor": vendor, "idProduct": product, "serial": serial}
        for name, text in texts.items():
            (folder / name).write_text(f"{text}\n")
        (self._bus / path).symlink_to(folder)
        return folder

    def line(self, name: str, device: Path, driver: str, uart: str | None = None) -> None:
        device.mkdir(parents=True, exist_ok=True)
        (device / "driver").symlink_to(f"../drivers/{driver}")
        entry = self._ttys / name
        entry.mkdir()
        (entry / "device").symlink_to(device)
        if uart:
            (entry / "type").write_text(f"{uart}\n")

    def board(self, name: str, uart: str) -> None:
        self.line(name, self._devices / "platform" / name, "port", uart)

    def terminal(self, name: str) -> None:
        (self._ttys / name).mkdir()


def test_what_is_plugged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs = Sysfs(tmp_path, monkeypatch)
    assert everything_plugged_in() == plugged.Plugged()
    sysfs.usb("1-1.4", "1209:ca4d", "HCR-0007")
    sysfs.line("ttyUSB0", sysfs.usb("1-1.2", "0403:6001", "A10K2X3B") / "1-1.2:1.0" / "ttyUSB0", "ftdi_sio")
    sysfs.board("ttyS0", "4")
    sysfs.board("ttyS1", "0")
    sysfs.terminal("tty1")
    (sysfs.links / "shoe-SH42").symlink_to("../ttyUSB0")
    found = everything_plugged_in()
    assert [(device.path, str(device.id), device.serial) for device in found.devices] == [
        ("1-1.2", "0403:6001", "A10K2X3B"),
        ("1-1.4", "1209:ca4d", "HCR-0007"),
    ]
    assert found.lines == (
        SerialLine("/dev/ttyS0", "port", None, ()),
        SerialLine("/dev/ttyUSB0", "ftdi_sio", "1-1.2", (str(sysfs.links / "shoe-SH42"),)),
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("controller.cli.tables.INSTALLED", tmp_path / "etc")
    shown = shoewatch("doctor").stdout.splitlines()
    link = sysfs.links / "shoe-SH42"
    assert f"  1-1.2  0403:6001  A10K2X3B  FTDI FT232R, a converter  /dev/ttyUSB0 = {link} (ftdi_sio)" in shown
    assert "  1-1.4  1209:ca4d  HCR-0007  reference reader" in shown
    assert "  /dev/ttyS0  a serial line of the computer's own (port)" in shown


def test_a_reader_on_usb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sys").mkdir()
    sysfs = Sysfs(tmp_path / "sys", monkeypatch)
    config = configure_table(tmp_path, f"serial:{tmp_path}/shoe", "usb:HCR-0007", NOWHERE)
    monkeypatch.setattr(computer, "find_library", lambda _: None)
    assert codes(asked(config), "bac-01 reader") == ["libusb_missing"]
    monkeypatch.setattr(computer, "find_library", lambda _: "libusb-1.0.so.0")
    assert codes(asked(config), "bac-01 reader") == ["absent"]
    sysfs.usb("1-1.4", "1209:ca4d", "HCR-0007")
    sysfs.usb("1-1.3", "1209:ca4d", "HCR-0007")
    [finding] = [each for each in asked(config)["findings"] if each["where"] == "bac-01 reader"]
    assert finding["code"] == "double_identity"
    assert "at the ports 1-1.3 and 1-1.4" in finding["what"]
