"""Gathers the facts of a diagnosis: from files, from connections that are closed at once, and by listening to a line
that nobody else has. Nothing is ever written to a device, and nothing that a daemon uses is touched."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import stat
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from controller.certificate_care import certificate_troubles
from controller.config import Config, Mqtt
from controller.config import Panel as PanelSection
from controller.config_reading import load_config
from controller.dial import Unreachable, dial
from controller.disk import disk_trouble
from controller.doctor.facts import Broker, Device, Heard, Node, Panel, Table
from controller.journal_file import JournalError, lock_path
from controller.link_states import LinkStanding, read_links
from controller.mqtt_address import Certificates, parse_address
from firmware_bridge.arrival import Role
from firmware_bridge.known_devices import UsbId
from firmware_bridge.node import (
    Process,
    User,
    denial,
    group_number,
    holders,
    locked_by,
    may_open,
    opening_group,
    process,
    this_user,
)
from firmware_bridge.panel import ROLES, socket_path
from firmware_bridge.transport import LinkLost
from firmware_bridge.usb_identity import FACE, found
from protocols.errors import ConfigError, ShoewatchError

UDEV_DATA: Final = Path("/run/udev/data")
_CONNECT_S: Final = 2.0
_VERDICT_S: Final = 1.0
_LOOK_S: Final = 0.05

Listen = Callable[[Device], Awaitable[Heard]]
"""Hears what comes over a device's line; LinkLost where it cannot be opened."""


async def gather_table(file: Path, service: User | None, listen: Listen | None) -> Table:
    """What there is to know of one table; `service`: who runs it as a service, None where it is none. Lines are
    listened to where `listen` is given and it is sure that no daemon runs."""
    installed = service is not None
    try:
        used = load_config(file)
    except ConfigError as error:
        return Table(file, installed, problems=error.problems)
    journal = used.journal.path
    daemon, links, unread = _of_daemon(journal)
    hear = None if daemon or unread else listen
    devices = [await _device(each, links, service, hear) for each in _devices(used)]
    return Table(
        file,
        installed,
        used.table,
        used.site,
        daemon=daemon,
        unread=unread,
        disk=disk_trouble(journal),
        devices=tuple(devices),
        broker=await _broker(used.mqtt),
        panel=panel_facts(used.panel, service or this_user()) if used.panel else None,
    )


def _of_daemon(journal: Path) -> tuple[Process | None, Mapping[str, LinkStanding], str | None]:
    pid = locked_by(lock_path(journal))
    daemon = None if pid is None else process(pid)
    try:
        if not journal.exists():
            return daemon, {}, None
        return daemon, read_links(journal, lock_path(journal)).links, None
    except (JournalError, OSError) as error:
        return daemon, {}, str(error)


def _devices(used: Config) -> Iterator[Device]:
    yield Device("shoe", used.shoe.protocol, used.shoe.port)
    if used.reader is not None:
        usb_id = UsbId.parse(used.reader.usb_id) if used.reader.usb_id else None
        yield Device("reader", used.reader.protocol, used.reader.port, usb_id=usb_id)


async def _device(
    device: Device, links: Mapping[str, LinkStanding], user: User | None, listen: Listen | None
) -> Device:
    device = _with_node(replace(device, link=links.get(device.role)), user or this_user())
    busy = device.node is not None and (device.node.holders or not _opens_here(device.node.path))
    if listen is None or busy or device.absent or device.port.scheme not in ("serial", "tcp"):
        return device
    try:
        return replace(device, heard=await listen(device))
    except LinkLost as lost:
        return replace(device, absent=(lost.kind, lost.detail))


def _with_node(device: Device, user: User) -> Device:
    try:
        path = _path(device)
        return device if path is None else replace(device, node=_node(path, user))
    except LinkLost as lost:
        return replace(device, absent=(lost.kind, lost.detail))
    except OSError:
        return replace(device, absent=("absent", f"{device.port.target} is not there"))


def _path(device: Device) -> str | None:
    """Where its node is; None where it has none. LinkLost, OSError where it is not there."""
    if device.port.scheme == "usb":
        return found(device.port.target, device.usb_id or FACE.id).node
    return device.port.target if device.port.scheme == "serial" else None


def _node(path: str, user: User) -> Node:
    status = os.stat(path)
    opens = may_open(status, user)
    udev = _udev(status)
    return Node(
        path,
        opens,
        user.name,
        "" if opens else denial(path, user),
        opening_group(status),
        holders(path),
        None if udev is None else "E:SHOEWATCH_ROLE=" in udev,
        udev is not None and "E:ID_BUS=usb" in udev and "E:ID_MM_DEVICE_IGNORE=1" not in udev,
    )


def _udev(status: os.stat_result) -> str | None:
    """What udev noted of a node; None where it noted nothing."""
    with suppress(OSError):
        return (UDEV_DATA / f"c{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}").read_text()
    return None


def _opens_here(path: str) -> bool:
    return os.access(path, os.R_OK | os.W_OK, effective_ids=True)


async def _broker(used: Mqtt) -> Broker:
    address = parse_address(used.url, allow_insecure=True)
    troubles = certificate_troubles(Certificates(used.ca, used.certificate), datetime.now(UTC))
    broker = Broker(address.host, address.port, address.local, None, certificates=troubles)
    try:
        async with asyncio.timeout(_CONNECT_S):
            _, writer = await asyncio.open_connection(broker.host, broker.port)
    except TimeoutError:
        return replace(broker, why=f"no answer within {_CONNECT_S:g} s")
    except OSError as error:
        return replace(broker, why=error.strerror or str(error))
    writer.close()
    return broker if troubles else replace(broker, distrust=await _distrust(used))


async def _distrust(used: Mqtt) -> str | None:
    """Why there is no TLS with the broker; None where there is, where none is wanted, and where our key is not ours to
    read. The broker is told nothing, so that the session of a running daemon stays."""
    try:
        address = used.address()
    except ShoewatchError:
        return None
    files = address.certificates
    if files is None or not (files.key is None or os.access(files.key, os.R_OK, effective_ids=True)):
        return None
    try:
        line = await dial(address, _CONNECT_S)
    except Unreachable as error:
        return str(error)
    return await _turned_away(line)


async def _turned_away(line: socket.socket) -> str | None:
    """Over TLS 1.3 a broker says only after the handshake that it does not trust our certificate."""
    with line:
        line.setblocking(False)
        try:
            async with asyncio.timeout(_VERDICT_S):
                return None if await _first_byte(line) else "the broker ends the connection at once"
        except TimeoutError:
            return None
        except OSError as error:
            return f"the broker does not trust our certificate: {error}"


async def _first_byte(line: socket.socket) -> bytes:
    while True:
        try:
            return line.recv(1)
        except ssl.SSLWantReadError:
            await asyncio.sleep(_LOOK_S)


def panel_facts(used: PanelSection, user: User) -> Panel:
    """The daemon, which this user runs, makes the folder, where it may."""
    folder = used.directory
    taken = next((path for role in ROLES if _is_other(path := socket_path(folder, role))), None)
    if taken is not None:
        return Panel(folder, f"{taken} is no socket, and is in the way of the panel", taken)
    above = next(each for each in (folder, *folder.parents) if each.exists())
    if not above.is_dir():
        return Panel(folder, f"{above} is no folder, and is in the way of the panel", above)
    if not os.access(above, os.W_OK | os.X_OK, effective_ids=True):
        return Panel(folder, f"the panel needs {folder}, and {above} cannot be written to")
    return _with_groups(Panel(folder, None, user=user.name), used.groups, user)


def _with_groups(panel: Panel, named: Mapping[Role, str], user: User) -> Panel:
    numbers = {name: group_number(name) for name in dict.fromkeys(named.values())}
    is_closed = bool(named) and panel.folder.exists() and not panel.folder.stat().st_mode & stat.S_IXOTH
    return replace(
        panel,
        unknown=tuple(name for name, number in numbers.items() if number is None),
        foreign=tuple(name for name, number in numbers.items() if number is not None and not user.is_in(number)),
        is_shared=len({named.get(role) for role in ROLES}) == 1,
        is_closed=is_closed,
    )


def _is_other(path: Path) -> bool:
    with suppress(OSError):
        return not stat.S_ISSOCK(path.lstat().st_mode)
    return False
