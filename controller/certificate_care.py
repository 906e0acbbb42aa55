"""When the certificates of a table's line to the broker end: told in time, to the daemon's log and to the doctor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from cryptography import x509

from controller.mqtt_address import Certificates

IN_TIME: Final = timedelta(days=30)
_DAY_S: Final = 86_400.0

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CertificateTrouble:
    """One of the two files, `ca` or our `certificate`, and what is wrong with it, in words."""

    role: Literal["ca", "certificate"]
    file: Path
    what: str
    ends: bool = True

    def __str__(self) -> str:
        return f"{self.role} {self.file} {self.what}"


def certificate_troubles(files: Certificates | None, now: datetime) -> tuple[CertificateTrouble, ...]:
    """What ends within 30 days, has ended, or cannot be read."""
    return tuple(_troubles(files, now)) if files else ()


def _troubles(files: Certificates, now: datetime) -> Iterator[CertificateTrouble]:
    roles: tuple[tuple[Literal["ca", "certificate"], Path | None], ...] = (
        ("ca", files.ca),
        ("certificate", files.certificate),
    )
    for role, file in roles:
        if file is None:
            continue
        try:
            until = _end(role, file.read_bytes())
        except OSError as error:
            yield CertificateTrouble(role, file, f"cannot be read: {error.strerror}", ends=False)
        except ValueError:
            yield CertificateTrouble(role, file, "is no certificate in PEM", ends=False)
        else:
            if until - now < IN_TIME:
                yield CertificateTrouble(role, file, f"{'ends' if until > now else 'ended'} {until:%Y-%m-%d %H:%M} UTC")


def _end(role: Literal["ca", "certificate"], text: bytes) -> datetime:
    """Of several authorities the last one counts, since one is enough; of ours the first, which is the one shown."""
    found = x509.load_pem_x509_certificates(text)
    return max(each.not_valid_after_utc for each in found) if role == "ca" else found[0].not_valid_after_utc


async def watch_certificates(files: Certificates | None) -> None:
    """Tell the log once a day, until cancelled."""
    while True:
        for trouble in certificate_troubles(files, datetime.now(UTC)):
            _log.warning("%s", trouble)
        await asyncio.sleep(_DAY_S)
