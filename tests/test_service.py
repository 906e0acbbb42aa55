"""The files for systemd: the unit as systemd itself judges it, the user and the folders that it makes."""

from __future__ import annotations

import asyncio
import configparser
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon import COMMAND, Journal, configure_table, daemon, running
from device_lines import PtyLine
from mqtt_table import until
from tools import need_programs, need_root

from firmware_bridge.udev_rules import FILE

ROOT = Path(__file__).parent.parent
ETC = ROOT / "deploy" / "etc"
UNIT = ETC / "systemd" / "system" / "shoewatch@.service"
ARCHIVE = UNIT.with_name("shoewatch-archive@.service")
UNITS = (UNIT, ARCHIVE)
PROGRAM = "/opt/shoewatch/.venv/bin/shoewatch"


@pytest.fixture(autouse=True)
def _systemd() -> None:
    need_programs(**{"systemd-analyze": "systemd"})


def unit(path: Path = UNIT) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(path.read_text())
    return parser


def analyzed(folder: Path, verb: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """What systemd-analyze says of a unit with this text; the program need not be installed for it."""
    file = folder / UNIT.name
    file.write_text(text.replace(PROGRAM, "/bin/true"))
    return subprocess.run(["systemd-analyze", verb, *options, str(file)], capture_output=True, text=True)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_has_nothing_to_say_about_the_units(tmp_path: Path, path: Path) -> None:
    sound = analyzed(tmp_path, "verify", path.read_text())
    assert (sound.returncode, sound.stdout, sound.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("line", "says"), [("WatchdogSecs=60", "WatchdogSecs"), ("RestartSec=soon", "soon"), ("DeviceAllow=usb rw", "usb")]
)
def test_systemd_would_say_so(tmp_path: Path, line: str, says: str) -> None:
    wrong = analyzed(tmp_path, "verify", UNIT.read_text().replace("WatchdogSec=60", line))
    assert f"'{says}'" in wrong.stderr or f": {says}" in wrong.stderr


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
@pytest.mark.parametrize(("without", "passes"), [("", True), ("CapabilityBoundingSet=\n", False)])
def test_the_units_give_little_away(tmp_path: Path, without: str, passes: bool, path: Path) -> None:
    """`systemd-analyze security` counts from 0 (nothing) to 10; the limit is 2."""
    text = path.read_text().replace(without, "")
    judged = analyzed(tmp_path, "security", text, "--offline=true", "--threshold=20", "--no-pager")
    assert (judged.returncode == 0) is passes, judged.stdout


def test_the_unit_waits_for_no_device_and_never_gives_up() -> None:
    parts = unit()
    assert set(parts["Unit"]) == {"Description", "After", "StartLimitIntervalSec"}
    assert ".device" not in UNIT.read_text()
    assert parts["Unit"]["StartLimitIntervalSec"] == "0"
    service = parts["Service"]
    assert (service["Type"], service["Restart"], service["LimitCORE"]) == ("notify", "always", "0")
    assert int(service["RestartSec"]) > 0
    assert "RestartPreventExitStatus" not in service
    assert int(service["WatchdogSec"]) >= 60
    assert service["ExecStart"].startswith(f"{PROGRAM} run --config /etc/shoewatch/%i/")


def test_the_archive_waits_for_nothing_and_never_gives_up() -> None:
    parts = unit(ARCHIVE)
    assert set(parts["Unit"]) == {"Description", "After", "StartLimitIntervalSec"}
    assert parts["Unit"]["StartLimitIntervalSec"] == "0"
    service = parts["Service"]
    assert (service["Type"], service["Restart"], service["LimitCORE"]) == ("notify", "always", "0")
    assert service["ExecStart"].startswith(f"{PROGRAM} archive run --config /etc/shoewatch/archive/%i")


def test_the_devices_are_allowed_by_number() -> None:
    """A driver that is not loaded yet has no name; and these are the numbers of the kernel's own list."""
    allowed = re.findall(r"^DeviceAllow=char-(\S+) rw$", UNIT.read_text(), re.MULTILINE)
    assert allowed == ["4", "166", "188", "189"]


def test_the_readme_names_what_there_is() -> None:
    readme = (ROOT / "udev" / "README.md").read_text()
    [commands] = re.findall(r"```sh\n(sudo make .*?)```", readme, re.DOTALL)
    assert len(commands.strip().splitlines()) == 5
    assert "deploy/etc/." in commands
    assert f"/etc/udev/rules.d/{FILE}" in commands
    assert "/opt/shoewatch/" + re.findall(r"\S*/shoewatch (?=udev)", commands)[0].strip() == PROGRAM


def test_the_user_and_the_folders(tmp_path: Path) -> None:
    need_root()
    (tmp_path / "etc").mkdir()
    for program, file in (("sysusers", "sysusers.d"), ("tmpfiles", "tmpfiles.d")):
        arguments = ["--create"] * (program == "tmpfiles")
        command = [f"systemd-{program}", *arguments, f"--root={tmp_path}", str(ETC / file / "shoewatch.conf")]
        subprocess.run(command, check=True, capture_output=True)
    [user] = [line.split(":") for line in _lines(tmp_path / "etc/passwd")]
    groups = {words[0]: words[2:] for words in (line.split(":") for line in _lines(tmp_path / "etc/group"))}
    assert (user[0], user[5:]) == ("shoewatch", ["/var/lib/shoewatch", "/usr/sbin/nologin"])
    assert {name: members for name, (_, members) in groups.items()} == {
        "shoewatch": "",
        "shoewatch-dealer": "shoewatch",
        "shoewatch-supervisor": "shoewatch",
    }
    number = groups["shoewatch"][0]
    assert user[3] == number
    made = {name: (tmp_path / name).stat() for name in ("etc/shoewatch", "var/lib/shoewatch")}
    assert {name: (f"{status.st_mode & 0o7777:o}", status.st_uid, status.st_gid) for name, status in made.items()} == {
        "etc/shoewatch": ("750", 0, int(number)),
        "var/lib/shoewatch": ("750", int(user[2]), int(number)),
    }


def test_the_panel_is_reached_by_groups_that_see_nothing_else() -> None:
    service = unit()["Service"]
    modes = {kind: service[f"{kind}DirectoryMode"] for kind in ("State", "Runtime")}
    assert modes == {"State": "0750", "Runtime": "0751"}


def test_the_daemon_needs_no_other_system_calls_than_the_unit_lets_it(tmp_path: Path) -> None:
    need_programs(strace="strace")
    config = configure_table(tmp_path, f"serial:{tmp_path}/shoe", f"serial:{tmp_path}/reader", "mqtt://127.0.0.1:1")
    counts, line = tmp_path / "calls", PtyLine(tmp_path / "shoe")

    async def scenario() -> None:
        traced = ["strace", "-D", "-f", "-c", "-U", "name", "-o", str(counts), *COMMAND]
        with running(daemon(config, command=traced)) as process:
            journal = Journal(tmp_path)
            await until(lambda: journal.count(device="shoe", to="handshake") == 1, 60)
            line.unplug()
            await until(lambda: journal.count(device="shoe", to="lost") + journal.count(device="shoe", to="absent") > 0)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log
        await until(lambda: counts.exists() and "futex" in counts.read_text())

    asyncio.run(scenario())
    made = set(re.findall(r"^(\w+)$", counts.read_text(), re.MULTILINE)) - {"syscall", "total"}
    filters = re.findall(r"^SystemCallFilter=(~?)(\S+)$", UNIT.read_text(), re.MULTILINE)
    assert [sign for sign, _ in filters] == ["", "~", ""]
    allowed = {*calls("@default"), *calls(filters[0][1])} - set(calls(filters[1][1])) | set(calls(filters[2][1]))
    assert "chown" in allowed
    assert len(made) > 40
    assert made <= allowed


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()


def calls(name: str) -> Iterator[str]:
    """The system calls of a group, and of the groups in it."""
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    for line in listed.stdout.splitlines()[1:]:
        entry = line.strip()
        if entry.startswith("@"):
            yield from calls(entry)
        elif entry and not entry.startswith("#"):
            yield entry
