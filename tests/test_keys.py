"""Keys: what they are called, whom they are trusted for and how long, and the commands that say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import shoewatch
from table_toml import write

from controller.key_files import read_key
from controller.keys_file import change_keys, read_keys
from protocols.errors import ConfigError, ShoewatchError
from protocols.floor.checkpoints import Checkpoint, Signer, key_id
from protocols.keys import KnownKey, parse_keys, read_roles, with_key, without_key, write_keys

PUBLIC = Signer(bytes(32)).public_key
NAME = key_id(PUBLIC)
KEY = KnownKey('Eve "the eye" Ode', ("supervisor", "console"), PUBLIC, "2026-11-30T07:03:48.143Z")
GOOD = f"""
[{NAME}]
name = "Eve"
roles = ["supervisor"]
public_key = "{PUBLIC.hex()}"
added = "2026-11-30T07:03:48Z"
"""


def test_what_is_written_is_read_back() -> None:
    registry = without_key(with_key({}, KEY), NAME, "2026-12-01T00:00:00Z")
    assert parse_keys(write_keys(registry), "keys.toml") == registry
    assert parse_keys(write_keys({}), "keys.toml") == {}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "Eve"', "name = 7\nnmae = 8", "nmae: unknown key"),
        ('["supervisor"]', '["supervisr"]', "'supervisr' is no role (did you mean \"supervisor\"?)"),
        ('["supervisor"]', "[]", "a key needs a role"),
        ('["supervisor"]', '"supervisor"', "a key needs a role"),
        (PUBLIC.hex(), "00" * 31, "is no public key (64 hex digits"),
        (PUBLIC.hex(), "00" * 32, "its name is made from its public_key"),
        ('added = "2026-11-30T07:03:48Z"', "", "added: must be a time"),
        ('added = "2026-11-30T07:03:48Z"', 'added = "2026-11-30T07:03:48"', "added: must be a time"),
        ('name = "Eve"', 'name = "Eve\\nEve"', "is no name"),
        ('name = "Eve"', 'name = "Eve \\u202e"', "is no name"),
        ('name = "Eve"', 'name = "  "', "is no name"),
        (f"[{NAME}]", f"{NAME} = 7\n[x]", "is no section"),
        (f"[{NAME}]", "[[", "is no TOML"),
    ],
)
def test_what_is_wrong_is_told(old: str, new: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_keys(GOOD.replace(old, new), "keys.toml")
    assert told in str(caught.value)
    assert all(line.startswith("keys.toml: ") for line in str(caught.value).splitlines())


def test_a_role_ends_with_the_key() -> None:
    revoked = without_key(with_key({}, KEY), NAME, "2026-12-01T00:00:00Z")[NAME]
    assert revoked.was_trusted("console", "2026-11-30T23:59:59Z")
    assert not revoked.was_trusted("console", "2026-12-01T00:00:00Z")
    assert not revoked.was_trusted("table", "2026-11-30T23:59:59Z")
    assert read_roles(["table", "supervisor", "table"]) == ("supervisor", "table")


def test_a_key_is_added_once_and_revoked_once() -> None:
    registry = with_key({}, KEY)
    with pytest.raises(ShoewatchError, match="is there already"):
        with_key(registry, KEY)
    revoked = without_key(registry, NAME, "2026-12-01T00:00:00Z")
    with pytest.raises(ShoewatchError, match="was revoked 2026-12-01"):
        with_key(revoked, KEY)
    with pytest.raises(ShoewatchError, match="was revoked 2026-12-01"):
        without_key(revoked, NAME, "2026-12-02T00:00:00Z")
    with pytest.raises(ShoewatchError, match="does not know key"):
        without_key(registry, "feedfeedfeedfeed", "2026-12-02T00:00:00Z")


@pytest.mark.parametrize(
    "other", [("epoch2", 7, "ab" * 32), ("epoch", 8, "ab" * 32), ("epoch", 7, "ac" * 32)], ids=["epoch", "seq", "hash"]
)
def test_a_signature_is_for_one_place_of_one_chain(other: tuple[str, int, str]) -> None:
    made = Signer(bytes(32)).checkpoint("epoch", 7, "ab" * 32)
    assert Checkpoint.read(made.data()) == made
    assert made.is_signed("epoch")
    epoch, seq, hash_ = other
    assert not Checkpoint(seq, hash_, made.signature, made.public_key).is_signed(epoch)
    assert not Checkpoint(7, "ab" * 32, made.signature, Signer(b"\1" * 32).public_key).is_signed("epoch")


def test_a_private_key_never_shows() -> None:
    signer = Signer(b"\7" * 32)
    assert "0707" not in repr(signer) + str(signer)
    assert not hasattr(signer, "__dict__")


def test_a_change_that_fails_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    change_keys(path, lambda known: with_key(known, KEY))
    before = path.read_text()
    with pytest.raises(ShoewatchError):
        change_keys(path, lambda known: with_key(known, KEY))
    assert (path.read_text(), path.stat().st_mode & 0o777, list(tmp_path.iterdir())) == (before, 0o644, [path])
    assert read_keys(path) == {NAME: KEY}


def test_the_commands(tmp_path: Path) -> None:
    file, registry = tmp_path / "eve.key", ("--registry", str(tmp_path / "keys.toml"))
    made = shoewatch("keys", "new", str(file))
    public, _, name = made.stdout.split()
    assert (made.status, file.stat().st_mode & 0o777) == (0, 0o600)
    assert Signer(read_key(file)).public_key.hex() == public
    assert "is there already" in shoewatch("keys", "new", str(file)).stderr
    assert shoewatch("keys", "show", str(file)).stdout == made.stdout
    assert "no key is known" in shoewatch("keys", "list", *registry).stdout
    wrong = shoewatch("keys", "add", "Eve", public, "--role", "boss", *registry)
    assert (wrong.status, "is no role" in wrong.stderr) == (2, True)
    assert shoewatch("keys", "add", "Eve", public, "--role", "console", "--role", "supervisor", *registry).status == 0
    assert f"{name}  Eve (supervisor, console), added 20" in shoewatch("keys", "list", *registry).stdout
    assert shoewatch("keys", "revoke", name, *registry).status == 0
    assert ", revoked 20" in shoewatch("keys", "list", *registry).stdout
    assert "was revoked" in shoewatch("keys", "add", "Eve", public, "--role", "console", *registry).stderr


def test_the_registry_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    assert "[keys] registry" in shoewatch("keys", "list").stderr
    write(tmp_path, keys='registry = "keys.toml"')
    assert shoewatch("keys", "add", "Eve", PUBLIC.hex(), "--role", "console").status == 0
    assert read_keys(tmp_path / "keys.toml").keys() == {NAME}
