"""Whether more than one device has the identity of one that is in use.

None of them is opened then. A line that is up already is another matter: the device on it has proved who it is, and
whoever plugs in a copy of its serial number must not be able to cut it off. So it stays, and the copy is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final

from firmware_bridge.known_devices import is_port_path
from firmware_bridge.ports import usb_id_of
from firmware_bridge.transport import PortAddress
from firmware_bridge.usb_identity import UsbDevice, doubled, meant
from protocols.records import SecurityNoted

CODE: Final = "double_identity"
_log: Final = logging.getLogger(__name__)


class Doubles:
    """Of the devices with these roles at these ports; `tell` hears of each that comes while there is one already."""

    def __init__(self, ports: Iterable[tuple[str, PortAddress]], tell: Callable[[SecurityNoted], None]) -> None:
        self._tell = tell
        self._ports = {role: port for role, port in ports if port.scheme == "usb" and not is_port_path(port.target)}
        self._seen: dict[str, tuple[UsbDevice, ...]] = {}

    def look(self) -> None:
        """At what is plugged in now."""
        for role, port in self._ports.items():
            before, seen = self._seen.get(role, ()), meant(port.target, usb_id_of(port))
            self._seen[role] = seen
            if len(seen) > 1 and not set(seen) <= set(before):
                _log.warning("%s: %s", role, doubled(seen))
                self._tell(SecurityNoted(CODE, role, doubled(seen)))
