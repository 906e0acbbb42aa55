"""`shoewatch certs`: what it issues, takes back and shows, and that it overwrites and half-writes nothing."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import Result, shoewatch
from cryptography import x509

from controller.certificate_folder import CertificateFolder
from controller.certificates import Subject
from protocols.errors import ShoewatchError

NOW = datetime(2026, 11, 30, 7, 3, 48, tzinfo=UTC)
TABLE = Subject("riverside/bj-07")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "floor-ca"
    assert certs("ca", path).status == 0
    return path


def certs(command: str, folder: Path, *arguments: str) -> Result:
    return shoewatch("certs", command, str(folder), *arguments)


def files(folder: Path) -> Mapping[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def modes(folder: Path) -> set[tuple[str, int]]:
    return {(file.suffix, file.stat().st_mode & 0o777) for file in folder.rglob("*") if file.is_file()}


def test_keys_are_their_owners_alone_and_the_folders_too(folder: Path) -> None:
    assert certs("broker", folder, "--host", "broker.floor", "--host", "::1").status == 0
    assert certs("table", folder, "riverside", "bj-07").status == 0
    assert certs("client", folder, "pit-wall", "--role", "dashboard").status == 0
    assert {mode for suffix, mode in modes(folder) if suffix == ".key"} == {0o600}
    assert {each.stat().st_mode & 0o777 for each in (folder, *folder.rglob("*")) if each.is_dir()} == {0o700}
    assert {str(file) for file in map(Path, files(folder)) if file.suffix == ".key"} == {
        "ca.key",
        "broker/broker.floor.key",
        "tables/riverside/bj-07.key",
        "clients/dashboard.pit-wall.key",
    }


def test_every_key_belongs_to_its_certificate_and_openssl_agrees(folder: Path) -> None:
    certs("broker", folder, "--host", "Broker.Floor", "--host", "192.0.2.10")
    certs("table", folder, "riverside", "bj-07")
    for certificate, purpose in (("broker/broker.floor.pem", "sslserver"), ("tables/riverside/bj-07.pem", "sslclient")):
        for wanted in ("sslserver", "sslclient"):
            command: list[str | Path] = [
                "openssl",
                "verify",
                "-x509_strict",
                "-crl_check",
                "-CRLfile",
                folder / "crl.pem",
            ]
            command += ["-CAfile", folder / "ca.pem", "-purpose", wanted, folder / certificate]
            assert (subprocess.run(command, capture_output=True).returncode == 0) == (wanted == purpose)
    served = x509.load_pem_x509_certificate((folder / "broker/broker.floor.pem").read_bytes())
    names = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(name.value) for name in names] == ["broker.floor", "192.0.2.10"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("table", "River", "bj-07"), "'River' is no level of a topic"),
        (("table", "riverside", "a/b"), "'a/b' is no level of a topic"),
        (("table", "riverside", "+"), "'+' is no level of a topic"),
        (("table", "a" * 32, "b" * 32), "too long for a certificate"),
        (("client", "pit.wall", "--role", "dashboard"), "'pit.wall' is no level of a topic"),
        (("client", "pit", "--role", "table"), "'table' is no role"),
        (("client", "pit", "--role", "dashbord"), 'did you mean "dashboard"?'),
        (("broker", "--host", "-broker"), "is no name of a host"),
        (("broker", "--host", "*.floor"), "is no name of a host"),
        (("broker", "--host", "broker..floor"), "is no name of a host"),
        (("broker", "--host", "192.0.2.256"), "is no name of a host"),
        (("broker", "--host", "192.0.2"), "is no name of a host"),
        (("revoke", "riverside/bj-08"), "issued no certificate 'riverside/bj-08'"),
    ],
)
def test_what_is_wrong_is_told_and_leaves_nothing(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    before = files(folder)
    result = certs(arguments[0], folder, *arguments[1:])
    assert (result.status, result.stdout) == (2, "")
    assert said in result.stderr
    assert files(folder) == before


def test_the_longest_names_that_fit_are_taken(folder: Path) -> None:
    assert certs("table", folder, "a" * 32, "b" * 31).status == 0


def test_nothing_is_overwritten(folder: Path) -> None:
    certs("table", folder, "riverside", "bj-07")
    before = files(folder)
    for again in (("ca",), ("table", "riverside", "bj-07")):
        result = certs(again[0], folder, *again[1:])
        assert result.status == 2
        assert "already" in result.stderr
    assert files(folder) == before
    renewed = certs("table", folder, "riverside", "bj-07", "--renew")
    assert "bj-07.2.pem and bj-07.2.key" in renewed.stdout
    assert before.items() <= files(folder).items()


def test_it_is_listed_revoked_and_issued_again(folder: Path) -> None:
    certs("table", folder, "riverside", "bj-07")
    certs("table", folder, "riverside", "bj-07", "--renew")
    certs("client", folder, "pit-wall", "--role", "console")
    assert "user console.pit-wall\n" in (folder / "acl").read_text()
    authority, console, older, newer = certs("list", folder).stdout.splitlines()
    assert authority.strip().startswith("the authority, until 20")
    serial = older.split()[0]
    assert certs("revoke", folder, serial).status == 0
    assert certs("revoke", folder, serial).status == 2
    assert certs("revoke", folder, "console.pit-wall").status == 0
    assert "console" not in (folder / "acl").read_text()
    listed = certs("list", folder).stdout.splitlines()
    assert [line.rpartition(", ")[2][:7] for line in listed] == ["until 2", "revoked", "revoked", "until 2"]
    assert listed[3] == newer
    found = x509.load_pem_x509_crl((folder / "crl.pem").read_bytes())
    assert {f"{each.serial_number:x}" for each in found} == {serial, console.split()[0]}
    assert certs("revoke", folder, "riverside/bj-07").status == 0
    assert "bj-07.3.pem" in certs("table", folder, "riverside", "bj-07").stdout


def test_a_certificate_lasts_as_long_as_asked_but_not_longer_than_its_authority(tmp_path: Path) -> None:
    kept = CertificateFolder.make(tmp_path / "ca", NOW)
    issued, _ = kept.issue(TABLE, NOW, 30, renew=False)
    assert issued.until == NOW + timedelta(days=30)
    longest, _ = kept.issue(TABLE, NOW + timedelta(days=31), 3652, renew=False)
    assert longest.until == kept.until


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_where_a_file_cannot_be_written_none_of_them_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    calls = 0

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls > 2 * (failing - 1):
            raise OSError(errno.ENOSPC, "No space left on device")

    before = files(folder)
    with monkeypatch.context() as broken:
        broken.setattr("controller.changed_file.os.fsync", full)
        result = certs("table", folder, "riverside", "bj-07")
    assert (result.status, "No space left" in result.stderr) == (78, True)
    assert files(folder) == before
    assert certs("table", folder, "riverside", "bj-07").status == 0


def issue_one(folder: Path, number: int) -> None:
    CertificateFolder(folder).issue(Subject(f"riverside/bj-{number % 3}"), datetime.now(UTC), 30, renew=True)


def test_of_many_at_once_each_gets_its_own(folder: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.starmap(issue_one, [(folder, number) for number in range(12)])
    issued = CertificateFolder(folder).issued()
    assert len(issued) == 12
    assert len(list((folder / "tables/riverside").iterdir())) == 24


@pytest.mark.parametrize("name", ["ca.pem", "ca.key", "crl.pem"])
def test_a_file_that_is_something_else_is_named(folder: Path, name: str) -> None:
    certs("table", folder, "riverside", "bj-07")
    (folder / name).write_text("nothing\n")
    result = certs("revoke", folder, "riverside/bj-07")
    assert result.status == os.EX_CONFIG
    assert result.stderr.startswith(f"{folder / name}: ")


def test_the_key_of_another_authority_is_refused(folder: Path, tmp_path: Path) -> None:
    other = CertificateFolder.make(tmp_path / "other", NOW)
    (folder / "ca.key").write_bytes((other.path / "ca.key").read_bytes())
    with pytest.raises(ShoewatchError, match="does not belong"):
        CertificateFolder(folder).issue(TABLE, NOW, 30, renew=False)
    (folder / "crl.pem").write_bytes((other.path / "crl.pem").read_bytes())
    with pytest.raises(ShoewatchError, match="not signed by this authority"):
        CertificateFolder(folder).issued()


def test_the_access_list_of_another_authoritys_clients_is_the_same(folder: Path) -> None:
    certs("client", folder, "pit-wall", "--role", "dashboard")
    assert shoewatch("certs", "acl", "dashboard.pit-wall").stdout == (folder / "acl").read_text()
    for wrong in ("pit-wall", "table.pit-wall", "dashboard.", "dashboard.a/b"):
        assert shoewatch("certs", "acl", wrong).status == 2
