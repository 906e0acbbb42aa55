"""Where something listens: `HOST:PORT`, an IPv6 address in brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

_RIGHT: Final = re.compile(r"(?:\[(?P<v6>[0-9a-zA-Z:.]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>[0-9]{1,5})", re.ASCII)
_LAST_PORT: Final = 65535
_V6: Final = 6


def is_here(host: str) -> bool:
    """Whether it is this computer's own loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_v6(text: str) -> bool:
    try:
        return ip_address(text).version == _V6
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class ListenAddress:
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> ListenAddress:
        """ValueError says what would be right."""
        found = _RIGHT.fullmatch(text)
        port = int(found["port"]) if found else 0
        if found is None or not 1 <= port <= _LAST_PORT or not _is_v6(found["v6"] or "::1"):
            raise ValueError(f'{text!r} is nowhere to listen: it is HOST:PORT, such as "127.0.0.1:9464"')
        return cls(found["v6"] or found["host"], port)

    @property
    def local(self) -> bool:
        return is_here(self.host)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"
