"""A digest of what everybody at the table can know: two checks with the same digest are in the same state.

A face-down card enters by its commitment, never by its value: a hash of a hidden card would fall to 52 guesses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from protocols.cards import Card
from protocols.dealing.blackjack.play import Play
from protocols.dealing.table import Draw, State
from protocols.hidden import Hidden


def digest(state: State, commitments: Mapping[int, str]) -> str:
    """Hex SHA-256 of the public state; `commitments` by the event with which a hidden card left the shoe."""
    public = _public(state, commitments)
    return hashlib.sha256(json.dumps(public, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _public(value: object, commitments: Mapping[int, str]) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Draw) and isinstance(value.card, Hidden):
        shown = {field.name: getattr(value, field.name) for field in fields(value) if field.name != "card"}
        return {**_public(shown, commitments), "hidden": commitments.get(value.origin)}
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, Play):
        value = value.as_seen()
    if is_dataclass(value):
        return {field.name: _public(getattr(value, field.name), commitments) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _public(item, commitments) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_public(item, commitments) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in a state")
