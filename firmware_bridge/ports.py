"""Port addresses, and the registry of schemes that opens them; each scheme's module is imported when used."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv6Address
from typing import Final

from firmware_bridge.known_devices import UsbId, is_port_path, names_a_device
from firmware_bridge.transport import LineSettings, PortAddress, Transport
from firmware_bridge.usb_identity import FACE
from protocols.errors import ShoewatchError, did_you_mean

_BAUDS: Final = range(50, 4_000_001)


def parse_port(text: str) -> PortAddress:
    """`serial:PATH[?baud=]`, `tcp:HOST:PORT`, `usb:SERIAL[?usb_id=]`, `usb:PORT-PATH`, `replay:FILE[?pace=]` or
    `sim:NAME[?seed=]`; else ShoewatchError.

    The parameters of `sim:` are the simulator's own, which checks them at the opening."""
    scheme, colon, rest = text.partition(":")
    if not colon or "/" in scheme:
        raise ShoewatchError(f'"{text}" has no scheme (did you mean "serial:{text}"?)')
    if scheme not in _OPENERS:
        raise ShoewatchError(f'"{text}": there is no scheme "{scheme}"{did_you_mean(scheme, _OPENERS)}')
    target, _, query = rest.partition("?")
    if not target:
        raise ShoewatchError(f'"{text}" names nothing after "{scheme}:" (right would be {_EXAMPLES[scheme]})')
    address = PortAddress(scheme, target, _parameters(text, query))
    _check(text, address)
    return address


async def open_port(address: PortAddress, defaults: LineSettings) -> Transport:
    """Open what `parse_port` gave. LinkLost where the line is not to be had now, ShoewatchError where only a
    person can mend it."""
    return await _OPENERS[address.scheme](address, defaults)


def usb_id_of(address: PortAddress) -> UsbId:
    """The USB id of the device at `usb:`, a reader's own where none is given."""
    usb_id = address.params.get("usb_id")
    return UsbId.parse(usb_id) if usb_id else FACE.id


def host_and_port(target: str) -> tuple[str, int]:
    """`HOST:PORT` or `[IPV6]:PORT`; ValueError for anything else."""
    host, _, port = target.rpartition(":")
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        raise ValueError(f"{target!r} does not end in a TCP port (:1 to :65535)")
    if host.startswith("[") and host.endswith("]"):
        return _ipv6(host[1:-1]), int(port)
    if not host or ":" in host:
        raise ValueError(f"{target!r} is no HOST:PORT (an IPv6 address stands in brackets)")
    return _host(host), int(port)


def _ipv6(text: str) -> str:
    try:
        return str(IPv6Address(text))
    except ValueError:
        raise ValueError(f"{text!r} is no IPv6 address") from None


def _host(name: str) -> str:
    try:
        plain = name.encode("idna").decode()
    except UnicodeError:
        plain = ""
    if not plain or any(letter.isspace() or not letter.isprintable() for letter in plain):
        raise ValueError(f"{name!r} is no name of a host and no address")
    return plain


def _parameters(text: str, query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in query.split("&") if query else ():
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise ShoewatchError(f'"{text}": "{item}" is no NAME=VALUE')
        if name in found:
            raise ShoewatchError(f'"{text}": "{name}" is given twice')
        found[name] = value
    return found


def _check(text: str, address: PortAddress) -> None:
    if address.scheme == "tcp":
        with _blaming(text):
            host_and_port(address.target)
    if address.scheme == "usb":
        with _blaming(text):
            _usb_identity(address.target)
    if address.scheme != "sim":
        _check_parameters(text, address, _CHECKS[address.scheme])


def _check_parameters(text: str, address: PortAddress, checks: Mapping[str, Callable[[str], object]]) -> None:
    for name, value in address.params.items():
        if name not in checks:
            raise ShoewatchError(f'"{text}": {address.scheme} has no parameter "{name}"{_known(name, checks)}')
        with _blaming(text):
            checks[name](value)


def _known(name: str, checks: Mapping[str, object]) -> str:
    return did_you_mean(name, checks) if checks else " (it takes none)"


@contextmanager
def _blaming(text: str) -> Iterator[None]:
    try:
        yield
    except ValueError as wrong:
        raise ShoewatchError(f'"{text}": {wrong}') from None


def _baud(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value) in _BAUDS):
        raise ValueError(f"{value!r} is no speed in baud (4800)")
    return int(value)


def _pace(value: str) -> float:
    try:
        pace = float(value)
    except ValueError:
        pace = math.nan
    if not 0 <= pace < math.inf:
        raise ValueError(f"{value!r} is no pace (1 as recorded, 10 ten times as fast, 0 without waiting)")
    return pace


def _usb_identity(target: str) -> None:
    if not (names_a_device(target) or is_port_path(target)):
        raise ValueError(f"{target!r} tells no device from another: name the port it is plugged into (usb:1-1.4)")


async def _open_serial(address: PortAddress, defaults: LineSettings) -> Transport:
    from firmware_bridge.serial_port import open_serial

    baud = address.params.get("baud")
    return await open_serial(address.target, LineSettings(_baud(baud)) if baud else defaults)


async def _open_tcp(address: PortAddress, _: LineSettings) -> Transport:
    from firmware_bridge.tcp_port import open_tcp

    return await open_tcp(*host_and_port(address.target))


async def _open_usb(address: PortAddress, _: LineSettings) -> Transport:
    from firmware_bridge.usb_port import open_usb

    return await open_usb(address.target, usb_id_of(address))


async def _open_replay(address: PortAddress, _: LineSettings) -> Transport:
    from firmware_bridge.replay_port import open_replay

    return await open_replay(address.target, _pace(address.params.get("pace", "1")))


async def _open_sim(address: PortAddress, _: LineSettings) -> Transport:
    from simulators.port import open_sim

    return await open_sim(address.target, address.params)


_CHECKS: Final[Mapping[str, Mapping[str, Callable[[str], object]]]] = {
    "serial": {"baud": _baud},
    "tcp": {},
    "usb": {"usb_id": UsbId.parse},
    "replay": {"pace": _pace},
}
_EXAMPLES: Final[Mapping[str, str]] = {
    "serial": "serial:/dev/ttyS0",
    "tcp": "tcp:192.0.2.7:4001",
    "usb": "usb:HCR-0007",
    "replay": "replay:recording.txt",
    "sim": "sim:demo",
}
_OPENERS: Final[Mapping[str, Callable[[PortAddress, LineSettings], Awaitable[Transport]]]] = {
    "serial": _open_serial,
    "tcp": _open_tcp,
    "usb": _open_usb,
    "replay": _open_replay,
    "sim": _open_sim,
}
