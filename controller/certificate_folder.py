"""The folder of a site's own authority, on whatever computer the site keeps it:

    ca.pem, ca.key       the authority; the key stays here
    crl.pem, acl         what the broker reads: what is revoked, and who may do what
    issued/SERIAL.pem    every certificate that was ever issued
    broker/, tables/SITE/, clients/NAME.pem and .key: what is handed out

Files are whole or not there, keys are their owner's alone, and nothing that was issued is ever overwritten."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final, TypeVar

from cryptography import x509

from controller.broker_rights import access_list
from controller.certificates import (
    BROKER,
    Issued,
    Pair,
    Subject,
    certificate_text,
    described,
    issue,
    new_authority,
    read_authority,
    read_certificate,
    revocations,
    revoked_in,
)
from controller.changed_file import alone_in, change_file, make_file
from protocols.errors import ConfigError, ShoewatchError, did_you_mean, quoted

_NO_NAME: Final = re.compile(r"[^a-z0-9.-]")
_SECRET: Final = 0o600
_PUBLIC: Final = 0o644
_FOLDER: Final = 0o700


@dataclass(frozen=True, slots=True)
class CertificateFolder:
    """`path` holds an authority."""

    path: Path

    @classmethod
    def make(cls, path: Path, now: datetime) -> CertificateFolder:
        """A new authority in this folder, which is made too; ShoewatchError where one is there already."""
        made = cls(path)
        if made._certificate.exists():
            raise ShoewatchError(f"{path} holds an authority already; it is never overwritten")
        _make_folder(path)
        pair = new_authority(now)
        _make_all(
            (made._key, pair.key_text(), _SECRET),
            (made._crl, revocations(pair, {}, now), _PUBLIC),
            (made._acl, access_list(()), _PUBLIC),
            (made._certificate, pair.certificate_text(), _PUBLIC),
        )
        return made

    @property
    def until(self) -> datetime:
        """When the authority ends."""
        return self._public().not_valid_after_utc

    def issue(self, subject: Subject, now: datetime, days: int, *, renew: bool) -> tuple[Issued, Path]:
        """A certificate and its key, in the subject's place or under the next free name beside it; what was issued, and
        the file of the certificate.

        ShoewatchError where the subject has one in force, unless `renew`."""
        authority = self._authority()
        with alone_in(self.path):
            self._refuse_second(subject, now, renew=renew)
            pair = issue(authority, subject, now, days)
            issued = described(pair.certificate, {})
            file = self._write(pair, issued, self.path / _place(subject))
        self._write_access_list()
        return issued, file

    def issued(self) -> tuple[Issued, ...]:
        """Everything that was ever issued, by whom it is for, the oldest first; ConfigError where a file is wrong."""
        revoked = self._revoked()
        found = [_read(file, lambda text: described(read_certificate(text), revoked)) for file in self._records()]
        return tuple(sorted(found, key=lambda each: (str(each.subject), each.until)))

    def revoke(self, whose: str, now: datetime) -> tuple[Issued, ...]:
        """Take back what is in force under this serial or for this subject; what that was. ShoewatchError where there
        is no such certificate."""
        authority = self._authority()
        meant = self._meant(whose, now)
        time = now.replace(microsecond=0)

        def more(_: bool) -> str:
            return revocations(authority, {**self._revoked(), **{each.serial: time for each in meant}}, now)

        change_file(self._crl, more, _PUBLIC)
        self._write_access_list()
        return meant

    def _meant(self, whose: str, now: datetime) -> tuple[Issued, ...]:
        everything = self.issued()
        named = [each for each in everything if whose in (each.serial, str(each.subject))]
        if not named:
            known = did_you_mean(whose, {str(each.subject) for each in everything}) if everything else ""
            raise ShoewatchError(f"{self.path} issued no certificate {quoted(whose)}{known}")
        found = tuple(each for each in named if each.in_force(now))
        if not found:
            raise ShoewatchError(f"{quoted(whose)} has no certificate in force: it was revoked, or has ended")
        return found

    def _refuse_second(self, subject: Subject, now: datetime, *, renew: bool) -> None:
        others = [each for each in self.issued() if each.subject == subject and each.in_force(now)]
        if others and not renew:
            until = f"{others[-1].until:%Y-%m-%d}"
            raise ShoewatchError(f"{subject} has a certificate until {until} already; --renew issues another one")

    def _write(self, pair: Pair, issued: Issued, stem: Path) -> Path:
        """What is handed out, and the record of it before it can be used; nothing of it where that fails."""
        for folder in (stem.parent, self._issued):
            _make_folder(folder)
        certificate, key = _free(stem)
        _make_all(
            (self._issued / f"{issued.serial}.pem", pair.certificate_text(), _PUBLIC),
            (key, pair.key_text(), _SECRET),
            (certificate, pair.certificate_text(), _PUBLIC),
        )
        return certificate

    def _write_access_list(self) -> None:
        """For every client that has a certificate which is not revoked."""
        change_file(
            self._acl,
            lambda _: access_list(sorted({each.subject.name for each in self.issued() if each.revoked is None})),
            _PUBLIC,
        )

    def _authority(self) -> Pair:
        certificate = certificate_text(self._public()).encode()
        return _read(self._key, lambda key: read_authority(certificate, key))

    def _public(self) -> x509.Certificate:
        if not self._certificate.exists():
            raise ShoewatchError(f"{self.path} holds no authority; one is made with: shoewatch certs ca {self.path}")
        return _read(self._certificate, read_certificate)

    def _revoked(self) -> Mapping[str, datetime]:
        public = self._public()
        return _read(self._crl, lambda text: revoked_in(text, public))

    def _records(self) -> Sequence[Path]:
        return sorted(self._issued.glob("*.pem"))

    @property
    def _certificate(self) -> Path:
        return self.path / "ca.pem"

    @property
    def _key(self) -> Path:
        return self.path / "ca.key"

    @property
    def _crl(self) -> Path:
        return self.path / "crl.pem"

    @property
    def _acl(self) -> Path:
        return self.path / "acl"

    @property
    def _issued(self) -> Path:
        return self.path / "issued"


def now_utc() -> datetime:
    return datetime.now(UTC)


_Found = TypeVar("_Found")


def _read(file: Path, meaning: Callable[[bytes], _Found]) -> _Found:
    """What a file means; ConfigError with its name where it cannot be read or means nothing."""
    try:
        return meaning(file.read_bytes())
    except OSError as error:
        raise ConfigError(str(file), [f"cannot be read: {error.strerror}"]) from None
    except ShoewatchError as error:
        raise ConfigError(str(file), [str(error)]) from None


def _place(subject: Subject) -> Path:
    """Where it is handed out, without the ending of a file."""
    if subject.hosts:
        return Path(BROKER, _NO_NAME.sub("-", subject.hosts[0]))
    return Path("tables" if "/" in subject.name else "clients", subject.name)


def _make_all(*files: tuple[Path, str, int]) -> None:
    """New files in this order, each with its text and mode; none of them where one cannot be made."""
    made: list[Path] = []
    try:
        for path, text, mode in files:
            make_file(path, text, mode)
            made.append(path)
    except OSError as error:
        for done in made:
            with suppress(OSError):
                done.unlink()
        raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None


def _free(stem: Path) -> tuple[Path, Path]:
    """The first pair of names, `NAME`, `NAME.2`, `NAME.3` ..., of which neither is taken."""
    for number in count(1):
        name = stem.name if number == 1 else f"{stem.name}.{number}"
        certificate, key = stem.with_name(f"{name}.pem"), stem.with_name(f"{name}.key")
        if not (certificate.exists() or key.exists()):
            return certificate, key
    raise AssertionError


def _make_folder(path: Path) -> None:
    if not path.parent.exists():
        _make_folder(path.parent)
    try:
        path.mkdir(mode=_FOLDER, exist_ok=True)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be made: {error.strerror}"]) from None
