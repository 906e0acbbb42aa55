"""A finding, and the commands that mend things."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.udev_rules import FILE, FOLDERS

RULES: Final = FOLDERS[0] / FILE
_APPLY: Final = "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty"


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` for a machine; `where`: the table and device, or the computer; `what` is wrong; `mend`: the command."""

    code: str
    where: str
    what: str
    mend: str


def install_rules(*options: str) -> str:
    """The rules with these options, written and applied."""
    made = shlex.join(["shoewatch", "udev", "rules", *options])
    return f"{made} | sudo tee {RULES} >/dev/null && {_APPLY}"


def apply_rules() -> str:
    return _APPLY


def unmask_rules(masking: Path) -> str:
    """What is installed under it comes into force."""
    return f"sudo rm {shlex.quote(str(masking))} && {_APPLY}"


def change_config(config: Path, section: str, key: str, value: str) -> str:
    """Another text for a key in a section of a configuration."""
    edit = rf's|^( *{key} *= *)"[^"]*"|\1"{value}"|'
    return "sudo " + shlex.join(["sed", "-E", "-i", rf"/^\[{section}\]/,/^\[/ {edit}", str(config)])


def ask_again(config: Path) -> str:
    """For what only hands can mend: see whether they did."""
    return shlex.join(["shoewatch", "doctor", str(config)])
