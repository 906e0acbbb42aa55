"""The udev rules of the known devices and of a site's own shoes, as the text of one file. Pure.

They run after the rules that tell what a USB device says of itself (60 and below), and set mode and group for good, so
that a later file does not undo them. What is not ours leaves at once, and never gets more than it had."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.known_devices import CONVERTERS, KNOWN, UsbFace, UsbId, is_port_path, names_a_device
from protocols.errors import ShoewatchError

FILE: Final = "62-shoewatch.rules"
FOLDERS: Final = (Path("/etc/udev/rules.d"), Path("/run/udev/rules.d"), Path("/usr/lib/udev/rules.d"))
"""Where the file may lie; the first that has one of its name has its say alone."""
GROUP: Final = "shoewatch"

_SERIAL_SIGNS: Final = string.digits + string.ascii_letters + "#+-.:=@_"
"""What udev leaves in a serial number; everything else is an underscore there."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
_LINE: Final = 120
_RIGHT: Final = "name the one converter, by its serial number (A10K2X3B=SH42) or by its USB socket (1-1.4=SH42)"


@dataclass(frozen=True, slots=True)
class Shoe:
    """A shoe behind a converter: `converter` is the converter's serial number, or where it has none the path of the USB
    socket, such as 1-1.4; the link is called after `name`."""

    converter: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Shoe:
        """`A10K2X3B=SH42` or `1-1.4=SH42`; ShoewatchError for what names no converter or cannot be a link."""
        converter, equals, name = text.rpartition("=")
        if not equals:
            raise ShoewatchError(f"{text!r} is no CONVERTER=NAME, such as A10K2X3B=SH42")
        _refuse_usb_id(converter)
        if set(converter) - set(_SERIAL_SIGNS):
            raise ShoewatchError(f"{converter!r}: udev writes no serial number like that (see ID_SERIAL_SHORT)")
        if not names_a_device(converter):
            raise ShoewatchError(f"{converter!r} tells no converter from another: name its USB socket, such as 1-1.4")
        if not _NAME.fullmatch(name):
            raise ShoewatchError(f'{name!r} is no name for a link (1 to 32 letters, digits, ".", "_" and "-")')
        return cls(converter, name)


def rules(shoes: Sequence[Shoe] = (), readers: Sequence[UsbId] = ()) -> str:
    """The file's text: the known devices, `readers` with a USB id of their own, and the site's `shoes`.

    ShoewatchError where two shoes cannot be told apart, or where a converter is to pass for a reader."""
    _refuse_doubles(shoes)
    for reader in readers:
        if reader in CONVERTERS:
            raise ShoewatchError(f"{_called(reader)}, which is no reader")
    return "\n".join([*_HEAD, *_reader_rules(readers), *_shoe_rules(shoes), *_TAIL])


def _reader_rules(own: Sequence[UsbId]) -> Iterator[str]:
    known = [(device, device.usb) for device in KNOWN if device.usb]
    for device, face in known:
        yield from _matching(device.name, device.role, face)
        for each in sorted({*own} - {face.id for _, face in known}):
            yield from _matching(f"{device.name} of this site", device.role, UsbFace(each, face.interface))
    yield from _serial_rule()


def _matching(name: str, role: str, face: UsbFace) -> Iterator[str]:
    yield f"# {name}: this id and this one interface; with any other interface beside it, it is not what it says."
    yield from _rule(
        'SUBSYSTEM=="usb"',
        f'ENV{{ID_VENDOR_ID}}=="{face.id.vendor}"',
        f'ENV{{ID_MODEL_ID}}=="{face.id.product}"',
        f'ENV{{ID_USB_INTERFACES}}==":{face.interface}:"',
        f'ENV{{SHOEWATCH_ROLE}}="{role}"',
    )


def _serial_rule() -> Iterator[str]:
    yield "# Its name is its serial number, but for one that is the same character throughout."
    different = (f'ENV{{ID_SERIAL_SHORT}}=="*[!{sign}]*"' for sign in _SERIAL_SIGNS)
    yield from _rule('ENV{SHOEWATCH_ROLE}=="?*"', *different, 'ENV{SHOEWATCH_NAME}="$env{ID_SERIAL_SHORT}"')
    yield ""


def _shoe_rules(shoes: Iterable[Shoe]) -> Iterator[str]:
    for shoe in shoes:
        is_path = is_port_path(shoe.converter)
        where = "in the USB socket" if is_path else "with the serial number"
        key = "SHOEWATCH_PORT" if is_path else "ID_SERIAL_SHORT"
        yield f"# Shoe {shoe.name}, behind the converter {where} {shoe.converter}."
        named = 'ENV{SHOEWATCH_ROLE}="shoe"', f'ENV{{SHOEWATCH_NAME}}="{shoe.name}"'
        yield from _rule('ENV{SHOEWATCH_ROLE}==""', f'ENV{{{key}}}=="{shoe.converter}"', *named)
        yield ""


def _rule(*keys: str) -> Iterator[str]:
    """One rule, over as many lines as it takes."""
    line = keys[0]
    for key in keys[1:]:
        if len(line) + len(key) + 4 > _LINE:
            yield f"{line}, \\"
            line = f"  {key}"
        else:
            line = f"{line}, {key}"
    yield line


def _refuse_usb_id(text: str) -> None:
    """A shoe is never known by the id of the converter before it."""
    try:
        given = UsbId.parse(text)
    except ValueError:
        return
    raise ShoewatchError(f"{_called(given)} that stands in front of anything: {_RIGHT}")


def _called(given: UsbId) -> str:
    return f"{given} is the id of a converter chip ({CONVERTERS.get(given, 'of a kind that is not known here')})"


def _refuse_doubles(shoes: Sequence[Shoe]) -> None:
    for what, values in (("converter", [s.converter for s in shoes]), ("name", [s.name for s in shoes])):
        double = next((value for value in values if values.count(value) > 1), None)
        if double is not None:
            raise ShoewatchError(f"the {what} {double!r} is given twice: each shoe has its own")


_HEAD: Final = (
    "# The devices of shoewatch: names in /dev/shoewatch, permissions for the group shoewatch, no modem probing.",
    "# Made by `shoewatch udev rules`, which also takes the site's shoes; what is changed here is lost the next time.",
    "",
    'ACTION=="remove", GOTO="shoewatch_end"',
    'SUBSYSTEM!="usb|tty", GOTO="shoewatch_end"',
    'ENV{ID_BUS}!="usb", GOTO="shoewatch_end"',
    "",
    "# The socket: the name of the USB device itself, whether this is the device or a line that it makes.",
    'SUBSYSTEMS=="usb", ATTRS{idVendor}=="?*", ENV{SHOEWATCH_PORT}="$id"',
    "",
)
_TAIL: Final = (
    'ENV{SHOEWATCH_ROLE}=="", GOTO="shoewatch_end"',
    'ENV{ID_MM_DEVICE_IGNORE}="1", ENV{ID_MM_PORT_IGNORE}="1"',
    "",
    "# Of a shoe the line is opened, not the converter: the first one, where the converter has several.",
    'SUBSYSTEM=="usb", ENV{SHOEWATCH_ROLE}=="shoe", GOTO="shoewatch_end"',
    'SUBSYSTEM=="tty", ENV{ID_USB_INTERFACE_NUM}!="00", GOTO="shoewatch_end"',
    'SUBSYSTEM=="tty", ENV{.ID_PORT}!="|0", GOTO="shoewatch_end"',
    "",
    f'GROUP:="{GROUP}", MODE:="0660"',
    'SYMLINK+="shoewatch/by-path/$env{SHOEWATCH_ROLE}-$env{SHOEWATCH_PORT}"',
    'ENV{SHOEWATCH_NAME}=="?*", SYMLINK+="shoewatch/$env{SHOEWATCH_ROLE}-$env{SHOEWATCH_NAME}"',
    "",
    'LABEL="shoewatch_end"',
    "",
)
