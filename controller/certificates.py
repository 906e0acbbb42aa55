"""The certificates of a floor: a site's own authority, what it issues and what it takes back. Pure but for the random
numbers of keys and serials.

A table's certificate names `SITE/TABLE`, a client's `ROLE.NAME`: the broker takes that as its user, and finds the
user's rights by it (`broker_rights.py`). The broker's certificate is good for a server only, all others only for a
client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from protocols.errors import ShoewatchError

AUTHORITY_DAYS: Final = 3652
BROKER: Final = "broker"
_AUTHORITY: Final = "shoewatch site authority"
_EARLIER: Final = timedelta(hours=1)
"""How far the clock of another computer may be behind."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(repr=False)

    def certificate_text(self) -> str:
        return certificate_text(self.certificate)

    def key_text(self) -> str:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a certificate is for: the user's name, or the hosts of a broker."""

    name: str
    hosts: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{BROKER} {', '.join(self.hosts)}" if self.hosts else self.name


@dataclass(frozen=True, slots=True)
class Issued:
    """What is known of a certificate that was issued; `serial`: hex digits, `until` and `revoked` in UTC."""

    subject: Subject
    serial: str
    until: datetime
    revoked: datetime | None = None

    def in_force(self, now: datetime) -> bool:
        return self.revoked is None and now < self.until


def new_authority(now: datetime) -> Pair:
    """A site's own authority, which signs certificates and revocations and no other authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder(_name(_AUTHORITY), _name(_AUTHORITY), key, now, now + timedelta(days=AUTHORITY_DAYS))
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    usage = _usage(key_cert_sign=True, crl_sign=True)
    return Pair(builder.add_extension(usage, critical=True).sign(key, SHA256()), key)


def issue(authority: Pair, subject: Subject, now: datetime, days: int) -> Pair:
    """A certificate with a key of its own, for so many days, but not longer than its authority's."""
    key = ec.generate_private_key(ec.SECP256R1())
    until = min(now + timedelta(days=days), authority.certificate.not_valid_after_utc)
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if subject.hosts else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = (
        _builder(_name(subject.name), authority.certificate.subject, key, now, until)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(_signed_by(authority), critical=False)
    )
    if subject.hosts:
        hosts = x509.SubjectAlternativeName([_general_name(host) for host in subject.hosts])
        builder = builder.add_extension(hosts, critical=False)
    return Pair(builder.sign(authority.key, SHA256()), key)


def revocations(authority: Pair, revoked: Mapping[str, datetime], now: datetime) -> str:
    """The authority's list of what is revoked, serials with their times, in PEM. It holds as long as the authority: a
    broker with a list that has ended lets nobody in."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.certificate.subject)
        .last_update(now - _EARLIER)
        .next_update(authority.certificate.not_valid_after_utc)
        .add_extension(_signed_by(authority), critical=False)
        .add_extension(x509.CRLNumber(int(now.timestamp() * 1000)), critical=False)
    )
    for serial, time in revoked.items():
        entry = x509.RevokedCertificateBuilder().serial_number(int(serial, 16)).revocation_date(time)
        builder = builder.add_revoked_certificate(entry.build())
    return builder.sign(authority.key, SHA256()).public_bytes(Encoding.PEM).decode()


def revoked_in(text: bytes, authority: x509.Certificate) -> Mapping[str, datetime]:
    """The serials in a list of revocations, with their times; ShoewatchError where it is none of this authority."""
    try:
        found = x509.load_pem_x509_crl(text)
    except ValueError:
        raise ShoewatchError("is no list of revoked certificates in PEM") from None
    key = authority.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not found.is_signature_valid(key):
        raise ShoewatchError("is not signed by this authority")
    return {f"{each.serial_number:x}": each.revocation_date_utc for each in found}


def read_authority(certificate: bytes, key: bytes) -> Pair:
    """ShoewatchError where one of them is none, or they do not belong together."""
    found = read_certificate(certificate)
    try:
        secret = load_pem_private_key(key, None)
    except (ValueError, TypeError):
        raise ShoewatchError("the authority's key is no private key in PEM without a password") from None
    if not isinstance(secret, ec.EllipticCurvePrivateKey) or secret.public_key() != found.public_key():
        raise ShoewatchError("the authority's key does not belong to its certificate")
    return Pair(found, secret)


def read_certificate(text: bytes) -> x509.Certificate:
    """The first certificate in the text; ShoewatchError where there is none."""
    try:
        return x509.load_pem_x509_certificate(text)
    except ValueError:
        raise ShoewatchError("is no certificate in PEM") from None


def certificate_text(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def described(certificate: x509.Certificate, revoked: Mapping[str, datetime]) -> Issued:
    """What one of our certificates says; ShoewatchError where it says no name."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    if not names:
        raise ShoewatchError("is a certificate without a common name")
    serial = f"{certificate.serial_number:x}"
    subject = Subject(str(names[0].value), _hosts(certificate))
    return Issued(subject, serial, certificate.not_valid_after_utc, revoked.get(serial))


def _hosts(certificate: x509.Certificate) -> tuple[str, ...]:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    return tuple(str(name.value) for name in names)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _signed_by(authority: Pair) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())


def _general_name(host: str) -> x509.GeneralName:
    address = as_address(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(address)


def as_address(host: str) -> IPv4Address | IPv6Address | None:
    """None for what is no address but may be a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _usage(*, digital_signature: bool = False, key_cert_sign: bool = False, crl_sign: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        key_cert_sign=key_cert_sign,
        crl_sign=crl_sign,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
