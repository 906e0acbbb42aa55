"""The configuration: what it gives, and that every mistake is told, in one report, with what would be right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import pytest

from controller.cli.config import report
from controller.config import Config
from controller.config_reading import load_config
from controller.mqtt_address import BrokerAddress, Certificates
from firmware_bridge.transport import PortAddress
from protocols.errors import ConfigError, ShoewatchError

GOOD: Mapping[str, str] = {
    "": 'site = "riverside"\ntable = "bac-01"\nprofile = "bench"',
    "game": 'procedure = "pb-nj"',
    "shoe": 'port = "serial:/dev/ttyUSB0"\nprotocol = "angel-eye"',
    "journal": 'path = "journal.db"',
    "mqtt": 'url = "mqtt://127.0.0.1:1883"',
}


def write(folder: Path, **sections: str) -> Path:
    """A table.toml of the good sections, those named replaced; `top` names the lines before the first section."""
    texts = {**GOOD, **{"" if name == "top" else name: text for name, text in sections.items()}}
    file = folder / "table.toml"
    file.write_text("".join((f"[{name}]\n" if name else "") + f"{text}\n" for name, text in texts.items()))
    return file


def problems(file: Path) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert str(caught.value).splitlines() == [f"{file}: {problem}" for problem in caught.value.problems]
    return caught.value.problems


def only_problem(file: Path) -> str:
    (problem,) = problems(file)
    return problem


def test_a_good_file_with_its_defaults(tmp_path: Path) -> None:
    config = load_config(write(tmp_path))
    assert (config.site, config.table, config.profile) == ("riverside", "bac-01", "bench")
    assert config.game.procedure == "pb-nj"
    assert config.game.options == {}
    assert config.observes == ("positions",)
    assert config.shoe.port == PortAddress("serial", "/dev/ttyUSB0")
    assert config.journal.vault_key is None
    assert (config.mqtt.protocol, config.mqtt.allow_insecure) == ("auto", False)


def test_what_the_table_observes_can_be_set(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, game='procedure = "pb-fr"\nobserves = ["positions", "signals"]'))
    assert config.observes == ("positions", "signals")


def test_options_keep_their_types(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, game='procedure = "pb-nj"\noptions = { last_coup = "current", decks = 6 }'))
    assert config.game.options == {"last_coup": "current", "decks": 6}


def test_every_path_is_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "etc"
    for folder in (home / "procedures.d", tmp_path / "var"):
        folder.mkdir(parents=True)
    for name in ("ca.pem", "bac-01.pem", "vault.key", "bac-01.key", "coup.txt"):
        (home / name).touch(mode=0o600)
    write(
        home,
        game='procedure = "pb-nj"\nprocedures = "procedures.d"',
        shoe='port = "replay:coup.txt?pace=0"\nprotocol = "angel-eye"',
        journal='path = "../var/journal.db"\nvault_key = "vault.key"',
        mqtt='url = "mqtts://broker.floor"\nca = "ca.pem"\ncertificate = "bac-01.pem"\nkey = "bac-01.key"',
    )
    monkeypatch.chdir(tmp_path)
    config = load_config(Path("etc/table.toml"))
    assert config.game.procedures == home / "procedures.d"
    assert config.shoe.port == PortAddress("replay", str(home / "coup.txt"), {"pace": "0"})
    assert config.journal.path == tmp_path / "var/journal.db"
    assert config.journal.vault_key is not None
    assert config.journal.vault_key.file() == home / "vault.key"
    certificates = Certificates(home / "ca.pem", home / "bac-01.pem", home / "bac-01.key")
    assert config.mqtt.address() == BrokerAddress("broker.floor", 8883, certificates)


@pytest.mark.parametrize(
    ("section", "text", "expected"),
    [
        ("top", 'site = "riverside"\nprofile = "bench"', 'table: is missing (for example table = "bac-01")'),
        ("top", GOOD[""].replace("riverside", "River Side"), "site: 'River Side' is no topic level"),
        ("top", GOOD[""].replace('"bac-01"', "7"), "table: must be a text, such as 'bj-07'"),
        ("top", GOOD[""].replace("bench", "benhc"), "profile: 'benhc' is not possible here (allowed: 'bench' or"),
        ("game", 'procedure = "pb-nj"\nobserves = "positions"', "game.observes: must be a list"),
        ("game", 'procedure = "pb-nj"\nobserves = ["posiitons"]', "game.observes.0: 'posiitons' is not possible here"),
        ("game", 'procedure = "pb-nj"\noptions = { decks = 1.5 }', "game.options.decks: must be a text, a whole"),
        ("game", 'procedure = "pb-nj"\noptions = "decks"', "game.options: must be a table"),
        ("game", 'procedure = "pb-nj"\nprocedures = "nowhere"', "game.procedures: there is no folder /"),
        ("game", 'procedure = "pb-nk"', "game.procedure: unknown procedure 'pb-nk' (did you mean \"pb-nj\"?)"),
        ("game", 'procedure = "pb-nj"\noptions = { last_cuop = 1 }', "game.options.last_cuop: "),
        ("game", 'procedure = "pb-nj"\noptions = { decks = 99 }', "game.options.decks: "),
        ("game", "procedure = true", "game.procedure: must be a text in quotes"),
        ("shoe", 'protocol = "angel-eye"', 'shoe.port: is missing (for example port = "serial:/dev/ttyUSB0")'),
        ("shoe", 'port = "seral:/dev/ttyS0"\nprotocol = "angel-eye"', "shoe.port: "),
        ("shoe", 'port = "replay:nowhere.txt"\nprotocol = "angel-eye"', "shoe.port: there is no file /"),
        ("shoe", 'prot = "tcp:a:1"\n' + GOOD["shoe"], 'shoe.prot: unknown key (did you mean "port"?)'),
        (
            "shoe",
            'serial = "SH42"\n' + GOOD["shoe"],
            "shoe.serial: a shoe that speaks angel-eye tells no serial number",
        ),
        ("shoe", 'port = "tcp:10.0.0.5:4001"\nprotocol = "tdk"', "shoe.protocol: 'tdk' is not possible here"),
        ("journal", 'path = "nowhere/journal.db"', "journal.path: there is no folder /"),
        ("journal", 'path = "journal.db"\nvault_key = "credential:"', "journal.vault_key: 'credential:' names no"),
        ("journal", 'path = "journal.db"\nvault_key = "none.key"', "journal.vault_key: there is no file /"),
        ("mqtt", 'url = "http://127.0.0.1"', "mqtt: 'http://127.0.0.1': unknown scheme"),
        ("mqtt", 'url = "mqtts://broker.floor:99999"', "mqtt: "),
        ("mqtt", 'url = "mqtt://10.0.0.5"', "mqtt: 'mqtt://10.0.0.5': plain text"),
        ("mqtt", "url = 1883", "mqtt.url: must be a text in quotes"),
        ("mqtt", GOOD["mqtt"] + '\nallow_insecure = "no"', "mqtt.allow_insecure: must be true or false"),
        ("mqtt", GOOD["mqtt"] + '\nprotocol = "4"', "mqtt.protocol: '4' is not possible here"),
        ("mqtt", 'url = "mqtts://broker.floor"\ncertificate = "table.toml"', "mqtt: certificate and key go together"),
        ("mqtt", GOOD["mqtt"] + '\nca = "table.toml"', "mqtt: 'mqtt://127.0.0.1:1883': ca,"),
        ("reader", 'port = "tcp:10.0.0.6:4001"', "devices.registry: is missing: a tdl device is trusted by its key"),
        ("shoe", 'port = "usb:SH42"\nprotocol = "angel-eye"', "shoe.port: usb: carries tdl, not angel-eye"),
        ("game", 'procedure = "nd-card-reader"', "reader: is missing: nd-card-reader is dealt with a hole-card reader"),
        ("game", 'procedure = "pa"', "reader: is missing: pa is dealt with a hole-card reader"),
        (
            "game",
            'procedure = "nz"\noptions = { decks = 3 }',
            "game.options.decks: option 'decks' of nz: 3 is",
        ),
        ("door", 'port = "tcp:10.0.0.6:4001"', "door: unknown key (known: devices, game, journal, mqtt,"),
    ],
)
def test_one_mistake_is_one_sentence(tmp_path: Path, section: str, text: str, expected: str) -> None:
    assert only_problem(write(tmp_path, **{section: text})).startswith(expected)


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


@pytest.mark.parametrize(
    "game",
    [
        'procedure = "sl"',
        'procedure = "pa"\noptions = { scanner_approved = false }',
        'procedure = "us-card-reader"\noptions = { peek = "allowed" }',
        'procedure = "nz"\noptions = { decks = 6 }',
    ],
)
def test_a_table_that_may_do_without_a_reader_needs_none(tmp_path: Path, game: str) -> None:
    assert load_config(write(tmp_path, game=game)).reader is None


def test_the_nearest_scheme_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, shoe='port = "seral:/dev/ttyS0"\nprotocol = "angel-eye"')
    assert "serial" in only_problem(file)


def test_all_mistakes_come_in_one_report(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        top='site = "River Side"\ntabel = "bac-01"\nprofile = "production"',
        shoe='port = "sim:table"\nprotocol = "angel-eye"\nserial = "SH42"',
        mqtt='url = "mqtt://127.0.0.1:1883"\nallow_insecure = true\nretries = 3',
    )
    assert sorted(problem.partition(":")[0] for problem in problems(file)) == [
        "mqtt.allow_insecure",
        "mqtt.retries",
        "shoe.port",
        "shoe.serial",
        "site",
        "tabel",
        "table",
    ]


def own_procedure(folder: Path, name: str) -> Path:
    """A site's document in `procedures.d`: punto banco as shipped, under another id."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.toml"
    shipped = resources.files("protocols.dealing") / "procedures" / "pb-nj.toml"
    file.write_text(shipped.read_text(encoding="utf-8").replace('id = "pb-nj"', f'id = "{name}"'))
    return file


def test_a_site_can_have_a_procedure_of_its_own(tmp_path: Path) -> None:
    game = 'procedure = "riverside-pb"\nprocedures = "procedures.d"'
    own_procedure(tmp_path / "procedures.d", "riverside-pb")
    assert load_config(write(tmp_path, game=game)).procedure().id == "riverside-pb"
    own_procedure(tmp_path / "procedures.d", "pb-fr")
    assert "there is a procedure 'pb-fr' already" in only_problem(write(tmp_path, game=game))


def test_a_wrong_document_of_the_site_is_told_with_its_name(tmp_path: Path) -> None:
    file = own_procedure(tmp_path / "procedures.d", "riverside-pb")
    file.write_text(file.read_text() + "[[")
    problem = only_problem(write(tmp_path, game='procedure = "pb-nj"\nprocedures = "procedures.d"'))
    assert problem.startswith(f"game.procedures: {file}: is no TOML: ")


def test_every_mistake_in_the_sites_documents_comes_in_the_report(tmp_path: Path) -> None:
    for name in ("a", "b"):
        own_procedure(tmp_path / "procedures.d", name).write_text(f'id = "{name}"\nextends = "pb-nk"\n')
    file = write(tmp_path, top='site = "River Side"', game='procedur = "pb-nj"\nprocedures = "procedures.d"')
    assert [problem.split(": ")[0] for problem in problems(file) if problem.startswith("game.")] == [
        "game.procedure",
        "game.procedur",
        "game.procedures",
        "game.procedures",
    ]
    told = [problem for problem in problems(file) if problem.startswith("game.procedures")]
    assert told == [
        f"game.procedures: {tmp_path}/procedures.d/{name}.toml: extends: unknown procedure 'pb-nk' "
        '(did you mean "pb-nj"?)'
        for name in ("a", "b")
    ]


def test_the_report_lists_the_sites_documents(tmp_path: Path) -> None:
    folder = tmp_path / "procedures.d"
    own_procedure(folder, "riverside-pb")
    (folder / "late.toml").write_text('id = "late"\nextends = "riverside-pb"\noptions.last_coup = "current"\n')
    lines = list(report(load_config(write(tmp_path, game='procedure = "late"\nprocedures = "procedures.d"'))))
    title = "Punto banco, New Jersey and Pennsylvania style"
    assert f"\n# {folder} has riverside-pb: {title}" in lines
    assert f"\n# {folder} has late (extends riverside-pb): {title}" in lines
    assert '#   last_coup = "current"' in lines


def test_a_reader_is_asked_for_by_a_derived_document_too(tmp_path: Path) -> None:
    folder = tmp_path / "procedures.d"
    folder.mkdir()
    (folder / "house.toml").write_text('id = "house"\nextends = "nd-card-reader"\n')
    problem = only_problem(write(tmp_path, game='procedure = "house"\nprocedures = "procedures.d"'))
    assert problem == "reader: is missing: house is dealt with a hole-card reader"


@pytest.mark.parametrize("port", ["sim:table", "replay:table.toml"])
def test_production_wants_a_real_shoe(tmp_path: Path, port: str) -> None:
    bench = write(tmp_path, shoe=f'port = "{port}"\nprotocol = "angel-eye"')
    assert load_config(bench).shoe.port.scheme == port.partition(":")[0]
    bench.write_text(bench.read_text().replace('"bench"', '"production"'))
    assert only_problem(bench).startswith("shoe.port: ")


def test_production_refuses_allow_insecure(tmp_path: Path) -> None:
    bench = write(tmp_path, mqtt='url = "mqtt://10.0.0.5"\nallow_insecure = true')
    assert load_config(bench).mqtt.allow_insecure
    bench.write_text(bench.read_text().replace('"bench"', '"production"'))
    assert only_problem(bench).startswith("mqtt.allow_insecure: ")


def test_a_password_in_the_url_is_refused_and_not_repeated(tmp_path: Path) -> None:
    problem = only_problem(write(tmp_path, mqtt='url = "mqtts://table:hunter2@broker.floor:none"'))
    assert "password" in problem
    assert "hunter2" not in problem


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "vault.key"
    key.touch(mode=0o600)
    file = write(tmp_path, journal='path = "journal.db"\nvault_key = "vault.key"')
    assert load_config(file).journal.vault_key is not None
    key.chmod(0o640)
    assert only_problem(file) == f"journal.vault_key: others may read {key} (chmod 0600 {key})"


def test_a_credential_is_a_file_that_systemd_hands_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, journal='path = "journal.db"\nvault_key = "credential:vault"')
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with pytest.raises(ShoewatchError, match="credential:vault comes from systemd"):
        vault_key(load_config(file))
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert only_problem(file) == f"journal.vault_key: there is no file {tmp_path / 'vault'}"
    (tmp_path / "vault").touch()
    assert vault_key(load_config(file)) == tmp_path / "vault"


def vault_key(config: Config) -> Path:
    assert config.journal.vault_key is not None
    return config.journal.vault_key.file()


@pytest.mark.parametrize("text", ['site = "a"\nsite = "b"\n', 'site = "a"\ntable = \n', "[mqtt]\n[mqtt]\n"])
def test_wrong_toml_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text)
    problem = only_problem(file)
    assert problem.startswith("is no TOML: ")
    assert "line 2" in problem


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert only_problem(tmp_path / "none.toml") == "cannot be read: No such file or directory"
    assert only_problem(tmp_path) == "cannot be read: Is a directory"
    (tmp_path / "latin.toml").write_bytes(b'site = "\xe9"')
    assert only_problem(tmp_path / "latin.toml") == "is no TOML: no UTF-8 at byte 8"
    (tmp_path / "long.toml").write_text("site = " + "9" * 5000)
    assert only_problem(tmp_path / "long.toml").startswith("is no TOML: a number of 5,000 digits")


def check(file: Path) -> subprocess.CompletedProcess[str]:
    program = "import sys; from controller.cli.config import app; app()"
    return subprocess.run([sys.executable, "-c", program, "check", str(file)], capture_output=True, text=True)


def test_config_check_prints_what_would_be_used(tmp_path: Path) -> None:
    answer = check(write(tmp_path, shoe='port = "tcp:10.0.0.5:4001"\nprotocol = "angel-eye"'))
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert 'port = "tcp:10.0.0.5:4001"' in lines
    assert f'path = "{tmp_path / "journal.db"}"' in lines
    assert 'observes = ["positions"]   # left out' in lines
    assert 'procedure = "pb-nj"' in lines
    assert any(line.startswith("#   decks = ") for line in lines)


def test_config_check_ends_with_78_and_every_mistake(tmp_path: Path) -> None:
    answer = check(write(tmp_path, top='site = "riverside"\nprofile = "test"'))
    assert (answer.returncode, answer.stdout) == (os.EX_CONFIG, "")
    assert [line.split(": ")[1] for line in answer.stderr.splitlines()] == ["table", "profile"]


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
