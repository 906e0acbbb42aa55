"""The vault: what it seals opens only with its key, in its record; its key file is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.vault import Secret, Vault, VaultError, make_key_file
from protocols.cards import Card
from protocols.hidden import hide, hide_text, opened, opened_text

KEY = bytes(range(32))


def test_a_secret_opens_in_its_own_record_and_with_its_own_key_only() -> None:
    sealed = Vault(KEY).seal(Secret(hide(Card("K", "h")), b"n" * 32), "epoch\n7")
    found = Vault(KEY).open(sealed, "epoch\n7")
    assert (opened(found.value), found.nonce) == (Card("K", "h"), b"n" * 32)
    for vault, context in ((Vault(bytes(32)), "epoch\n7"), (Vault(KEY), "epoch\n8")):
        with pytest.raises(VaultError, match="not the key"):
            vault.open(sealed, context)


def test_the_length_tells_nothing() -> None:
    answers = [Secret(hide_text(text), b"n" * 32) for text in ("natural", "no_natural", "error")]
    hidden = {len(secret.value._sealed) for secret in answers}
    assert len(hidden) == 1
    assert [opened_text(secret.value) for secret in answers] == ["natural", "no_natural", "error"]
    assert len({len(Vault(KEY).seal(secret, "epoch\n7")) for secret in answers}) == 1


def test_a_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "key"
    make_key_file(path)
    made = path.read_text()
    make_key_file(path)
    assert (path.read_text(), path.stat().st_mode & 0o777, list(tmp_path.iterdir())) == (made, 0o600, [path])
    Vault.from_file(path)


@pytest.mark.parametrize("text", ["", "00" * 16, "zz" * 32, "00" * 33])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises(VaultError, match="64 hex digits"):
        Vault.from_file(path)
