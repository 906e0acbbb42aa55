"""The doctor at a broker with TLS: whether the two would trust each other, without a word to the broker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from doctor_asked import asked
from floor_broker import Floor, opened
from table_toml import write

from controller.certificate_folder import CertificateFolder, now_utc
from controller.certificates import Subject
from controller.mqtt_address import Certificates

TABLE = "riverside/bj-07"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with opened(tmp_path_factory.mktemp("floor")) as floor:
        floor.add_table("bj-07")
        yield floor


def found(floor: Floor, folder: Path, host: str, files: Certificates) -> list[str]:
    """What the doctor says of the broker."""
    url = f"mqtts://{host}:{floor.broker.port}"
    mqtt = f'url = "{url}"\nca = "{files.ca}"\ncertificate = "{files.certificate}"\nkey = "{files.key}"'
    said = asked(write(folder, mqtt=mqtt), "--listen", "0")
    return [finding["what"] for finding in said["findings"] if finding["code"].startswith("broker")]


def test_nothing_is_wrong_and_nothing_is_said(floor: Floor, tmp_path: Path) -> None:
    assert found(floor, tmp_path, "127.0.0.1", floor.files(TABLE)) == []
    assert "New client connected" not in floor.broker.log


def test_a_name_that_the_brokers_certificate_lacks(floor: Floor, tmp_path: Path) -> None:
    [what] = found(floor, tmp_path, "localhost", floor.files(TABLE))
    assert what.startswith("the broker answers, but there is no TLS with it: ")
    assert "Hostname mismatch" in what


def test_a_certificate_that_the_broker_does_not_trust(floor: Floor, tmp_path: Path) -> None:
    other = CertificateFolder.make(tmp_path / "other", now_utc())
    _, theirs = other.issue(Subject(TABLE), now_utc(), 365, renew=False)
    [what] = found(
        floor, tmp_path, "127.0.0.1", Certificates(floor.files(TABLE).ca, theirs, theirs.with_suffix(".key"))
    )
    assert what.startswith(
        "the broker answers, but there is no TLS with it: the broker does not trust our certificate: "
    )


def test_another_authority(floor: Floor, tmp_path: Path) -> None:
    other = CertificateFolder.make(tmp_path / "other", now_utc())
    ours = floor.files(TABLE)
    [what] = found(floor, tmp_path, "127.0.0.1", Certificates(other.path / "ca.pem", ours.certificate, ours.key))
    assert "certificate verify failed" in what.lower()
