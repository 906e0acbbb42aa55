"""Keys that seal and keys that sign: neither is taken for the other, and a rotation that is killed loses none."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from command import Result, shoewatch
from table_toml import write
from told_journal import SIGNER, tell

from controller.key_files import make_key, read_key, read_key_ring, rotate_key_ring
from controller.vault import Secret, Vault
from protocols.cards import Card
from protocols.hidden import hide, opened

OLD, OLDER = bytes([7]) * 32, bytes([9]) * 32
SECRET = Secret(hide(Card("K", "h")), b"n" * 32)


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Whether SIGKILL came before the work was done: just before it called for the `step`th time what is written
    in C, as every call of the system is."""
    child = os.fork()
    if child == 0:
        left = step

        def count(_: FrameType, what: str, __: Any) -> None:
            nonlocal left
            left -= what == "c_call"
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        work()
        sys.setprofile(None)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("forget", [False, True])
def test_a_rotation_that_is_killed_anywhere_leaves_a_whole_ring(tmp_path: Path, forget: bool) -> None:
    ring, step, rotated = tmp_path / "journal.db-vault-key", 0, 0
    sealed = [Vault(key).seal(SECRET, "epoch\n7") for key in (OLD, OLDER)]
    before = (OLD, OLDER)
    while True:
        ring.write_text("".join(f"{key.hex()}\n" for key in before))
        ring.chmod(0o600)
        was_killed = killed_at(step, lambda: rotate_key_ring(ring, forget=forget))
        after = read_key_ring(ring)
        if after != before:
            rotated += 1
            assert after[1:] == (() if forget else before)
            assert after[0] not in before
        if not forget or after == before:
            assert [opened(Vault(*after).open(each, "epoch\n7").value) for each in sealed] == [Card("K", "h")] * 2
        assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
        assert rotate_key_ring(ring, forget=False)[1:] == after
        assert [file.name for file in tmp_path.iterdir()] == [ring.name]
        if not was_killed:
            break
        step += 1
    assert step > 20
    assert 1 < rotated < step


def test_a_key_that_is_made_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    file, step = tmp_path / "journal.db-vault-key", 0
    while killed_at(step, lambda: make_key(file)):
        assert not file.exists() or read_key(file)
        make_key(file)
        assert [each.name for each in tmp_path.iterdir()] == [file.name]
        file.unlink()
        step += 1
    assert step > 10


@pytest.fixture
def signing(tmp_path: Path) -> Path:
    """A key that signed the journal beside it, under a name that does not say so."""
    tell(tmp_path / "journal.db")
    return key_file(tmp_path / "some.key", bytes(range(32)))


def key_file(path: Path, *keys: bytes) -> Path:
    path.write_text("".join(f"{key.hex()}\n" for key in keys))
    path.chmod(0o600)
    return path


def test_a_key_that_signs_is_not_rotated(signing: Path, tmp_path: Path) -> None:
    named = key_file(tmp_path / "other.db-signing-key", OLD)
    for file, why in ((signing, "of the journal"), (named, "by its name")):
        before = file.read_bytes()
        for words in (
            ("rotate-vault", str(file)),
            ("rotate-vault", str(file), "--forget"),
            ("show", "--vault", str(file)),
        ):
            told = shoewatch("keys", *words)
            assert (told.status, told.stdout) == (2, "")
            assert f"{file}: is a key that signs, {why}" in told.stderr
        assert file.read_bytes() == before
        assert shoewatch("keys", "show", str(file)).status == 0


def test_a_key_of_a_vault_is_not_shown_as_one_that_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    named, configured = key_file(tmp_path / "x.db-vault-key", OLD), key_file(tmp_path / "any.key", OLD)
    write(tmp_path, journal='path = "journal.db"\nvault_key = "any.key"')
    for file, why in ((named, "by its name"), (configured, "of table riverside/bac-01")):
        told = shoewatch("keys", "show", str(file))
        assert (told.status, told.stdout) == (2, "")
        assert f"{file}: is a key of a vault, {why}" in told.stderr
        assert shoewatch("keys", "show", "--vault", str(file)).status == 0
        assert shoewatch("keys", "rotate-vault", str(file)).status == 0


def checked(config: Path) -> Result:
    return shoewatch("config", "check", str(config))


@pytest.mark.parametrize(
    ("journal", "problem"),
    [
        (
            'vault_key = "torn.key"',
            "journal.vault_key: {}/torn.key: no keys; a file with some holds 64 hex digits a line",
        ),
        ('signing_key = "ring.key"', "journal.signing_key: {}/ring.key: no key; a file with one holds 64 hex digits"),
        ('vault_key = "some.key"', "journal.vault_key: {}/some.key: is a key that signs, of the journal {}/journal.db"),
        ('vault_key = "a.key"\nsigning_key = "a.key"', "journal.vault_key, journal.signing_key: are one file"),
    ],
)
def test_config_check_reads_the_keys(signing: Path, tmp_path: Path, journal: str, problem: str) -> None:
    key_file(tmp_path / "torn.key", OLD, OLDER[:20])
    key_file(tmp_path / "ring.key", OLD, OLDER)
    key_file(tmp_path / "a.key", OLD)
    told = checked(write(tmp_path, journal=f'path = "journal.db"\n{journal}'))
    assert (told.status, told.stdout) == (os.EX_CONFIG, "")
    assert problem.replace("{}", str(tmp_path)) in told.stderr
    assert len(told.stderr.splitlines()) == 1
    assert OLD.hex() not in told.stderr
    right = checked(write(tmp_path, journal='path = "journal.db"\nvault_key = "ring.key"\nsigning_key = "some.key"'))
    assert (right.status, right.stderr) == (0, "")


def test_config_check_reads_those_beside_the_journal(tmp_path: Path) -> None:
    key_file(tmp_path / "journal.db-vault-key", OLD[:5])
    told = checked(write(tmp_path))
    assert (told.status, "journal.vault_key: " in told.stderr) == (os.EX_CONFIG, True)


@pytest.mark.parametrize("text", [None, "x=", "[Eve]\n"])
def test_a_wrong_registry_is_a_wrong_argument(signing: Path, tmp_path: Path, text: str | None) -> None:
    keys, journal = tmp_path / "keys.toml", tmp_path / "journal.db"
    if text is not None:
        keys.write_text(text)
    for words in (("verify", str(journal)), ("backup", str(journal), str(tmp_path / "copy.db"))):
        told = shoewatch("journal", *words, "--keys", str(keys))
        assert (told.status, told.stdout, str(keys) in told.stderr) == (2, "", True)
    assert shoewatch("journal", "verify", str(tmp_path / "none.db")).status == 2
    assert SIGNER.key_id in shoewatch("journal", "verify", str(journal)).stdout
