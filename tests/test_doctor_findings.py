"""From facts to findings: each cause, the command that mends it, and that the nearest cause stands alone."""

from __future__ import annotations

import ast
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import controller.doctor.findings
from controller.doctor.facts import Broker, Computer, Device, Heard, Node, Panel, Rules, Table
from controller.doctor.findings import findings
from controller.link_states import LinkStanding
from firmware_bridge.known_devices import UsbId
from firmware_bridge.node import Process
from firmware_bridge.plugged import Plugged, SerialLine
from firmware_bridge.ports import parse_port
from firmware_bridge.usb_identity import UsbDevice
from protocols.records import LossKind

RULES = Rules(Path("/etc/udev/rules.d/62-shoewatch.rules"), 'ENV{ID_SERIAL_SHORT}=="A10K2X3B", NAME="SH42"')
CONVERTER = UsbDevice("1-1.2", 1, 5, UsbId("0403", "6001"), "A10K2X3B")
HERE = Computer(Plugged((CONVERTER,)), RULES)
CONFIG = Path("/etc/shoewatch/bj-07/table.toml")
LINK = "serial:/dev/shoewatch/shoe-SH42"
NODE = Node("/dev/shoewatch/shoe-SH42", opens=True, user="shoewatch", group="shoewatch", ours=True)
CLOSED = replace(NODE, opens=False, denial="/dev/x belongs to root:root, mode 0600, which does not let shoewatch in")
SHOE = Device("shoe", "angel-eye", parse_port(LINK), node=NODE)
READER = Device("reader", "tdl", parse_port("usb:HCR-0007"))
DAEMON = Process("shoewatch", 812)
AWAY: tuple[LossKind, str] = ("absent", "/dev/shoewatch/shoe-SH42 is not there")
APPLY = "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=usb --subsystem-match=tty"
SHOE_RULES = (
    "shoewatch udev rules --shoe A10K2X3B=SH42 | sudo tee /etc/udev/rules.d/62-shoewatch.rules >/dev/null && " + APPLY
)
READY = LinkStanding("ready", "2026-11-30T07:00:00Z")
Cause = tuple[str, Computer, Device, str, str]


def link(state: str, **more: object) -> LinkStanding:
    return replace(READY, state=state, **more)  # type: ignore[arg-type]


def masked(computer: Computer) -> Computer:
    return replace(computer, rules=Rules(masked=Path("/etc/udev/rules.d/62-shoewatch.rules")))


def _sed(key: str, value: str) -> str:
    edit = rf'/^\[shoe\]/,/^\[/ s|^( *{key} *= *)"[^"]*"|\1"{value}"|'
    return f"sudo sed -E -i {shlex.quote(edit)} {CONFIG}"


DEVICES: list[Cause] = [
    ("no rules", replace(HERE, rules=Rules()), replace(SHOE, node=None, absent=AWAY), "rule_missing", SHOE_RULES),
    (
        "rules for another shoe",
        replace(HERE, rules=replace(RULES, text='NAME="SH7"')),
        replace(SHOE, node=None, absent=AWAY),
        "rule_missing",
        SHOE_RULES,
    ),
    (
        "masked rules",
        masked(HERE),
        replace(SHOE, node=None, absent=AWAY),
        "rule_overridden",
        f"sudo rm /etc/udev/rules.d/62-shoewatch.rules && {APPLY}",
    ),
    ("not plugged in", HERE, replace(SHOE, node=None, absent=AWAY), "absent", APPLY),
    (
        "another node",
        HERE,
        replace(SHOE, port=parse_port("serial:/dev/ttyS9"), node=None, absent=AWAY),
        "absent",
        f"shoewatch doctor {CONFIG}",
    ),
    (
        "no server",
        HERE,
        replace(SHOE, port=parse_port("tcp:192.0.2.7:4001"), node=None, absent=("absent", "does not answer")),
        "no_server",
        "ping -c 3 192.0.2.7",
    ),
    (
        "not in the group",
        HERE,
        replace(SHOE, node=replace(CLOSED, group="dialout")),
        "not_in_group",
        "sudo adduser shoewatch dialout",
    ),
    (
        "no rule gives it",
        replace(HERE, rules=Rules()),
        replace(SHOE, node=replace(CLOSED, group=None, ours=False)),
        "rule_missing",
        SHOE_RULES,
    ),
    (
        "a line on the board, which no rule of ours is for",
        replace(HERE, plugged=Plugged(lines=(SerialLine("/dev/ttyS0", "port", None, ()),)), rules=Rules()),
        replace(SHOE, port=parse_port("serial:/dev/ttyS0"), node=replace(CLOSED, path="/dev/ttyS0", group=None)),
        "not_set_up",
        APPLY,
    ),
    (
        "a rule was undone",
        HERE,
        replace(SHOE, node=replace(CLOSED, group=None)),
        "rule_overridden",
        APPLY,
    ),
    (
        "a rule was masked",
        masked(HERE),
        replace(SHOE, node=replace(CLOSED, group=None)),
        "rule_overridden",
        f"sudo rm /etc/udev/rules.d/62-shoewatch.rules && {APPLY}",
    ),
    (
        "held",
        HERE,
        replace(SHOE, node=replace(NODE, holders=(Process("minicom", 77),))),
        "other_process",
        "sudo kill 77",
    ),
    (
        "held by whom we may not know",
        HERE,
        replace(SHOE, absent=("busy", "/dev/x is held by another program")),
        "other_process",
        f"sudo shoewatch doctor {CONFIG}",
    ),
    ("no line to speak of", HERE, replace(SHOE, absent=("gone", "no tty")), "line_gone", f"shoewatch doctor {CONFIG}"),
    (
        "another speed",
        HERE,
        replace(SHOE, heard=Heard(3, 40, at_other_bauds={9600: "angel-eye"})),
        "wrong_baud",
        _sed("port", f"{LINK}?baud=9600"),
    ),
    ("no speed known", HERE, replace(SHOE, heard=Heard(3, 40)), "wrong_baud", f"shoewatch doctor {CONFIG}"),
    (
        "another protocol",
        HERE,
        replace(SHOE, heard=Heard(3, 40, {"tdl": 2})),
        "wrong_protocol",
        _sed("protocol", "tdl"),
    ),
    ("silent", HERE, replace(SHOE, protocol="tdl", heard=Heard(3, 0)), "no_bytes", f"shoewatch doctor {CONFIG}"),
    (
        "no libusb",
        replace(HERE, libusb=False),
        replace(READER, absent=("absent", "no device")),
        "libusb_missing",
        "sudo apt install libusb-1.0-0",
    ),
    (
        "two of them",
        HERE,
        replace(READER, absent=("denied", "2 devices have the serial number HCR-0007, at the ports 1-1 and 1-2")),
        "double_identity",
        f"shoewatch doctor {CONFIG}",
    ),
    (
        "a reader without a rule",
        replace(HERE, rules=Rules()),
        replace(READER, node=replace(CLOSED, group=None, ours=False), usb_id=UsbId("1234", "5678")),
        "rule_missing",
        "shoewatch udev rules --reader 1234:5678 | sudo tee /etc/udev/rules.d/62-shoewatch.rules >/dev/null && "
        + APPLY,
    ),
]
ALARMS = [
    ("unknown_serial", f"shoewatch devices add FILE --config {CONFIG}"),
    ("unapproved_firmware", f"shoewatch devices add FILE --config {CONFIG}"),
    ("wrong_serial", f"shoewatch devices list --config {CONFIG}"),
    ("auth_failed", f"shoewatch devices list --config {CONFIG}"),
]


def table(*devices: Device, **more: object) -> Table:
    return replace(Table(CONFIG, installed=False, name="bj-07", devices=devices), **more)  # type: ignore[arg-type]


def found(computer: Computer, *tables: Table) -> list[tuple[str, str]]:
    return [(each.code, each.mend) for each in findings(computer, tables)]


@pytest.mark.parametrize(
    ("computer", "device", "code", "mend"), [case[1:] for case in DEVICES], ids=[c[0] for c in DEVICES]
)
def test_a_device(computer: Computer, device: Device, code: str, mend: str) -> None:
    assert found(computer, table(device)) == [(code, mend)]


@pytest.mark.parametrize(("code", "mend"), ALARMS)
def test_a_device_that_the_daemon_refuses(code: str, mend: str) -> None:
    refused = link("refused", loss="denied", detail="SHOE-9", alarm=(code, "SHOE-9 is not in the registry"))
    assert found(HERE, table(replace(SHOE, link=refused), daemon=DAEMON)) == [(code, mend)]


def test_what_the_daemon_says_where_nothing_else_is_found() -> None:
    stalled = replace(SHOE, link=link("stalled"), node=replace(NODE, holders=(DAEMON,)))
    assert found(HERE, table(stalled, daemon=DAEMON, installed=True)) == [
        ("link_stalled", "journalctl -u shoewatch@bj-07 -n 50")
    ]
    assert found(HERE, table(stalled, daemon=DAEMON)) == [
        ("link_stalled", f"shoewatch devices --follow --config {CONFIG}")
    ]
    assert found(HERE, table(replace(stalled, link=READY), daemon=DAEMON)) == []
    assert found(HERE, table(replace(stalled, node=NODE))) == []


def test_modem_manager_matters_only_where_it_may_probe() -> None:
    runs = replace(HERE, modem_manager=Process("ModemManager", 55))
    probed = replace(SHOE, node=replace(NODE, modem_probed=True))
    assert found(runs, table(probed)) == [("modem_manager", SHOE_RULES)]
    assert found(runs, table(SHOE)) == []
    assert found(HERE, table(probed)) == []


def test_the_nearest_cause_stands_alone() -> None:
    held = replace(NODE, holders=(Process("minicom", 77),))
    device = replace(SHOE, node=held, link=link("refused", loss="busy", detail="held by minicom"))
    assert [code for code, _ in found(HERE, table(device, daemon=DAEMON))] == ["other_process"]


def test_an_angel_eye_shoe_may_say_nothing() -> None:
    assert found(HERE, table(replace(SHOE, heard=Heard(3, 0)))) == []


def test_around_the_devices() -> None:
    panel = Path("/run/shoewatch/bj-07")
    assert found(HERE, table(broker=Broker("10.0.0.9", 1883, local=False, why=None), panel=Panel(panel, None))) == []
    unwritable = Panel(panel, "cannot be written to")
    assert found(HERE, table(panel=unwritable, installed=True, daemon=DAEMON)) == [
        ("panel", "sudo install -d -o shoewatch -g shoewatch -m 0750 /run/shoewatch/bj-07")
    ]
    assert found(HERE, table(panel=unwritable)) == [
        ("panel", 'sudo install -d -o "$(id -un)" -g "$(id -gn)" -m 0750 /run/shoewatch/bj-07')
    ]
    assert found(HERE, table(panel=Panel(panel, "in the way", panel / "dealer.sock"))) == [
        ("panel", "sudo rm /run/shoewatch/bj-07/dealer.sock")
    ]
    groups = Panel(panel, None, user="shoewatch", unknown=("pit",), foreign=("shoewatch-dealer",), is_closed=True)
    joins = "sudo usermod -aG shoewatch-dealer shoewatch"
    assert found(HERE, table(panel=groups)) == [
        ("panel_group", "sudo groupadd --system pit"),
        ("panel_group", joins),
        ("panel_closed", "sudo chmod o+x /run/shoewatch/bj-07"),
    ]
    shared = table(panel=Panel(panel, None, is_shared=True))
    assert found(HERE, shared) == []
    assert found(HERE, replace(shared, installed=True, daemon=DAEMON)) == [("panel_shared", f"sudoedit {CONFIG}")]
    foreign = replace(table(panel=Panel(panel, None, user="shoewatch", foreign=("shoewatch-dealer",))), installed=True)
    assert found(HERE, replace(foreign, daemon=DAEMON)) == [
        ("panel_group", f"{joins} && sudo systemctl restart shoewatch@bj-07")
    ]
    assert found(HERE, table(unread="no")) == [("journal_closed", f"sudo shoewatch doctor {CONFIG}")]
    assert found(replace(HERE, clock="behind")) == [("clock", "sudo timedatectl set-ntp true")]


@pytest.mark.parametrize(
    ("host", "port", "why", "mosquitto", "mend"),
    [
        ("10.0.0.9", 8883, "no answer within 2 s", True, "ping -c 3 10.0.0.9"),
        ("10.0.0.9", 8883, "Connection refused", True, f"shoewatch doctor {CONFIG}"),
        ("127.0.0.1", 1883, "Connection refused", True, "sudo systemctl start mosquitto"),
        ("127.0.0.1", 1883, "Connection refused", False, "sudo apt install mosquitto"),
        ("127.0.0.1", 18830, "Connection refused", True, f"shoewatch doctor {CONFIG}"),
    ],
)
def test_a_broker_that_is_not_reached(host: str, port: int, why: str, mosquitto: bool, mend: str) -> None:
    broker = Broker(host, port, local=host.startswith("127."), why=why)
    assert found(replace(HERE, mosquitto=mosquitto), table(broker=broker)) == [("broker", mend)]


def test_a_configuration_that_is_wrong_and_a_service_that_does_not_run() -> None:
    wrong = Table(CONFIG, installed=True, problems=("shoe.port: is missing", "mqtt: is missing"))
    [finding] = findings(HERE, [wrong])
    assert (finding.code, finding.mend) == ("config_wrong", f"shoewatch config check {CONFIG}")
    assert finding.what == "shoe.port: is missing (and 1 more)"
    closed = replace(wrong, problems=("devices.registry: cannot be read: Permission denied",))
    assert found(HERE, closed) == [("config_closed", f"sudo shoewatch doctor {CONFIG}")]
    assert [code for code, _ in found(HERE, table(installed=True, unread="Permission denied"))] == ["journal_closed"]
    assert found(HERE, table(installed=True)) == [("no_daemon", "sudo systemctl start shoewatch@bj-07")]
    assert found(HERE, table()) == []


def test_every_finding_mends_with_one_line() -> None:
    devices = [case[2] for case in DEVICES]
    for each in findings(replace(HERE, clock="behind"), [table(*devices)]):
        assert each.mend
        assert "\n" not in each.mend


def test_the_diagnosis_is_pure() -> None:
    folder = Path(controller.doctor.findings.__file__).parent
    for name in ("findings", "device_findings", "finding", "facts"):
        tree = ast.parse((folder / f"{name}.py").read_text())
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert imported <= {"shlex"}, name


def test_the_command_that_changes_a_configuration_changes_that_section_alone(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text('[shoe]\nport = "serial:line"\nprotocol = "tdl"\n\n[reader]\nprotocol = "tdl"\n')
    device = replace(SHOE, protocol="tdl", port=parse_port("serial:line"), heard=Heard(3, 40, {"angel-eye": 2}))
    for each in (device, replace(device, protocol="angel-eye", heard=Heard(3, 40, {}, {9600: "angel-eye"}))):
        [finding] = findings(HERE, [replace(table(each), config=config)])
        subprocess.run(shlex.split(finding.mend)[1:], check=True)
    assert config.read_text() == (
        '[shoe]\nport = "serial:line?baud=9600"\nprotocol = "angel-eye"\n\n[reader]\nprotocol = "tdl"\n'
    )
