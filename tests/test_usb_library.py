"""The USB port where there is no libusb to speak of; with one, tests/t1 has it."""

from __future__ import annotations

import asyncio

import pytest
from usb.backend import libusb1

from firmware_bridge import usb_port
from firmware_bridge.transport import LinkLost
from firmware_bridge.usb_identity import FACE
from protocols.errors import ShoewatchError


def without_libusb(monkeypatch: pytest.MonkeyPatch, *, installed: bool) -> None:
    monkeypatch.setattr(libusb1, "get_backend", lambda: None)
    monkeypatch.setattr(usb_port, "find_library", lambda _name: "libusb-1.0.so.0" if installed else None)
    asyncio.run(usb_port.open_usb("HCR-0007", FACE.id))


def test_a_library_that_is_not_installed_is_for_a_person_to_bring(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ShoewatchError, match=r"apt install libusb-1\.0-0"):
        without_libusb(monkeypatch, installed=False)


def test_a_library_that_does_not_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LinkLost, match="libusb does not start") as caught:
        without_libusb(monkeypatch, installed=True)
    assert caught.value.kind == "gone"
