"""What the service manager is told: a datagram to the socket that it names, and nothing where it names none."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_US: Final = 1e-6
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServiceManager:
    """`address`: its socket, a path or `@NAME`, None without one. `watchdog_s`: how long it bears silence, None for
    ever."""

    address: str | None = None
    watchdog_s: float | None = None

    @classmethod
    def named_by(cls, environment: Mapping[str, str]) -> ServiceManager:
        """The one that started this process."""
        return cls(environment.get("NOTIFY_SOCKET") or None, _watchdog_s(environment))

    def tell(self, **said: str) -> None:
        """`READY="1"` and the like. It is never waited for: one that does not listen misses it."""
        if self.address is None:
            return
        text = "\n".join(f"{name}={value}" for name, value in said.items())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line:
            try:
                line.sendto(text.encode(), _path(self.address))
            except OSError as error:
                _log.debug("the service manager at %s does not hear %r: %s", self.address, text, error)


def _path(address: str) -> str:
    """An abstract socket is written with an @."""
    return f"\0{address[1:]}" if address.startswith("@") else address


def _watchdog_s(environment: Mapping[str, str]) -> float | None:
    period, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not period.isdigit() or int(period) == 0 or process not in ("", str(os.getpid())):
        return None
    return int(period) * _US
