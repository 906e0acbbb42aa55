"""Gathers what holds for all tables of a computer: devices, rules, programs, clock."""

from __future__ import annotations

import os
import pwd
import time
from ctypes.util import find_library
from pathlib import Path
from typing import Final

from controller.clock import is_synchronised
from controller.doctor.facts import Computer, Rules
from firmware_bridge.node import User, group_number, running
from firmware_bridge.plugged import everything_plugged_in
from firmware_bridge.system_files import text_if_any
from firmware_bridge.udev_rules import FILE, FOLDERS

_SERVICE: Final = "shoewatch"
_GROUP_OF_UNIT: Final = "dialout"
_MOSQUITTO: Final = tuple(
    Path(folder, "mosquitto.service")
    for folder in ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
)
_LONG_AGO: Final = 1_767_225_600
"""2026-01-01: no clock that is right shows less."""


def gather_computer() -> Computer:
    """What there is to know of this computer."""
    libusb = find_library("usb-1.0") is not None
    return Computer(
        everything_plugged_in(),
        installed_rules(),
        running("ModemManager"),
        libusb,
        mosquitto=any(unit.exists() for unit in _MOSQUITTO),
        clock=_clock(),
    )


def installed_rules() -> Rules:
    """The rules in force."""
    files = [folder / FILE for folder in FOLDERS]
    there = [file for file in files if os.path.lexists(file)]
    texts = {file: text for file in there if (text := text_if_any(file))}
    if there and there[0] not in texts:
        return Rules(masked=there[0])
    return Rules(there[0], texts[there[0]]) if there else Rules()


def service_user() -> User:
    """Who runs an installed table's daemon; nobody that anything lets in where that user was never made."""
    try:
        entry = pwd.getpwnam(_SERVICE)
    except KeyError:
        return User(_SERVICE, -1, frozenset())
    groups = {*os.getgrouplist(_SERVICE, entry.pw_gid), group_number(_GROUP_OF_UNIT)}
    return User(_SERVICE, entry.pw_uid, frozenset(group for group in groups if group is not None))


def _clock() -> str | None:
    """What is wrong with the clock; nothing where the kernel does not tell."""
    if time.time() < _LONG_AGO:
        return f"the clock shows {time.strftime('%Y-%m-%d', time.gmtime())}"
    if is_synchronised() is False:
        return "the clock is not synchronised: the times in the records, and those of commands, may be wrong"
    return None
