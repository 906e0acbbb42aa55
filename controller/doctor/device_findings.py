"""What is wrong with one configured device. Pure; the nearest cause comes first and hides what follows from it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from controller.daemon_commands import look_into_daemon
from controller.doctor.facts import Computer, Device, Node, Table
from controller.doctor.finding import (
    Finding,
    apply_rules,
    ask_again,
    change_config,
    install_rules,
    unmask_rules,
)
from firmware_bridge.known_devices import CONVERTERS, READER, line_of, names_a_device

_OUR_FOLDER: Final = "/dev/shoewatch/"
_OUR_LINK: Final = f"{_OUR_FOLDER}shoe-"
_NEW_DEVICE: Final = ("unknown_serial", "unapproved_firmware")
_Found = tuple[str, str, str]
"""Code, what, command."""


def device_findings(computer: Computer, table: Table, device: Device) -> Iterator[Finding]:
    """The findings of one device of a table."""
    where = f"{table.name} {device.role}"
    found = next(_causes(computer, table, device), None)
    if found is not None:
        yield Finding(found[0], where, found[1], found[2])
    if device.node and computer.modem_manager and device.node.modem_probed:
        what = f"{computer.modem_manager} runs and may send its commands to {device.node.path}"
        yield Finding("modem_manager", where, what, _rules_for(computer, device))


def _causes(computer: Computer, table: Table, device: Device) -> Iterator[_Found]:
    if device.absent:
        yield from _absent(computer, table, device)
    if device.node:
        yield from _closed(computer, table, device, device.node)
    yield from _untrusted(table, device)
    yield from _unheard(table, device)
    yield from _not_ready(table, device)


def _absent(computer: Computer, table: Table, device: Device) -> Iterator[_Found]:
    assert device.absent is not None
    kind, detail = device.absent
    port = device.port
    if port.scheme == "usb" and not computer.libusb:
        yield "libusb_missing", "a device on USB needs libusb, which is not installed", "sudo apt install libusb-1.0-0"
    elif port.scheme == "usb" and kind == "denied":
        yield "double_identity", f"{detail}: name the socket of the right one instead", ask_again(table.config)
    elif kind == "busy":
        yield "other_process", f"{detail}, which only root can name", f"sudo {ask_again(table.config)}"
    elif kind != "absent":
        yield f"line_{kind}", detail, ask_again(table.config)
    elif port.scheme == "serial" and port.target.startswith(_OUR_FOLDER):
        yield from _no_name(computer, device, detail)
    elif port.scheme == "tcp":
        yield "no_server", f"{detail}: is the device server on, and on the network?", f"ping -c 3 {_host(port.target)}"
    else:
        yield "absent", f"{detail}: plug it in, then ask again", ask_again(table.config)


def _no_name(computer: Computer, device: Device, detail: str) -> Iterator[_Found]:
    """A link that our rules would make is not there."""
    rules, name = computer.rules, device.port.target.removeprefix(_OUR_LINK)
    if rules.masked:
        yield "rule_overridden", f"{detail}: {rules.masked} takes the place of our rules", unmask_rules(rules.masked)
    elif rules.file is None:
        yield "rule_missing", f"{detail}: no udev rules of ours are installed", _rules_for(computer, device)
    elif f'"{name}"' not in rules.text and device.port.target.startswith(_OUR_LINK):
        yield "rule_missing", f"{detail}: {rules.file} names no shoe {name}", _rules_for(computer, device)
    else:
        yield "absent", f"{detail}: plug it in; if it is, have the rules applied again", apply_rules()


def _closed(computer: Computer, table: Table, device: Device, node: Node) -> Iterator[_Found]:
    others = [holder for holder in node.holders if table.daemon is None or holder.pid != table.daemon.pid]
    if others and device.port.scheme != "tcp":
        named = ", ".join(map(str, others))
        yield "other_process", f"{node.path} is held by {named}", f"sudo kill {others[0].pid}"
    if not node.opens and table.daemon is None:
        yield _denied(computer, device, node)


def _denied(computer: Computer, device: Device, node: Node) -> _Found:
    rules = computer.rules
    if node.group is not None:
        return "not_in_group", node.denial, f"sudo adduser {shlex.quote(node.user)} {shlex.quote(node.group)}"
    if any(line.socket is None and node.path in (line.node, *line.links) for line in computer.plugged.lines):
        return "not_set_up", f"{node.denial}: the system has not given this line of its own to a group", apply_rules()
    if rules.masked:
        return (
            "rule_overridden",
            f"{node.denial}: {rules.masked} takes the place of our rules",
            unmask_rules(rules.masked),
        )
    if rules.file is None or node.ours is False:
        return "rule_missing", f"{node.denial}: no udev rule of ours gives it to a group", _rules_for(computer, device)
    return "rule_overridden", f"{node.denial}, although {rules.file} says otherwise", apply_rules()


def _untrusted(table: Table, device: Device) -> Iterator[_Found]:
    if device.link is None or device.link.alarm is None:
        return
    code, detail = device.link.alarm
    config = shlex.quote(str(table.config))
    if code in _NEW_DEVICE:
        yield code, f"{detail}: the maker's file for it is wanted", f"shoewatch devices add FILE --config {config}"
    elif code == "wrong_serial":
        yield (
            code,
            f"{detail}: name in {table.config} which one it shall be",
            f"shoewatch devices list --config {config}",
        )
    else:
        yield code, f"{detail}: do not use it, and tell who is responsible", f"shoewatch devices list --config {config}"


def _unheard(table: Table, device: Device) -> Iterator[_Found]:
    heard, port = device.heard, device.port
    if heard is None or heard.frames.get(device.protocol):
        return
    if not heard.bytes:
        if device.protocol == "tdl":
            what = f"not one byte in {heard.seconds:g} s, where a device that waits for us speaks every second"
            yield "no_bytes", f"{what}: is it switched on, and the cable whole?", ask_again(table.config)
        return
    what = f"{heard.bytes} bytes in {heard.seconds:g} s, and not one frame of {device.protocol}"
    other = next(iter(heard.frames), None)
    if other is not None:
        yield (
            "wrong_protocol",
            f"{what}: they are frames of {other}",
            change_config(table.config, device.role, "protocol", other),
        )
    elif heard.at_other_bauds:
        baud, spoken = next(iter(heard.at_other_bauds.items()))
        right = f"{port.scheme}:{port.target}?baud={baud}"
        also = "" if spoken == device.protocol else f", and then they are frames of {spoken}"
        yield (
            "wrong_baud",
            f"{what}: {baud} baud gives frames{also}",
            change_config(table.config, device.role, "port", right),
        )
    else:
        usual = line_of(device.protocol).baud
        yield "wrong_baud", f"{what}: is the device set to {usual} baud, 8N1?", ask_again(table.config)


def _not_ready(table: Table, device: Device) -> Iterator[_Found]:
    """What the daemon says where nothing else was found."""
    link = device.link
    if table.daemon is None or link is None or link.state in ("ready", "opening", "handshake"):
        return
    why = f": {link.detail}" if link.detail else ""
    yield (
        f"link_{link.state}",
        f"{link.state} since {link.since}{why}",
        look_into_daemon(table.config, installed=table.installed),
    )


def _rules_for(computer: Computer, device: Device) -> str:
    """The rules with what this device needs in them: a shoe is known by its converter."""
    if device.port.scheme == "usb":
        own = device.usb_id is not None and READER.usb is not None and device.usb_id != READER.usb.id
        return install_rules(*(["--reader", str(device.usb_id)] if own else []))
    return install_rules("--shoe", f"{_converter(computer)}={_name(device)}")


def _name(device: Device) -> str:
    return device.port.target.removeprefix(_OUR_LINK) if device.port.target.startswith(_OUR_LINK) else "NAME"


def _converter(computer: Computer) -> str:
    """Its serial number or its socket, where there is but one that it can be."""
    found = [device for device in computer.plugged.devices if device.id in CONVERTERS]
    if len(found) != 1:
        return "CONVERTER"
    return found[0].serial if names_a_device(found[0].serial) else found[0].path


def _host(target: str) -> str:
    return shlex.quote(target.rpartition(":")[0].strip("[]"))
