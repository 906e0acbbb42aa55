"""Checkpoints: the table's signature under its chain, so that whoever has the messages knows whose they are.

A chain tells that nothing was changed since its last record; a signature under it, that nobody else made it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

WHAT: Final = "checkpoint"
"""What a `system` record with a checkpoint says that it is."""
_KEY_ID_DIGITS: Final = 16


def key_id(public_key: bytes) -> str:
    """The name of an Ed25519 key: 16 hex digits of the SHA-256 of its 32 bytes."""
    return hashlib.sha256(public_key).hexdigest()[:_KEY_ID_DIGITS]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signature under the chain as far as record `seq`, whose hash is `hash` (64 hex digits)."""

    seq: int
    hash: str
    signature: bytes
    public_key: bytes

    @property
    def key_id(self) -> str:
        return key_id(self.public_key)

    def data(self) -> dict[str, Any]:
        """What its record says."""
        return {
            "seq": self.seq,
            "hash": self.hash,
            "signature": self.signature.hex(),
            "key_id": self.key_id,
            "public_key": self.public_key.hex(),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Self:
        """The checkpoint in a record's data; ValueError where it is none."""
        try:
            signature, public_key = bytes.fromhex(data["signature"]), bytes.fromhex(data["public_key"])
            found = cls(int(data["seq"]), str(data["hash"]), signature, public_key)
        except (LookupError, TypeError, OverflowError) as error:
            raise ValueError(f"it is no checkpoint ({error!r})") from None
        if data.get("key_id") != found.key_id:
            raise ValueError("its key_id is not that of its public key")
        return found

    def is_signed(self, epoch: str) -> bool:
        """Whether the signature is that of its key, for this epoch."""
        try:
            key = Ed25519PublicKey.from_public_bytes(self.public_key)
            key.verify(self.signature, _signed(epoch, self.seq, self.hash))
        except (InvalidSignature, ValueError):
            return False
        return True


class Signer:
    """Signs with one private key of 32 bytes, which never shows."""

    __slots__ = ("_private", "public_key")

    def __init__(self, private_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private_key)
        self.public_key = self._private.public_key().public_bytes_raw()

    @property
    def key_id(self) -> str:
        return key_id(self.public_key)

    def sign(self, data: bytes) -> bytes:
        """The signature under these bytes."""
        return self._private.sign(data)

    def checkpoint(self, epoch: str, seq: int, hash_: str) -> Checkpoint:
        return Checkpoint(seq, hash_, self.sign(_signed(epoch, seq, hash_)), self.public_key)


def _signed(epoch: str, seq: int, hash_: str) -> bytes:
    return f"{epoch}\n{seq}\n{hash_}".encode()
