"""The vault: what it seals opens only with its key, in its record."""

from __future__ import annotations

import pytest

from controller.vault import Secret, Vault, VaultError
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


def test_the_newest_key_seals_and_each_opens() -> None:
    older, newer = bytes(32), KEY
    before = Vault(older).seal(Secret(hide(Card("K", "h")), b"n" * 32), "epoch\n7")
    ring = Vault(newer, older)
    since = ring.seal(Secret(hide(Card("4", "c")), b"m" * 32), "epoch\n8")
    assert [opened(ring.open(sealed, f"epoch\n{n}").value) for n, sealed in ((7, before), (8, since))] == [
        *(Card("K", "h"), Card("4", "c"))
    ]
    assert opened(Vault(newer).open(since, "epoch\n8").value) == Card("4", "c")
    with pytest.raises(VaultError, match="not the key"):
        Vault(older).open(since, "epoch\n8")
    assert ring.key_ids == (*Vault(newer).key_ids, *Vault(older).key_ids)
    assert len(set(ring.key_ids)) == 2


def test_the_length_tells_nothing() -> None:
    answers = [Secret(hide_text(text), b"n" * 32) for text in ("natural", "no_natural", "error")]
    hidden = {len(secret.value._sealed) for secret in answers}
    assert len(hidden) == 1
    assert [opened_text(secret.value) for secret in answers] == ["natural", "no_natural", "error"]
    assert len({len(Vault(KEY).seal(secret, "epoch\n7")) for secret in answers}) == 1
