"""Commitments to what lies face down: published with the card, opened when it is turned.

Who has the messages can check that the value shown is the one that was drawn; nobody can guess it before."""

from __future__ import annotations

import hashlib
from typing import Final

NONCE_BYTES: Final = 32


def commitment(nonce: bytes, epoch: str, seq: int, name: str, value: str) -> str:
    """Hex SHA-256 that binds the value of one field of one record; `nonce` is 32 random bytes."""
    return hashlib.sha256(nonce + f"{epoch}\n{seq}\n{name}\n{value}".encode()).hexdigest()
