"""The values of face-down cards in the journal: sealed under the table's vault key, opened only after a restart."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from protocols.errors import ShoewatchError
from protocols.hidden import Hidden, hide_text, opened_text

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_LENGTH: Final = 16


class VaultError(ShoewatchError):
    """The vault key cannot be used, or does not open what it should."""


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

    @classmethod
    def from_file(cls, path: Path) -> Vault:
        """The vault whose key the file holds, 64 hex digits; VaultError else."""
        try:
            key = bytes.fromhex(path.read_text(encoding="ascii").strip())
        except OSError as error:
            raise VaultError(f"{path}: the vault key cannot be read: {error.strerror}") from None
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise VaultError(f"{path}: no vault key; it holds {2 * KEY_BYTES} hex digits")
        return cls(key)

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


def make_key_file(path: Path) -> None:
    """A new random key, whole and on disk or not at all, in a file for its owner alone; an existing file stays."""
    if path.exists():
        return
    made = path.with_name(f"{path.name}-new")
    try:
        made.unlink(missing_ok=True)
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        made.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except OSError as error:
        raise VaultError(f"{path}: the vault key cannot be made: {error.strerror}") from None
