"""The values of face-down cards in the journal: sealed under the table's vault key, opened only after a restart."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from protocols.errors import ShoewatchError
from protocols.hidden import Hidden, hide_text, opened_text

_NONCE_BYTES: Final = 12
_LENGTH: Final = 16
_ID_DIGITS: Final = 16


class VaultError(ShoewatchError):
    """The vault's key does not open what it should."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What is withheld, a face-down card or a reader's answer, and the nonce of its commitment."""

    value: Hidden
    nonce: bytes = field(repr=False)


class Vault:
    """Seals and opens secrets, each to a length that tells nothing of it; `key` seals, it and the `older` ones open.

    `context` names the record (`EPOCH\\nSEQ`), so that no sealed value can move."""

    def __init__(self, key: bytes, *older: bytes) -> None:
        self._ciphers = [AESGCM(each) for each in (key, *older)]
        self.key_ids = tuple(map(vault_key_id, (key, *older)))

    def seal(self, secret: Secret, context: str) -> bytes:
        """The bytes that the journal keeps beside the record."""
        clear = json.dumps({"value": opened_text(secret.value).ljust(_LENGTH), "nonce": secret.nonce.hex()}).encode()
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, clear, context.encode())

    def open(self, sealed: bytes, context: str) -> Secret:
        """What was sealed for this record; VaultError where no key opens it or the bytes were changed."""
        clear = next(filter(None, (_opened(cipher, sealed, context) for cipher in self._ciphers)), None)
        if clear is None:
            raise VaultError("a sealed card does not open: this is not the key it was sealed with")
        fields = json.loads(clear)
        return Secret(hide_text(fields["value"]), bytes.fromhex(fields["nonce"]))


def vault_key_id(key: bytes) -> str:
    """What a vault's key is called where it cannot be named: nobody finds 32 random bytes by it."""
    return hashlib.sha256(b"vault\n" + key).hexdigest()[:_ID_DIGITS]


def _opened(cipher: AESGCM, sealed: bytes, context: str) -> bytes | None:
    try:
        return cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
    except InvalidTag:
        return None
