"""Adding devices to the registry and revoking them: what is refused, what the file is afterwards, and that no change is
lost where several are made at once."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from command import shoewatch
from daemon import configure_table

from controller.registry_file import change_registry, read_devices, read_registry
from protocols.errors import ConfigError, ShoewatchError
from protocols.registry import parse_registry
from protocols.registry_changes import added, read_document, revoked, write_document

OLD, NEW, KEY, OTHER = "c7" * 32, "d8" * 32, "3e" * 32, "4f" * 32


def device(serial: str, firmware: str = OLD, key: str = KEY) -> str:
    return f'["{serial}".firmware]\n{firmware} = "{key}"\n'


def maker(folder: Path, text: str, name: str = "maker.toml") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return path


def document(*sections: str) -> dict[str, object]:
    return dict(read_document("".join(sections), "devices.toml"))


def test_devices_and_firmware_are_added() -> None:
    registry, said = added({}, document(device("SHOE-1"), device("HCR 1".replace(" ", "#"))))
    assert said == (f"SHOE-1: firmware {OLD} is approved", f"HCR#1: firmware {OLD} is approved")
    registry, said = added(registry, document(device("SHOE-1", NEW.upper(), OTHER)))
    assert said == (f"SHOE-1: firmware {NEW} is approved",)
    read = parse_registry(write_document(registry), "devices.toml")
    assert read.key("SHOE-1", bytes.fromhex(OLD)) == bytes.fromhex(KEY)
    assert read.key("SHOE-1", bytes.fromhex(NEW)) == bytes.fromhex(OTHER)
    assert read.key("HCR#1", bytes.fromhex(OLD)) == bytes.fromhex(KEY)
    assert added(registry, document(device("SHOE-1"))) == (registry, ())


@pytest.mark.parametrize("serial", ["SHOE-000042", 'a"b', "a\\b", "a.b", "x" * 16, "#=[]'"])
def test_every_serial_number_is_written_so_that_it_reads_back(serial: str) -> None:
    text = write_document({serial: {"firmware": {OLD: KEY}}})
    assert read_document(text, "devices.toml") == {serial: {"firmware": {OLD: KEY}}}


def test_settings_are_the_same_in_capitals() -> None:
    small, capitals = (
        document(f'[SHOE-1]\nsettings = "{digest}"\n' + device("SHOE-1")) for digest in (NEW, NEW.upper())
    )
    assert added(small, capitals) == (small, ())


def test_a_makers_file_without_a_device_is_refused(tmp_path: Path) -> None:
    told = shoewatch("devices", "add", str(maker(tmp_path, "# none\n")), "--registry", str(tmp_path / "devices.toml"))
    assert (told.status, f"{tmp_path}/maker.toml: no device stands in it" in told.stderr) == (2, True)
    assert not (tmp_path / "devices.toml").exists()


def test_a_registry_that_is_a_link_to_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "devices.toml").symlink_to("devices.toml")
    file = maker(tmp_path, device("SHOE-1"))
    told = shoewatch("devices", "add", str(file), "--registry", str(tmp_path / "devices.toml"))
    assert (told.status, "devices.toml: " in told.stderr) == (78, True)


def test_another_key_for_the_same_firmware_is_refused_and_not_shown() -> None:
    with pytest.raises(ShoewatchError, match=r"another key already.*devices revoke SHOE-1") as refused:
        added(document(device("SHOE-1")), document(device("SHOE-1", key=OTHER)))
    assert KEY not in str(refused.value)
    assert OTHER not in str(refused.value)


def test_revoking_takes_every_firmware() -> None:
    registry = document(device("SHOE-1"), device("HCR-1"))
    assert revoked(registry, "SHOE-1") == document(device("HCR-1"))
    with pytest.raises(ShoewatchError, match=r'does not know .SHOE-2. \(did you mean "SHOE-1"'):
        revoked(registry, "SHOE-2")
    with pytest.raises(ShoewatchError, match="knows none"):
        revoked({}, "SHOE-2")


def test_the_file_is_made_private_and_stays_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "devices.toml"
    change_registry(path, lambda _: document(device("SHOE-1")))
    assert path.stat().st_mode & 0o777 == 0o600
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
        change_registry(path, lambda registry: added(registry, document(device("HCR-1")))[0])
        status = path.stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 23456, 0o600)
    assert [each.name for each in tmp_path.iterdir()] == ["devices.toml"]


def test_a_link_to_the_registry_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "devices.toml"
    link.symlink_to(real)
    change_registry(link, lambda _: document(device("SHOE-1")))
    assert link.is_symlink()
    assert read_registry(real).knows("SHOE-1")


def test_a_change_that_changes_nothing_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = maker(tmp_path, "# approved by Ms Jones\n" + device("SHOE-1"), "devices.toml")
    before = path.read_bytes()
    change_registry(path, lambda registry: registry)
    with pytest.raises(ShoewatchError, match="SHOE-9"):
        change_registry(path, lambda registry: revoked(registry, "SHOE-9"))
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_written_to_its_end_leaves_the_old_one(tmp_path: Path) -> None:
    path = maker(tmp_path, device("SHOE-1") + device("SHOE-2"), "devices.toml")
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(ConfigError, match="cannot be written: File too large"):
            change_registry(path, lambda registry: revoked(registry, "SHOE-1"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["devices.toml"]


def test_of_changes_at_once_none_is_lost(tmp_path: Path) -> None:
    registry = tmp_path / "devices.toml"
    code = "import sys; from controller.cli.main import app_for; app_for(sys.argv[1:])(sys.argv[1:])"
    makers = [str(maker(tmp_path, device(f"SHOE-{n}"), f"maker-{n}.toml")) for n in range(4)]
    adding = [
        subprocess.Popen([sys.executable, "-c", code, "devices", "add", file, "--registry", str(registry)])
        for file in makers
    ]
    assert [each.wait(timeout=120) for each in adding] == [0] * 4
    assert sorted(read_devices(registry)) == [f"SHOE-{n}" for n in range(4)]


def test_the_commands_at_a_table_without_a_registry_yet(tmp_path: Path) -> None:
    config = configure_table(tmp_path, "sim:a", "sim:a", "mqtt://127.0.0.1:1")
    (tmp_path / "devices.toml").unlink()
    text = config.read_text().replace("[reader]\n", '[reader]\nserial  = "HCR-0007"\n')
    config.write_text(text)
    of_table = ("--config", str(config))

    done = shoewatch("devices", "add", str(maker(tmp_path, device("SHOE-000042") + device("HCR-0007"))), *of_table)
    assert (done.status, done.stderr) == (0, "")
    assert f"HCR-0007: firmware {OLD} is approved\n" in done.stdout
    assert f"started again: stop it (Ctrl-C), then shoewatch run --config {config}\n" in done.stdout

    listed = shoewatch("devices", "list", *of_table)
    assert (listed.status, listed.stderr) == (0, "")
    assert f"  HCR-0007  reader of bac-01\n      firmware {OLD}\n" in listed.stdout
    assert "any of them may be the shoe of bac-01" in listed.stdout
    assert KEY not in listed.stdout + done.stdout

    asked = shoewatch("devices", "revoke", "HCR-0007", *of_table)
    assert (asked.status, asked.stdout) == (2, "")
    assert asked.stderr.startswith(f"HCR-0007 is the reader of bac-01 ({config}): ")
    assert asked.stderr.splitlines()[-1] == "HCR-0007 is not revoked: --yes does it all the same"
    assert [*read_devices(tmp_path / "devices.toml")] == ["HCR-0007", "SHOE-000042"]
    done = shoewatch("devices", "revoke", "HCR-0007", *of_table, "--yes")
    assert (done.status, done.stdout.startswith("HCR-0007: revoked\n")) == (0, True)
    assert [*read_devices(tmp_path / "devices.toml")] == ["SHOE-000042"]
    again = shoewatch("devices", "revoke", "HCR-0007", *of_table)
    assert (again.status, "does not know 'HCR-0007'" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        (device("SHOE-1"), 0o644, "others may read the keys in it"),
        ("[SHOE-1.firmware]\nc7 = 'x'\n", 0o600, "is no digest with its key"),
        (device("SHOE-1")[:-9] + '"\n', 0o600, "is no digest with its key"),
        ("SHOE-1", 0o600, "is no TOML"),
    ],
)
def test_a_makers_file_that_is_wrong_is_refused_with_the_reason(tmp_path: Path, text: str, mode: int, why: str) -> None:
    file = maker(tmp_path, text)
    file.chmod(mode)
    registry = tmp_path / "devices.toml"
    refused = shoewatch("devices", "add", str(file), "--registry", str(registry))
    assert (refused.status, registry.exists()) == (78, False)
    assert why in refused.stderr
    assert KEY not in refused.stderr


def test_a_registry_from_systemd_is_changed_where_it_lies(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[devices]\nregistry = "credential:devices"\n')
    refused = shoewatch("devices", "list", "--config", str(config))
    assert (refused.status, "--registry which file LoadCredential= names" in refused.stderr) == (78, True)
