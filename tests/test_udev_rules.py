"""The rules file: what is checked in, its number, and the options by which a site adds its own lines."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from command import shoewatch
from needs import missing

from firmware_bridge.known_devices import CONVERTERS, UsbId
from firmware_bridge.udev_rules import FILE, Shoe, rules
from protocols.errors import ShoewatchError

CHECKED_IN = Path(__file__).parent.parent / "udev" / FILE
SITE = rules([Shoe("A10K2X3B", "SH42"), Shoe("1-2.4", "SH43")], [UsbId("1234", "00af")])


def statements(text: str) -> list[list[str]]:
    """Each rule as its keys."""
    joined = text.replace("\\\n", "")
    return [re.split(r",\s*", line.strip()) for line in joined.splitlines() if line and not line.startswith("#")]


def test_the_file_is_what_the_table_gives() -> None:
    made = shoewatch("udev", "rules")
    assert (made.status, made.stderr) == (0, "")
    assert CHECKED_IN.read_text() == made.stdout, f"shoewatch udev rules > udev/{FILE}"


def test_one_rules_file_is_shipped_and_runs_after_what_it_asks_about() -> None:
    assert [path.name for path in CHECKED_IN.parent.glob("*.rules")] == [FILE]
    assert 60 < int(FILE.partition("-")[0]) < 70


@pytest.mark.parametrize("text", [rules(), SITE], ids=["as shipped", "of a site"])
def test_what_is_not_ours_leaves_at_once_and_what_is_stays_so(text: str) -> None:
    first, *others = statements(text)
    assert first == ['ACTION=="remove"', 'GOTO="shoewatch_end"']
    assert others[0] == ['SUBSYSTEM!="usb|tty"', 'GOTO="shoewatch_end"']
    given = [key for rule in statements(text) for key in rule if key.startswith(("MODE", "GROUP", "OWNER"))]
    assert given == ['GROUP:="shoewatch"', 'MODE:="0660"']
    assert "0666" not in text
    assert "RUN" not in text


@pytest.mark.parametrize("chip", CONVERTERS, ids=str)
def test_no_rule_names_a_converter_chip(chip: UsbId) -> None:
    assert f'=="{chip.product}"' not in SITE
    with pytest.raises(ShoewatchError, match="converter chip"):
        rules(readers=[chip])


def test_the_options_of_a_site_are_lines_of_its_own() -> None:
    made = shoewatch("udev", "rules", "--shoe", "A10K2X3B=SH42", "--shoe", "1-2.4=SH43", "--reader", "1234:00AF")
    assert (made.status, made.stdout) == (0, SITE)
    own = [rule for rule in statements(SITE) if rule not in statements(rules())]
    assert len(own) == 3


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--shoe", "A10K2X3B", "no CONVERTER=NAME"),
        ("--shoe", "=SH42", "tells no converter from another"),
        ("--shoe", "0000=SH42", "tells no converter from another"),
        ("--shoe", "A1*=SH42", "no serial number like that"),
        ("--shoe", 'A1", MODE="0666=SH42', "no serial number like that"),
        ("--shoe", "A10K2X3B=", "is no name for a link"),
        ("--shoe", "A10K2X3B=../SH42", "is no name for a link"),
        ("--shoe", "A10K2X3B=SH$42", "is no name for a link"),
        ("--shoe", "0403:6001=SH42", "converter chip (FTDI FT232R)"),
        ("--shoe", "abcd:1234=SH42", "converter chip"),
        ("--reader", "0403:6001", "is no reader"),
        ("--reader", "HCR-0007", "is no USB id"),
    ],
)
def test_an_option_that_would_match_too_much_or_nothing_is_refused(option: str, value: str, why: str) -> None:
    made = shoewatch("udev", "rules", option, value)
    told = " ".join(made.stderr.replace("│", " ").split())
    assert made.status == 2
    assert why in told
    assert made.stdout == ""


@pytest.mark.parametrize("second", ["A10K2X3B=SH43", "B10K2X3B=SH42"])
def test_two_shoes_are_two(second: str) -> None:
    made = shoewatch("udev", "rules", "--shoe", "A10K2X3B=SH42", "--shoe", second)
    assert (made.status, made.stdout) == (2, "")
    assert "given twice" in " ".join(made.stderr.split())


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (("", ""), ""),
        (('LABEL="shoewatch_end"', ""), "GOTO"),
        (('ENV{ID_BUS}!="usb", GOTO', 'ENV{ID_BUS}!="usb" GOTO'), "omma"),
        (("SUBSYSTEM!=", "SUBSYSTEN!="), "SUBSYSTEN"),
    ],
    ids=["sound", "dangling GOTO", "no comma", "no such key"],
)
def test_udevadm_finds_the_file_sound(tmp_path: Path, spoil: tuple[str, str], says: str) -> None:
    file = tmp_path / FILE
    file.write_text(SITE.replace(*spoil))
    found = verified(file)
    assert (found.returncode == 0) == (not says)
    assert says in found.stdout + found.stderr


def verified(file: Path) -> subprocess.CompletedProcess[str]:
    """`udevadm verify`, by the system's udevadm or the newer one that $UDEVADM names."""
    arguments = [os.environ.get("UDEVADM", "udevadm"), "verify", "--resolve-names=never", "--no-summary", str(file)]
    try:
        found = subprocess.run(arguments, capture_output=True, text=True)
    except FileNotFoundError:
        missing("udevadm (apt install udev)")
    if "Unknown command" in found.stderr:
        missing("udevadm 254 or newer (in $UDEVADM)")
    return found
