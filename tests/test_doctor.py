"""The doctor at lines and processes that are real, and at trees of sysfs as a kernel shows them."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from grp import getgrnam
from pathlib import Path

import pytest
from angel_frames import frame
from command import shoewatch
from daemon import COMMAND_S, Journal, configure, configure_table, daemon, live_table, running, shoe
from doctor_asked import asked, codes
from mqtt_table import until

from controller.config_reading import load_config
from controller.doctor import computer, gather
from controller.doctor.computer import installed_rules
from controller.doctor.facts import Rules
from firmware_bridge.known_devices import UsbId
from firmware_bridge.node import User, group_number, may_open
from firmware_bridge.node import running as process_named
from firmware_bridge.plugged import called
from simulators.tdl.frames import frame as raw_frame

ANGEL = frame(1, "P")
BEE_TEK = b"[Game]<Card:4S>\r\n"
BEACON = raw_frame(0x01, 0, struct.pack("<IB", 7, 1))
NOWHERE = "mqtt://127.0.0.1:1"


@contextmanager
def talking(link: Path, baud: int, data: bytes) -> Iterator[bytearray]:
    """A device that speaks at one speed: at another, what arrives is garbage. What it is sent."""
    master, slave = os.openpty()
    tty.setraw(slave)
    link.symlink_to(os.ttyname(slave))
    os.close(slave)
    speed = getattr(termios, f"B{baud}")
    heard, stop = bytearray(), threading.Event()
    os.set_blocking(master, False)

    def speak() -> None:
        poller = select.poll()
        poller.register(master, 0)
        while not stop.wait(0.05):
            if poller.poll(0):
                continue
            right = termios.tcgetattr(master)[5] == speed
            try:
                os.write(master, data if right else bytes(byte ^ 0xA5 for byte in data))
                heard.extend(os.read(master, 4096))
            except OSError:
                continue

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        yield heard
    finally:
        stop.set()
        thread.join()
        os.close(master)
        link.unlink()


def table_at(tmp_path: Path, protocol: str = "angel-eye", port: str | None = None) -> Path:
    config = configure(tmp_path, port or f"serial:{tmp_path}/line", NOWHERE)
    text = config.read_text().replace("angel-eye", protocol)
    (tmp_path / "devices.toml").touch(mode=0o600)
    config.write_text(f'{text}\n[devices]\nregistry = "devices.toml"\n')
    return config


@pytest.mark.parametrize(
    ("protocol", "baud", "data", "code", "mend"),
    [
        ("angel-eye", 4800, ANGEL, None, ""),
        ("angel-eye", 9600, ANGEL, "wrong_baud", "line?baud=9600"),
        ("tdl", 115200, BEACON, None, ""),
        ("bee-tek", 9600, BEE_TEK, None, ""),
        ("bee-tek", 4800, BEE_TEK, "wrong_baud", "line?baud=4800"),
        ("angel-eye", 115200, BEACON, "wrong_baud", "line?baud=115200"),
        ("tdl", 115200, ANGEL, "wrong_protocol", 'protocol *= *)"[^"]*"|\\1"angel-eye"'),
        ("tdl", 1200, BEACON, "wrong_baud", "shoewatch doctor"),
        ("tdl", 115200, b"", "no_bytes", "shoewatch doctor"),
        ("angel-eye", 4800, b"", None, ""),
    ],
)
def test_what_comes_over_a_line(
    tmp_path: Path, protocol: str, baud: int, data: bytes, code: str | None, mend: str
) -> None:
    config = table_at(tmp_path, protocol)
    with talking(tmp_path / "line", baud, data) as heard:
        said = asked(config, "--listen", "0.6")
    assert codes(said, "bac-01 shoe") == ([code] if code else [])
    assert all(mend in finding["mend"] for finding in said["findings"] if finding["code"] == code)
    assert heard == b""


def test_another_process_has_the_line(tmp_path: Path) -> None:
    config = table_at(tmp_path)
    with talking(tmp_path / "line", 4800, ANGEL):
        other = subprocess.Popen(["sleep", "60"], stdin=(tmp_path / "line").open())
        try:
            [finding] = [each for each in asked(config)["findings"] if each["where"] == "bac-01 shoe"]
        finally:
            other.kill()
            other.wait()
    assert finding["code"] == "other_process"
    assert f"held by sleep (pid {other.pid})" in finding["what"]
    assert finding["mend"] == f"sudo kill {other.pid}"


def test_nothing_is_there(tmp_path: Path) -> None:
    config = table_at(tmp_path)
    assert codes(asked(config), "bac-01 shoe") == ["absent"]
    named = table_at(tmp_path, port="serial:/dev/shoewatch/shoe-SH42")
    assert codes(asked(named), "bac-01 shoe") == ["rule_missing"]
    server = table_at(tmp_path, port="tcp:127.0.0.1:1")
    assert codes(asked(server), "bac-01 shoe") == ["no_server"]


def test_a_device_server_is_heard_and_told_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        config = table_at(tmp_path, port=f"tcp:127.0.0.1:{server.getsockname()[1]}")
        told = bytearray()

        def serve() -> None:
            connection, _ = server.accept()
            with closing(connection):
                connection.sendall(ANGEL)
                told.extend(connection.recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        said = asked(config)
        thread.join()
    assert codes(said, "bac-01 shoe") == []
    assert said["tables"][0]["devices"][0]["heard"]["frames"] == {"angel-eye": 1}
    assert told == b""


def test_broker_and_panel(tmp_path: Path) -> None:
    config = configure_table(tmp_path, f"serial:{tmp_path}/shoe", f"serial:{tmp_path}/reader", NOWHERE)
    (tmp_path / "panel").mkdir()
    (tmp_path / "panel" / "dealer.sock").write_text("no socket")
    assert codes(asked(config), "bac-01") == ["broker", "panel"]
    with socket.create_server(("127.0.0.1", 0)) as broker:
        config.write_text(config.read_text().replace(NOWHERE, f"mqtt://127.0.0.1:{broker.getsockname()[1]}"))
        (tmp_path / "panel" / "dealer.sock").unlink()
        assert codes(asked(config), "bac-01") == []


def test_the_groups_of_the_panel(tmp_path: Path) -> None:
    groups = 'dealer_group = "none-such"\nsupervisor_group = "tty"'
    ports = (f"serial:{tmp_path}/shoe", f"serial:{tmp_path}/reader", NOWHERE)
    used = load_config(configure_table(tmp_path, *ports, panel=groups))
    assert used.panel is not None
    nobody = User("nobody", 65534, frozenset())
    used.panel.directory.mkdir(mode=0o750)
    found = gather.panel_facts(used.panel, nobody)
    assert (found.why, found.unknown, found.foreign) == (None, ("none-such",), ("tty",))
    assert (found.user, found.is_shared, found.is_closed) == ("nobody", False, True)
    used.panel.directory.chmod(0o751)
    members = frozenset({group_number("tty") or 0})
    found = gather.panel_facts(used.panel, replace(nobody, groups=members))
    assert (found.foreign, found.is_closed) == ((), False)
    plain = load_config(configure_table(tmp_path, *ports)).panel
    assert plain is not None
    assert gather.panel_facts(plain, nobody).is_shared


def test_a_configuration_that_is_wrong_and_none_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "table.toml"
    config.write_text("site = 7")
    [finding] = [each for each in asked(config)["findings"] if each["where"] == str(config)]
    assert finding["mend"] == f"shoewatch config check {config}"
    config.unlink()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("controller.cli.tables.INSTALLED", tmp_path / "etc")
    monkeypatch.setattr(computer, "_clock", lambda: None)
    nothing = shoewatch("doctor")
    assert (nothing.status, nothing.stderr) == (0, "")
    assert "configured: no table\nnothing is wrong\n" in nothing.stdout


def test_a_running_daemon_is_left_alone_and_its_records_are_used(tmp_path: Path) -> None:
    config = configure(tmp_path, f"serial:{tmp_path}/shoe", NOWHERE)
    journal = Journal(tmp_path)

    async def scenario() -> None:
        with running(shoe(tmp_path)), running(daemon(config)) as process:
            await until(lambda: journal.count(kind="link", device="shoe", to="ready") == 1, COMMAND_S)
            said = await asyncio.to_thread(asked, config)
            text = (await asyncio.to_thread(shoewatch, "doctor", str(config))).stdout
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0
            assert said["tables"][0]["daemon"]["pid"] == process.pid
        assert codes(said, "bac-01 shoe") == []
        assert said["tables"][0]["devices"][0]["link"]["state"] == "ready"
        assert "recorded as ready since" in text
        assert journal.count(kind="link", device="shoe", to="lost") == 0

    asyncio.run(scenario())


def test_a_device_that_the_daemon_does_not_trust(tmp_path: Path) -> None:
    config = configure_table(tmp_path, f"serial:{tmp_path}/shoe", f"serial:{tmp_path}/reader", NOWHERE)
    assert shoewatch("devices", "revoke", "HCR-0007", "--config", str(config), "--yes").status == 0
    journal = Journal(tmp_path)

    async def scenario() -> None:
        with running(live_table(tmp_path, "--rounds", "1")), running(daemon(config)):
            await until(lambda: journal.count(kind="security", code="unknown_serial") == 1, COMMAND_S)
            said = await asyncio.to_thread(asked, config)
        [finding] = [each for each in said["findings"] if each["where"] == "bac-01 reader"]
        assert finding["code"] == "unknown_serial"
        assert "HCR-0007" in finding["what"]
        assert finding["mend"] == f"shoewatch devices add FILE --config {config}"

    asyncio.run(scenario())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a node to another group")
def test_the_line_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a table that is run as a service its user is asked about, not whoever asks."""
    (tmp_path / "bac-01").mkdir()
    config = table_at(tmp_path / "bac-01", port=f"serial:{tmp_path}/line")
    monkeypatch.setattr("controller.cli.tables.INSTALLED", tmp_path)
    stranger = User("shoewatch", 54321, frozenset({54321}))
    monkeypatch.setattr("controller.cli.doctor.service_user", lambda: stranger)
    monkeypatch.setattr("controller.doctor.gather.UDEV_DATA", tmp_path)
    with talking(tmp_path / "line", 4800, ANGEL):
        os.chmod(tmp_path / "line", 0o660)
        os.chown(tmp_path / "line", 0, getgrnam("dialout").gr_gid)
        said = asked(config)
    found = [each for each in said["findings"] if each["where"] == "bac-01 shoe"]
    assert [each["code"] for each in found] == ["not_in_group"]
    assert found[0]["mend"] == "sudo adduser shoewatch dialout"


@pytest.mark.parametrize(
    ("mode", "uid", "gids", "opens"),
    [
        (0o660, 0, {0}, True),
        (0o660, 7, {5}, True),
        (0o660, 7, {6}, False),
        (0o600, 7, {5}, False),
        (0o640, 7, {5}, False),
        (0o606, 7, {5}, False),
        (0o666, 7, {6}, True),
        (0o600, 4, {6}, True),
        (0o466, 4, {5}, False),
    ],
)
def test_who_may_open_a_node(mode: int, uid: int, gids: set[int], opens: bool) -> None:
    status = os.stat_result((0o020000 | mode, 1, 1, 1, 4, 5, 0, 0, 0, 0))
    assert may_open(status, User("somebody", uid, frozenset(gids))) is opens


def test_rules_that_are_installed_and_that_are_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    etc, usr = tmp_path / "etc", tmp_path / "usr"
    etc.mkdir()
    usr.mkdir()
    monkeypatch.setattr(computer, "FOLDERS", (etc, usr))
    assert installed_rules() == Rules()
    (usr / "62-shoewatch.rules").write_text("# ours\n")
    assert installed_rules() == Rules(usr / "62-shoewatch.rules", "# ours")
    (etc / "62-shoewatch.rules").symlink_to("/dev/null")
    assert installed_rules() == Rules(masked=etc / "62-shoewatch.rules")
    (etc / "62-shoewatch.rules").unlink()
    (etc / "62-shoewatch.rules").write_text("# mine\n")
    assert installed_rules() == Rules(etc / "62-shoewatch.rules", "# mine")


def test_who_cannot_see_whether_a_daemon_runs_does_not_listen(tmp_path: Path) -> None:
    config = table_at(tmp_path)
    (tmp_path / "journal.db").write_text("no journal")
    with talking(tmp_path / "line", 4800, ANGEL):
        said = asked(config)
    assert "journal_closed" in codes(said, "bac-01")
    assert said["tables"][0]["devices"][0]["heard"] is None


def test_what_the_product_calls_them() -> None:
    assert called(UsbId("10c4", "ea60")) == "Silicon Labs CP210x, a converter"
    assert called(UsbId("dead", "beef")) == "not known here"


def test_a_process_is_found_by_its_name(tmp_path: Path) -> None:
    program = tmp_path / "ModemManager"
    program.symlink_to("/bin/sleep")
    assert process_named("ModemManager") is None
    with subprocess.Popen([str(program), "60"]) as runs:
        try:
            # A child has its new name only a moment after it was started.
            asyncio.run(until(lambda: process_named("ModemManager") is not None))
            found = process_named("ModemManager")
        finally:
            runs.kill()
    assert found is not None
    assert found.pid == runs.pid
