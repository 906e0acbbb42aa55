"""Where the broker is and how its line is secured: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]` with certificates."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from protocols.errors import ShoewatchError, did_you_mean

_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


class AddressError(ShoewatchError):
    """The broker's address, or a certificate that goes with it, cannot be used."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files. `ca` None: the system's own authorities; `certificate` and `key`: who we are, both or neither."""

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """`certificates` None: plain text."""

    host: str
    port: int
    certificates: Certificates | None = None

    @property
    def insecure(self) -> bool:
        """Whether the messages cross a network in plain text."""
        return self.certificates is None and not self.local

    @property
    def local(self) -> bool:
        """Whether the broker is on this computer."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def tls_context(self) -> ssl.SSLContext | None:
        """Reads the files anew, so that renewed certificates count; AddressError names the file that is wrong."""
        return None if self.certificates is None else _tls_context(self.certificates)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.certificates else 'mqtt'}://{host}:{self.port}"


def parse_address(url: str, certificates: Certificates | None = None, *, allow_insecure: bool = False) -> BrokerAddress:
    """The broker that `url` names; AddressError says what is wrong and what would be right."""
    parts = _split(url)
    address = BrokerAddress(
        host=parts.hostname or "",
        port=parts.port or _PORTS[parts.scheme],
        certificates=(certificates or Certificates()) if parts.scheme == "mqtts" else None,
    )
    if certificates is not None:
        _check_certificates(parts, certificates)
    if address.insecure and not allow_insecure:
        raise AddressError(f"{url!r}: plain text beyond this computer; use mqtts://, or set allow_insecure = true")
    return address


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"{url!r}: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise AddressError("mqtt url: no user or password belongs in it; the table shows its certificate (mqtts://)")
    if parts.scheme not in _PORTS:
        raise AddressError(f"{url!r}: unknown scheme {parts.scheme!r}{did_you_mean(parts.scheme, _PORTS)}")
    if not parts.hostname or port == 0 or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise AddressError(f'{url!r} is no broker\'s address ("mqtt://127.0.0.1:1883", "mqtts://broker.floor:8883")')
    return parts


def _check_certificates(parts: SplitResult, certificates: Certificates) -> None:
    if parts.scheme != "mqtts":
        raise AddressError(f"{parts.geturl()!r}: ca, certificate and key are of use with mqtts:// only")
    if (certificates.certificate is None) != (certificates.key is None):
        raise AddressError("certificate and key go together: give both or neither")


def _tls_context(files: Certificates) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=files.ca)
    except OSError as error:
        raise AddressError(f"ca {files.ca}: {error}") from None
    if files.certificate is not None:
        try:
            context.load_cert_chain(files.certificate, files.key, password=_no_password)
        except (OSError, ValueError) as error:
            raise AddressError(f"certificate {files.certificate} with key {files.key}: {error}") from None
    return context


def _no_password() -> str:
    raise ValueError("the key is encrypted; a daemon needs it without a password")
