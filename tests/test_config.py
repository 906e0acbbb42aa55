"""The configuration: what it gives, and that every mistake is told, in one report, with what would be right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from table_toml import GOOD, only_problem, problems, write

from controller.config import Config
from controller.config_reading import load_config
from controller.mqtt_address import BrokerAddress, Certificates
from firmware_bridge.transport import PortAddress
from protocols.errors import ShoewatchError


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
        ("door", 'port = "tcp:10.0.0.6:4001"', "door: unknown key (known: devices, game, journal, keys, metrics,"),
    ],
)
def test_one_mistake_is_one_sentence(tmp_path: Path, section: str, text: str, expected: str) -> None:
    assert only_problem(write(tmp_path, **{section: text})).startswith(expected)


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


_RIVERSIDE = 'id = "riverside"\nextends = "nd-no-hole"\n'
ALL_AT_ONCE = [
    (
        "an unknown procedure",
        None,
        'procedure = "pb-nk"\noptions = { deks = 8, decks = 99, soft_17 = "hit" }',
        ["game.procedure: unknown procedure 'pb-nk'", "game.options.deks: no such", "game.options.decks: 99 is"],
    ),
    (
        "no such folder",
        None,
        'procedure = "pb-nj"\nprocedures = "nowhere"\noptions = { deks = 8, decks = 99 }',
        ["game.procedures: there is no folder", "game.options.deks: ", "game.options.decks: option 'decks' of pb-nj"],
    ),
    (
        "no such folder, and a procedure that may lie there",
        None,
        'procedure = "riverside"\nprocedures = "nowhere"\noptions = { deks = 8 }',
        ["game.procedures: there is no folder", "game.options.deks: no such option"],
    ),
    (
        "a wrong document and a wrong option",
        _RIVERSIDE + 'titel = "x"\noptions.decks = 99',
        'procedure = "pb-nj"\nprocedures = "."\noptions = { deks = 8 }',
        ["game.procedures: /", "game.procedures: /", "game.options.deks: "],
    ),
    (
        "a wrong document that is in force",
        _RIVERSIDE + 'titel = "x"',
        'procedure = "riverside"\nprocedures = "."\noptions = { deks = 8 }',
        ["game.procedures: /", "game.options.deks: "],
    ),
    (
        "a wrong document and an unknown procedure",
        _RIVERSIDE + 'titel = "x"',
        'procedure = "pb-nk"\nprocedures = "."',
        ["game.procedures: /", "game.procedure: unknown procedure 'pb-nk' (did you mean \"pb-nj\"?)"],
    ),
    (
        "a sound document and a wrong option of it",
        _RIVERSIDE,
        'procedure = "riverside"\nprocedures = "."\noptions = { peek = "required" }\nobserves = 1',
        ["game.observes: must be a list", "game.options.peek: option 'peek' of riverside: "],
    ),
]


@pytest.mark.parametrize(
    ("document", "game", "expected"), [case[1:] for case in ALL_AT_ONCE], ids=[case[0] for case in ALL_AT_ONCE]
)
def test_no_mistake_hides_another(tmp_path: Path, document: str | None, game: str, expected: list[str]) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    if document is not None:
        (folder / "riverside.toml").write_text(document)
    found = problems(write(tmp_path, game=game.replace('procedures = "."', 'procedures = "p"')))
    assert len(found) == len(expected), found
    for begins, problem in zip(expected, found, strict=True):
        assert problem.startswith(begins), found


def test_nor_does_one_of_the_broker_or_the_registry(tmp_path: Path) -> None:
    (tmp_path / "table.pem").touch()
    (tmp_path / "devices.toml").write_text("SHOE-1 = 3")
    (tmp_path / "devices.toml").chmod(0o600)
    found = problems(
        write(
            tmp_path,
            mqtt='url = "foo"\ncertificate = "table.pem"',
            devices='registry = "devices.toml"\nallow_commands = 1',
        )
    )
    assert [problem.split(": ")[0] for problem in found] == [
        "devices.allow_commands",
        "mqtt",
        "mqtt",
        "devices.registry",
    ]


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


def test_what_others_get_is_off_unless_it_is_wanted(tmp_path: Path) -> None:
    plain = load_config(write(tmp_path))
    assert (plain.metrics, plain.mqtt.home_assistant, plain.insecure) == (None, False, False)
    wanted = load_config(
        write(tmp_path, metrics='listen = "[::1]:9464"', mqtt=f"{GOOD['mqtt']}\nhome_assistant = true")
    )
    assert wanted.metrics
    assert (wanted.metrics.listen.host, wanted.metrics.listen.port, str(wanted.metrics.listen)) == (
        "::1",
        9464,
        "[::1]:9464",
    )
    assert (wanted.mqtt.discovery_prefix, wanted.insecure) == ("homeassistant", False)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("", 'metrics.listen: is missing (for example listen = "127.0.0.1:9464")'),
        ('listen = "9464"', "metrics.listen: '9464' is nowhere to listen: it is HOST:PORT, such as \"127.0.0.1:9464\""),
        ('listen = "127.0.0.1:0"', "metrics.listen: '127.0.0.1:0' is nowhere to listen"),
        ('listen = "127.0.0.1:99999"', "metrics.listen: '127.0.0.1:99999' is nowhere to listen"),
        ('listen = "[::zz]:1"', "metrics.listen: '[::zz]:1' is nowhere to listen"),
        ("listen = 9464", "metrics.listen: must be a text, such as '127.0.0.1:9464'"),
        ('listen = "0.0.0.0:9464"', "metrics.listen: '0.0.0.0:9464' tells everything in plain text beyond"),
        ('listen = "127.0.0.1:9464"\nport = 1', "metrics.port: "),
    ],
)
def test_wrong_metrics(tmp_path: Path, lines: str, problem: str) -> None:
    assert only_problem(write(tmp_path, metrics=lines)).startswith(problem)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ('discovery_prefix = "ha"', "mqtt.discovery_prefix: belongs to home_assistant = true, leave it out"),
        ('home_assistant = true\ndiscovery_prefix = "a/b"', "mqtt.discovery_prefix: 'a/b' is no topic level"),
        ('home_assistant = "yes"', "mqtt.home_assistant: must be true or false"),
    ],
)
def test_wrong_discovery(tmp_path: Path, lines: str, problem: str) -> None:
    assert only_problem(write(tmp_path, mqtt=f"{GOOD['mqtt']}\n{lines}")).startswith(problem)


def test_metrics_beyond_this_computer_are_allowed_on_a_bench_and_told(tmp_path: Path) -> None:
    bench = write(tmp_path, metrics='listen = "0.0.0.0:9464"\nallow_insecure = true')
    assert load_config(bench).insecure
    bench.write_text(bench.read_text().replace('"bench"', '"production"'))
    assert only_problem(bench).startswith("metrics.allow_insecure: ")


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


def test_config_check_tells_of_a_library_that_is_not_there(tmp_path: Path) -> None:
    file = write(tmp_path, metrics='listen = "127.0.0.1:9464"')
    hidden = "import sys; sys.modules['prometheus_client'] = None; from controller.cli.config import app; app()"
    answer = subprocess.run([sys.executable, "-c", hidden, "check", str(file)], capture_output=True, text=True)
    assert (answer.returncode, answer.stdout) == (os.EX_CONFIG, "")
    assert "[metrics] needs prometheus-client" in answer.stderr


def test_config_check_ends_with_78_and_every_mistake(tmp_path: Path) -> None:
    answer = check(write(tmp_path, top='site = "riverside"\nprofile = "test"'))
    assert (answer.returncode, answer.stdout) == (os.EX_CONFIG, "")
    assert [line.split(": ")[1] for line in answer.stderr.splitlines()] == ["table", "profile"]
