"""Where the broker is and how its line is secured: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]` with certificates."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from controller.listen_address import is_here
from protocols.errors import ShoewatchError, did_you_mean

_RIGHT: Final = "mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"
_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


class AddressError(ShoewatchError):
    """The broker's address, or a certificate that goes with it, cannot be used; `problems`: one sentence each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


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
        return is_here(self.host)

    def tls_context(self) -> ssl.SSLContext | None:
        """Reads the files anew, so that renewed certificates count; AddressError names the file that is wrong."""
        return None if self.certificates is None else _tls_context(self.certificates)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.certificates else 'mqtt'}://{host}:{self.port}"


def parse_address(url: str, certificates: Certificates | None = None, *, allow_insecure: bool = False) -> BrokerAddress:
    """The broker that `url` names; AddressError says what is wrong and what would be right."""
    parts, problem = _split(url)
    problems = [problem] if problem else []
    address = BrokerAddress(
        host=(parts and parts.hostname) or "",
        port=(parts and parts.port) or _PORTS[parts.scheme if parts else "mqtts"],
        certificates=None if parts and parts.scheme == "mqtt" else certificates or Certificates(),
    )
    if parts and address.insecure and not allow_insecure:
        allow = "allow_insecure = true in a configuration, --allow-insecure at a command"
        problems.append(f"{url!r}: plain text beyond this computer: use mqtts://, or allow it ({allow})")
    if certificates is not None:
        problems += _wrong_certificates(address, certificates)
    if problems:
        raise AddressError(*problems)
    return address


def _split(url: str) -> tuple[SplitResult | None, str | None]:
    """The address, or what is wrong with it."""
    if "@" in url:
        return None, f"no user or password belongs in a broker's address, the table shows its certificate ({_RIGHT})"
    scheme, separator, _ = url.partition("://")
    if not separator:
        return None, f"{url!r} has no scheme: a broker's address is {_RIGHT}"
    if scheme.lower() not in _PORTS:
        return None, f"{url!r}: unknown scheme {scheme!r}{did_you_mean(scheme, _PORTS)}: a broker's address is {_RIGHT}"
    with suppress(ValueError):
        parts = urlsplit(url)
        if parts.hostname and parts.port != 0 and parts.path in ("", "/") and not parts.query and not parts.fragment:
            return parts, None
    return None, f"{url!r} is no broker's address: it is {_RIGHT}, PORT from 1 to 65535"


def _wrong_certificates(address: BrokerAddress, certificates: Certificates) -> Iterator[str]:
    if address.certificates is None:
        yield f"'{address}': ca, certificate and key are of use with mqtts:// only"
    if (certificates.certificate is None) != (certificates.key is None):
        yield "certificate and key go together: give both or neither"


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
