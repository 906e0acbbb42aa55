"""The values of face-down cards in the journal: sealed under the table's vault key, opened only after a restart."""

from __future__ import annotations

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


class VaultError(ShoewatchError):
    """The vault's key does not open what it should."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What is withheld, a face-down card or a reader's answer, and the nonce of its commitment."""

    value: Hidden
    nonce: bytes = field(repr=False)


class Vault:
    """Seals and opens secrets, each to a length that tells nothing of it.

    `context` names the record (`EPOCH\\nSEQ`), so that no sealed value can move."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, secret: Secret, context: str) -> bytes:
        """The bytes that the journal keeps beside the record."""
        clear = json.dumps({"value": opened_text(secret.value).ljust(_LENGTH), "nonce": secret.nonce.hex()}).encode()
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, clear, context.encode())

    def open(self, sealed: bytes, context: str) -> Secret:
        """What was sealed for this record; VaultError where the key is another one or the bytes were changed."""
        try:
            clear = self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], context.encode())
        except InvalidTag:
            raise VaultError("a sealed card does not open: this is not the key it was sealed with") from None
        fields = json.loads(clear)
        return Secret(hide_text(fields["value"]), bytes.fromhex(fields["nonce"]))
