"""The configuration of shoe, reader and the registry: what it gives, and each mistake with what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from table_toml import GOOD, only_problem, problems, write

from controller.cli.config import report
from controller.config import Config
from controller.config_reading import load_config
from firmware_bridge.transport import PortAddress
from protocols.errors import ConfigError, ShoewatchError

READER = 'port = "tcp:10.0.0.6:4001"\n'


def write_reader(folder: Path, text: str, **sections: str) -> Path:
    (folder / "devices.toml").touch(0o600)
    return write(folder, reader=READER + text, devices='registry = "devices.toml"', **sections)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "max_age_s = 0.5",
            "reader.max_age_s: must be a number of seconds from 1.5 to 60: a reader tells once a second",
        ),
        ("max_age_s = 61", "reader.max_age_s: must be a number of seconds"),
        ("max_age_s = nan", "reader.max_age_s: must be a number of seconds"),
        ("max_age_s = true", "reader.max_age_s: must be a number of seconds"),
        ('max_age_s = "2"', "reader.max_age_s: must be a number of seconds"),
        ('inspection = "daily"', "reader.inspection: 'daily' is not possible here"),
        ('inspection = "required"', "reader.inspection: is required, but without a [panel] nobody can say that"),
        ('day_starts = "6 am"', 'reader.day_starts: must be a time of day such as "06:00"'),
        ('day_starts = "24:00"', "reader.day_starts: must be a time of day"),
        ("day_starts = 06:00:00", "reader.day_starts: must be a time of day"),
    ],
)
def test_one_mistake_in_what_is_wanted_of_the_reader(tmp_path: Path, text: str, expected: str) -> None:
    assert only_problem(write_reader(tmp_path, text)).startswith(expected)


TDL = 'protocol = "tdl"\n'


@pytest.mark.parametrize(
    ("shoe", "reader", "expected"),
    [
        (
            'port = "serial:/dev/ttyS1"',
            'port = "serial:/dev/../dev/ttyS1"',
            ["shoe.port, reader.port: serial:/dev/ttyS1 and serial:/dev/../dev/ttyS1 are one line"],
        ),
        (
            'port = "serial:shoe"',
            'port = "serial:reader"',
            ["shoe.port, reader.port: serial:shoe and serial:reader are one line"],
        ),
        (
            'port = "tcp:192.0.2.8:4001"',
            'port = "tcp:192.0.2.8:4001"',
            ["shoe.port, reader.port: tcp:192.0.2.8:4001 and tcp:192.0.2.8:4001 are one line"],
        ),
        (
            'port = "usb:1-4"\nserial = "HCR-0007"',
            'port = "usb:1-5"\nserial = "HCR-0007"',
            ["shoe.serial, reader.serial: 'HCR-0007' is both, at usb:1-4 and at usb:1-5"],
        ),
        ('port = "sim:one"', 'port = "sim:one"', []),
        ('port = "tcp:192.0.2.8:4001"', 'port = "tcp:192.0.2.8:4002"', []),
    ],
)
def test_two_devices_are_not_one(tmp_path: Path, shoe: str, reader: str, expected: list[str]) -> None:
    (tmp_path / "shoe").symlink_to("/dev/ttyS7")
    (tmp_path / "reader").symlink_to("/dev/ttyS7")
    (tmp_path / "devices.toml").touch(0o600)
    file = write(tmp_path, shoe=TDL + shoe, reader=reader, devices='registry = "devices.toml"')
    found = problems(file) if expected else ()
    assert [each for each in found if "registry" not in each] == expected
    if not expected:
        load_config(file)


def test_what_is_wanted_of_the_reader(tmp_path: Path) -> None:
    reader = load_config(write_reader(tmp_path, "")).reader
    assert reader is not None
    assert (reader.max_age_s, reader.inspection, f"{reader.day_starts}") == (2.0, "off", "06:00:00")
    text = 'max_age_s = 3\ninspection = "required"\nday_starts = "09:30"'
    used = load_config(write_reader(tmp_path, text, panel='directory = "panel"'))
    assert used.reader is not None
    assert (used.reader.max_age_s, used.reader.inspection) == (3.0, "required")
    assert 'day_starts = "09:30"' in list(report(used))


REGISTRY = '[SHOE-1.firmware]\n"' + 64 * "a" + '" = "' + 64 * "b" + '"\n'
TDL_SHOE = 'port = "serial:/dev/ttyUSB0"\nprotocol = "tdl"\nserial = '


@pytest.mark.parametrize(
    ("text", "mode", "serial", "problem"),
    [
        (REGISTRY, 0o644, "SHOE-1", "devices.registry: others may read the keys in it"),
        ("garbage [[", 0o600, "SHOE-1", "devices.registry: is no TOML"),
        (REGISTRY, 0o600, "SHOE-2", "shoe.serial: 'SHOE-2' is not in the registry (did you mean \"SHOE-1\"?)"),
    ],
)
def test_the_registry_is_looked_into(tmp_path: Path, text: str, mode: int, serial: str, problem: str) -> None:
    registry = tmp_path / "devices.toml"
    registry.write_text(text)
    registry.chmod(mode)
    told = only_problem(write(tmp_path, shoe=f'{TDL_SHOE}"{serial}"', devices='registry = "devices.toml"'))
    assert told.startswith(problem)


def test_the_registry_may_come_from_systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, shoe=f'{TDL_SHOE}"SHOE-1"', devices='registry = "credential:devices"')
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with pytest.raises(ShoewatchError, match="credential:devices comes from systemd"):
        load_config(file).devices.trusted()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert only_problem(file) == f"devices.registry: there is no file {tmp_path / 'devices'}"
    handed_over = tmp_path / "devices"
    handed_over.write_text(REGISTRY.replace("SHOE-1", "SHOE-2"))
    handed_over.chmod(0o440)
    assert only_problem(file).startswith("shoe.serial: 'SHOE-1' is not in the registry")
    handed_over.chmod(0o640)
    handed_over.write_text(REGISTRY)
    assert load_config(file).devices.trusted().knows("SHOE-1")


@pytest.mark.parametrize(
    ("devices", "shoe", "check"),
    [
        ("", "", None),
        ("allow_commands = false", 'command_bcc = "without_stx"', None),
        ("allow_commands = true", "", "with_stx"),
        ("allow_commands = true", 'command_bcc = "without_stx"', "without_stx"),
    ],
)
def test_whether_and_how_an_angel_eye_shoe_is_told_anything(
    tmp_path: Path, devices: str, shoe: str, check: str | None
) -> None:
    config = load_config(write(tmp_path, shoe=f"{GOOD['shoe']}\n{shoe}", devices=devices))
    assert config.command_check == check
    assert config.may_order == {"reader"} | ({"shoe"} if check else set())


def test_a_bee_tek_shoe_tells_nothing_but_cards(tmp_path: Path) -> None:
    shoe = 'port = "sim:try"\nprotocol = "bee-tek"'
    config = load_config(write(tmp_path, shoe=shoe))
    assert config.observes == ()
    assert config.told_by_devices == frozenset()
    assert config.port_of("shoe").params == {"procedure": "pb-nj", "protocol": "bee-tek"}
    assert only_problem(write(tmp_path, shoe=f'{shoe}\nserial = "BT1"')) == (
        "shoe.serial: a shoe that speaks bee-tek tells no serial number, leave it out"
    )
    assert only_problem(write(tmp_path, shoe=f'{shoe}\ncommand_bcc = "with_stx"')) == (
        'shoe.command_bcc: belongs to protocol = "angel-eye", leave it out'
    )


def test_a_simulator_is_told_what_it_has_to_know_of_the_table(tmp_path: Path) -> None:
    registry = tmp_path / "devices.toml"
    registry.write_text(REGISTRY)
    registry.chmod(0o600)
    config = load_config(
        write(
            tmp_path,
            game='procedure = "nd-card-reader"',
            shoe='port = "sim:try?seed=3"\nprotocol = "tdl"',
            reader='port = "sim:try"',
            devices='registry = "devices.toml"',
            panel='directory = "panel"',
        )
    )
    told = {"procedure": "nd-card-reader", "panel": str(tmp_path / "panel"), "seed": "3"}
    assert config.port_of("shoe") == PortAddress("sim", "try", told)
    assert config.port_of("reader") == PortAddress("sim", "try", {"device": "reader"})
    assert config.shoe.port == PortAddress("sim", "try", {"seed": "3"})


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ('port = "usb:HCR-0007"', {}),
        ('port = "usb:HCR-0007"\nusb_id = "1209:CA4E"', {"usb_id": "1209:ca4e"}),
        ('port = "usb:HCR-0007?usb_id=1209:0001"\nusb_id = "1209:ca4e"', {"usb_id": "1209:0001"}),
    ],
)
def test_a_reader_on_usb_may_have_another_id(tmp_path: Path, text: str, params: Mapping[str, str]) -> None:
    assert reader_at(tmp_path, text).port_of("reader") == PortAddress("usb", "HCR-0007", params)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('port = "usb:HCR-0007"\nusb_id = "1209"', "reader.usb_id: '1209' is no USB id"),
        ('port = "usb:HCR-0007"\nusb_id = 1209', "reader.usb_id: must be a text, such as '1209:ca4d'"),
        ('port = "usb:1111"', "reader.port: \"usb:1111\": '1111' tells no device from another"),
        ('port = "tcp:10.0.0.6:4001"\nusb_id = "1209:ca4d"', "reader.usb_id: belongs to a port of usb:"),
    ],
)
def test_a_reader_on_usb_that_is_none(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        reader_at(tmp_path, text)
    [problem] = caught.value.problems
    assert problem.startswith(expected)


def reader_at(folder: Path, text: str) -> Config:
    registry = folder / "devices.toml"
    registry.write_text(REGISTRY)
    registry.chmod(0o600)
    return load_config(write(folder, reader=text, devices='registry = "devices.toml"'))
