"""The registry of devices: what is read, what is refused with every mistake named, and that no key shows."""

from __future__ import annotations

import pytest

from protocols.errors import ConfigError
from protocols.registry import parse_registry

DIGEST, NEWER, KEY, OTHER = "c7" * 32, "D8" * 32, "3e" * 32, "4F" * 32
GOOD = f"""
[SHOE-000042.firmware]
{DIGEST} = "{KEY}"
{NEWER} = "{OTHER}"

[HCR-0007.firmware]
{DIGEST} = "{OTHER}"
"""


def test_a_registry_is_read() -> None:
    registry = parse_registry(GOOD, "devices.toml")
    assert registry.knows("SHOE-000042")
    assert not registry.knows("SHOE-000043")
    assert registry.key("SHOE-000042", bytes.fromhex(DIGEST)) == bytes.fromhex(KEY)
    assert registry.key("SHOE-000042", bytes.fromhex(NEWER)) == bytes.fromhex(OTHER)
    assert registry.key("SHOE-000042", b"other") is None
    assert registry.key("SHOE-000043", bytes.fromhex(DIGEST)) is None


def test_settings_that_are_approved() -> None:
    registry = parse_registry(f'{GOOD}[HCR-0008]\nsettings = "{NEWER}"\n[HCR-0008.firmware]\n{DIGEST} = "{KEY}"', "")
    assert registry.settings("HCR-0008") == bytes.fromhex(NEWER)
    assert registry.settings("HCR-0007") is None
    assert registry.settings("HCR-0009") is None


def test_an_empty_registry_trusts_nobody() -> None:
    assert not parse_registry("", "devices.toml").knows("SHOE-000042")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[SHOE-1", "devices.toml: is no TOML"),
        ("SHOE-1 = " + "9" * 5000, "devices.toml: is no TOML: a number of 5,000 digits"),
        ("SHOE-1 = " + "[" * 5000, "devices.toml: is no TOML: nested too deeply"),
        ("[SHOE-1]", "SHOE-1: has no approved firmware (right would be a section [SHOE-1.firmware])"),
        ("SHOE-1 = 3", "SHOE-1: has no approved firmware"),
        ("[SHOE-1.firmware]", "SHOE-1: has no approved firmware"),
        (f'[SHOE-1.firmware]\nc7 = "{KEY}"', "SHOE-1.firmware.c7: is no digest with its key"),
        (f'[SHOE-1.firmware]\n{DIGEST} = "3e"', f"SHOE-1.firmware.{DIGEST[:12]}: is no digest with its key"),
        (f"[SHOE-1.firmware]\n{DIGEST} = 7", "is no digest with its key"),
        (f'[SHOE-1]\nsettings = "3e"\n[SHOE-1.firmware]\n{DIGEST} = "{KEY}"', "SHOE-1.settings: is no digest"),
        (f'[SHOE-1.firmware]\n{DIGEST} = "{KEY}"\n{DIGEST.upper()} = "{"4f" * 32}"', "is there 2 times, in capitals"),
        (f'["SHOE 1".firmware]\n{DIGEST} = "{KEY}"', "'SHOE 1' is no serial number"),
        (f'[SHOE-1]\nfirmwear = 1\n[SHOE-1.firmware]\n{DIGEST} = "{KEY}"', 'firmwear: unknown key (did you mean "firm'),
    ],
)
def test_a_mistake_is_named(text: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_registry(text, "devices.toml")
    assert why in str(caught.value)
    assert KEY not in str(caught.value)


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_registry("[SHOE-1]\n[SHOE-2]\n", "devices.toml")
    assert len(caught.value.problems) == 2


def test_no_key_shows() -> None:
    assert "3e3e" not in repr(parse_registry(GOOD, "devices.toml")).lower().replace("\\x", "")
    assert ">>>" not in repr(parse_registry(GOOD, "devices.toml"))
