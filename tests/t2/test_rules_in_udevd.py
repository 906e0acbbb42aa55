"""Our rules under the system's own udevd: for each rule what it is for, and what only looks like it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from stage import Node, Seen, Stage, staged
from tools import need_programs, need_root

from firmware_bridge.known_devices import UsbId
from firmware_bridge.udev_rules import Shoe, rules

OURS = ("shoewatch", "0660")
NODE = ("root", "0664")
LINE = ("dialout", "0660")
SHOES = [Shoe.parse("A10K2X3B=SH42"), Shoe.parse("1-2=SH43")]
SITE = rules(SHOES, [UsbId("1234", "00af")])
FTDI: dict[str, Any] = {"vendor": "0403", "product": "6001", "interfaces": ["ffffff"], "ttys": ["ttyUSB0"]}
IGNORED = {"ID_MM_DEVICE_IGNORE": "1", "ID_MM_PORT_IGNORE": "1"}


@pytest.fixture(scope="module")
def udevd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One udevd for all tests of this file."""
    need_root()
    need_programs(udevadm="udev", unshare="util-linux", **{"systemd-sysusers": "systemd"})
    with staged(tmp_path_factory.mktemp("users")) as stage:
        yield stage


@pytest.fixture
def stage(udevd: Stage) -> Iterator[Stage]:
    """With nothing plugged in."""
    yield udevd
    udevd.empty()


def links(seen: Seen) -> set[str]:
    return {path.removeprefix("/dev/shoewatch/") for path in seen.links}


def only_node(seen: Seen) -> Node:
    """The node of the one USB device."""
    [node] = [node for path, node in seen.nodes.items() if path.startswith("/dev/bus/usb/")]
    return node


def modem_manager(node: Node) -> dict[str, str]:
    return {key: value for key, value in node.properties.items() if key.startswith("ID_MM_")}


@pytest.mark.parametrize("ids", [{}, {"vendor": "1234", "product": "00af"}], ids=["known", "of this site"])
def test_a_reader_gets_its_names_its_group_and_no_modem_probing(stage: Stage, ids: dict[str, str]) -> None:
    stage.rules(**{"62_shoewatch": SITE})
    stage.plug("1-1.4", serial="HCR-0007", **ids)
    seen = stage.look()
    [path] = seen.nodes
    assert seen.links == dict.fromkeys(["/dev/shoewatch/reader-HCR-0007", "/dev/shoewatch/by-path/reader-1-1.4"], path)
    assert seen.nodes[path].rights == OURS
    assert modem_manager(seen.nodes[path]) == IGNORED


STRANGERS: dict[str, dict[str, Any]] = {
    "ID_VENDOR_ID": {"vendor": "120a"},
    "ID_MODEL_ID": {"product": "ca4e"},
    "ID_USB_INTERFACES": {"interfaces": ["030000"]},
}
NEAR_MISSES = {
    **STRANGERS,
    "another protocol": {"interfaces": ["ff0002"]},
    "a network card beside it": {"interfaces": ["ff0001", "020600"]},
    "a keyboard before it": {"interfaces": ["030101", "ff0001"]},
    "no interface": {"interfaces": []},
}


@pytest.mark.parametrize("fields", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_only_looks_like_a_reader_gets_nothing(stage: Stage, fields: dict[str, Any]) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1.4", **fields)
    seen = stage.look()
    assert links(seen) == set()
    assert only_node(seen).rights == NODE
    assert modem_manager(only_node(seen)) == {}


@pytest.mark.parametrize("key", STRANGERS)
def test_one_equals_sign_too_few_would_let_a_stranger_in(stage: Stage, key: str) -> None:
    right, wrong = f"ENV{{{key}}}==", f"ENV{{{key}}}="
    assert rules().count(right) == 1
    stage.rules(**{"62_shoewatch": rules().replace(right, wrong)})
    stage.plug("1-1.4", **STRANGERS[key])
    assert only_node(stage.look()).rights == OURS


@pytest.mark.parametrize("serial", [None, "", "0", "00000000", "--------", "FFFF", "zzz", "    ", "____"])
def test_a_serial_number_that_names_nothing_gives_no_name(stage: Stage, serial: str | None) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1.4", serial=serial)
    seen = stage.look()
    assert links(seen) == {"by-path/reader-1-1.4"}
    assert only_node(seen).rights == OURS


@pytest.mark.parametrize(
    ("serial", "name"),
    [
        ("01", "01"),
        ("HCR 0007", "HCR_0007"),
        ("../../sda", ".._.._sda"),
        ("a /dev/sda", "a__dev_sda"),
        ('"; x', "___x"),
    ],
)
def test_no_serial_number_makes_a_link_outside_the_folder(stage: Stage, serial: str, name: str) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1.4", serial=serial)
    assert links(stage.look()) == {f"reader-{name}", "by-path/reader-1-1.4"}


def test_an_unplugged_reader_leaves_no_name(stage: Stage) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1.4")
    stage.unplug("1-1.4")
    seen = stage.look()
    assert (seen.nodes, seen.links) == ({}, {})


def test_a_change_takes_nothing_away(stage: Stage) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1.4")
    before = stage.look()
    stage.change("1-1.4")
    after = stage.look()
    assert (after.links, only_node(after).rights) == (before.links, OURS)


def test_two_readers_with_one_serial_number_are_told_apart_by_their_sockets(stage: Stage) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-1")
    stage.plug("1-2")
    seen = stage.look()
    places = {socket: seen.links[f"/dev/shoewatch/by-path/reader-{socket}"] for socket in ("1-1", "1-2")}
    assert set(places.values()) == set(seen.nodes)
    assert len(seen.nodes) == 2
    named = seen.links["/dev/shoewatch/reader-HCR-0007"]
    [holder] = [socket for socket, node in places.items() if node == named]
    [other] = places.keys() - {holder}
    stage.unplug(holder)
    assert stage.look().links == dict.fromkeys(
        ["/dev/shoewatch/reader-HCR-0007", f"/dev/shoewatch/by-path/reader-{other}"], places[other]
    )


@pytest.mark.parametrize(
    ("port", "serial", "name"), [("1-3", "A10K2X3B", "SH42"), ("1-2", None, "SH43")], ids=["by serial", "by socket"]
)
def test_a_shoe_behind_its_converter(stage: Stage, port: str, serial: str | None, name: str) -> None:
    stage.rules(**{"62_shoewatch": SITE})
    stage.plug(port, serial=serial, **FTDI)
    seen = stage.look()
    assert seen.links == dict.fromkeys(
        [f"/dev/shoewatch/shoe-{name}", f"/dev/shoewatch/by-path/shoe-{port}"], "/dev/ttyUSB0"
    )
    assert seen.nodes["/dev/ttyUSB0"].rights == OURS
    assert modem_manager(seen.nodes["/dev/ttyUSB0"]) == IGNORED
    assert only_node(seen).rights == NODE
    assert modem_manager(only_node(seen)) == IGNORED


@pytest.mark.parametrize(
    ("port", "serial"),
    [
        ("1-3", "B10K2X3B"),
        ("1-3", "A10K2X3B0"),
        ("1-3", "a10k2x3b"),
        ("1-3", None),
        ("1-3", ""),
        ("1-2.1", None),
        ("1-20", None),
        ("2-2", None),
    ],
)
def test_a_bare_converter_is_nobody(stage: Stage, port: str, serial: str | None) -> None:
    stage.rules(**{"62_shoewatch": SITE})
    stage.plug(port, serial=serial, **FTDI)
    seen = stage.look()
    assert links(seen) == set()
    assert seen.nodes["/dev/ttyUSB0"].rights == LINE
    assert [modem_manager(node) for node in seen.nodes.values()] == [{}, {}]


def test_without_the_site_s_own_line_no_converter_is_a_shoe(stage: Stage) -> None:
    stage.rules(**{"62_shoewatch": rules()})
    stage.plug("1-3", serial="A10K2X3B", **FTDI)
    seen = stage.look()
    assert (links(seen), seen.nodes["/dev/ttyUSB0"].rights) == (set(), LINE)


def test_of_a_converter_with_two_lines_the_first_is_the_shoe(stage: Stage) -> None:
    stage.rules(**{"62_shoewatch": SITE})
    two = {"product": "6010", "interfaces": ["ffffff", "ffffff"], "ttys": ["ttyUSB0", "ttyUSB1"]}
    stage.plug("1-3", serial="A10K2X3B", **(FTDI | two))
    seen = stage.look()
    assert set(seen.links.values()) == {"/dev/ttyUSB0"}
    assert {path: seen.nodes[path].rights for path in ("/dev/ttyUSB0", "/dev/ttyUSB1")} == {
        "/dev/ttyUSB0": OURS,
        "/dev/ttyUSB1": LINE,
    }
    assert modem_manager(seen.nodes["/dev/ttyUSB1"]) == IGNORED


HOSTILE = 'SUBSYSTEM=="usb|tty", MODE="0666", GROUP="tty"\n'


@pytest.mark.parametrize("ours", [True, False], ids=["as it is", "with = for :="])
def test_a_later_file_does_not_undo_mode_and_group(stage: Stage, ours: bool) -> None:
    text = rules() if ours else rules().replace(":=", "=")
    stage.rules(**{"62_shoewatch": text, "99_other": HOSTILE})
    stage.plug("1-1.4")
    assert only_node(stage.look()).rights == (OURS if ours else ("tty", "0666"))


def test_udevd_finds_nothing_to_complain_about(stage: Stage) -> None:
    before = len(stage.complaints())
    stage.rules(**{"62_shoewatch": SITE})
    stage.plug("1-1.4")
    assert stage.complaints()[before:] == []
    stage.rules(**{"62_shoewatch": SITE.replace('"shoewatch", MODE', '"shoewach", MODE')})
    stage.plug("1-3", serial="A10K2X3B", **FTDI)
    assert any("shoewach" in line for line in stage.complaints()[before:])
