"""A certificate that ends is told in time: by the doctor, and in the daemon's log."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from doctor_asked import asked
from table_toml import write

from controller.certificate_care import certificate_troubles, watch_certificates
from controller.certificate_folder import CertificateFolder
from controller.certificates import Subject
from controller.mqtt_address import Certificates

NOW = datetime(2026, 11, 30, 7, 3, 48, tzinfo=UTC)
TABLE = Subject("riverside/bac-01")


def ending_in(days: int, folder: Path, now: datetime) -> Certificates:
    """A table's files, of which the certificate ends so soon."""
    made = now + timedelta(days=days - 60)
    kept = CertificateFolder.make(folder / "ca", made)
    _, file = kept.issue(TABLE, made, 60, renew=False)
    return Certificates(kept.path / "ca.pem", file, file.with_suffix(".key"))


@pytest.mark.parametrize(
    ("days", "said"), [(31, None), (29, "ends 2026-12-29 07:03 UTC"), (-1, "ended 2026-11-29 07:03 UTC")]
)
def test_an_end_that_is_near_is_told(tmp_path: Path, days: int, said: str | None) -> None:
    ours = ending_in(days, tmp_path, NOW)
    told = [str(trouble) for trouble in certificate_troubles(ours, NOW)]
    assert told == ([f"certificate {ours.certificate} {said}"] if said else [])


def test_so_is_that_of_the_authority_and_a_file_that_is_none(tmp_path: Path) -> None:
    kept = CertificateFolder.make(tmp_path / "ca", NOW - timedelta(days=3640))
    (tmp_path / "table.pem").write_text("nothing\n")
    ours = Certificates(kept.path / "ca.pem", tmp_path / "table.pem")
    ends, wrong = certificate_troubles(ours, NOW)
    assert (ends.role, ends.ends, wrong.what) == ("ca", True, "is no certificate in PEM")
    younger = CertificateFolder.make(tmp_path / "younger", NOW)
    with ours.ca.open("ab") as bundle:  # type: ignore[union-attr]
        bundle.write((younger.path / "ca.pem").read_bytes())
    assert [each.role for each in certificate_troubles(ours, NOW)] == ["certificate"]
    assert certificate_troubles(None, NOW) == ()


@pytest.mark.parametrize(("days", "codes"), [(31, []), (29, ["certificate_ends"])])
def test_the_doctor_finds_it(tmp_path: Path, days: int, codes: list[str]) -> None:
    ours = ending_in(days, tmp_path, datetime.now(UTC))
    mqtt = f'url = "mqtts://127.0.0.1:1"\nca = "{ours.ca}"\ncertificate = "{ours.certificate}"\nkey = "{ours.key}"'
    said = asked(write(tmp_path, mqtt=mqtt), "--listen", "0")
    found = [finding for finding in said["findings"] if finding["code"].startswith("certificate")]
    assert [finding["code"] for finding in found] == codes
    assert [finding["mend"] for finding in found] == ["shoewatch certs table FOLDER riverside bac-01 --renew"] * len(
        codes
    )


def test_the_doctor_finds_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing\n")
    said = asked(write(tmp_path, mqtt='url = "mqtts://127.0.0.1:1"\nca = "ca.pem"'), "--listen", "0")
    [wrong] = [finding for finding in said["findings"] if finding["code"] == "certificate_wrong"]
    assert wrong["what"].startswith(f"ca {tmp_path / 'ca.pem'} is no certificate in PEM")


def test_the_log_tells_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ours = ending_in(3, tmp_path, datetime.now(UTC))

    async def watch() -> None:
        task = asyncio.create_task(watch_certificates(ours))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    with caplog.at_level(logging.WARNING):
        asyncio.run(watch())
    [said] = [record.getMessage() for record in caplog.records]
    assert said.startswith(f"certificate {ours.certificate} ends 20")
