"""A card that lies face down. Its value is sealed in memory under a key of this process, so that no repr,
log line, traceback, pickle or JSON can tell it; only the functions below read it."""

from __future__ import annotations

import os
from typing import Final, NoReturn

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from protocols.cards import Card

_NONCE_BYTES: Final = 12
_LENGTH: Final = 16
_process_key: Final = AESGCM(AESGCM.generate_key(bit_length=256))


class Hidden:
    """The value of one face-down card, unreadable except through `opened`; equal only to itself."""

    __slots__ = ("_sealed",)

    def __init__(self, sealed: bytes) -> None:
        self._sealed = sealed

    def __repr__(self) -> str:
        return "<face down>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a face-down card is never pickled or copied out of its process")


def hide(card: Card) -> Hidden:
    """Seal a card's value."""
    return hide_text(str(card))


def opened(hidden: Hidden) -> Card:
    """The value; called only where the procedure turns the card, and to seal it for the journal."""
    return Card.parse(opened_text(hidden))


def known_as(card: Card | Hidden | None) -> Card | None:
    """The value of a card, also of one that lies face down; None where nobody knows it."""
    return opened(card) if isinstance(card, Hidden) else card


def can_be_one(first: Card | Hidden | None, second: Card | Hidden | None) -> bool:
    """Whether both may be readings of one card; what is not known may be any card."""
    known = known_as(first), known_as(second)
    return known[0] is None or known[1] is None or known[0].could_be(known[1])


def hide_text(text: str) -> Hidden:
    """Seal what is withheld like a card, such as a reader's answer; its length does not show either."""
    nonce = os.urandom(_NONCE_BYTES)
    return Hidden(nonce + _process_key.encrypt(nonce, text.ljust(_LENGTH).encode(), None))


def opened_text(hidden: Hidden) -> str:
    """What `hide_text` sealed."""
    sealed = hidden._sealed
    return _process_key.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None).decode().rstrip()
