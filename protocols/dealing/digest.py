"""A digest of what everybody at the table can know: two checks with the same digest are in the same state.

A face-down card enters by its commitment, never by its value: a hash of a hidden card would fall to 52 guesses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from protocols.cards import Card
from protocols.dealing.blackjack.play import Play
from protocols.dealing.table import Draw, State
from protocols.hidden import Hidden


def digest(histories: Sequence[State], commitments: Mapping[int, str]) -> str:
    """Hex SHA-256 of the public state: the leading history, and the open round in the others.

    `commitments` by the event with which a hidden card left the shoe; a card that is hidden in one history enters so
    in all of them."""
    down = {draw.origin for state in histories for draw in state.draws if isinstance(draw.card, Hidden)}
    covered = {origin: commitments.get(origin) for origin in down}
    public = _public(histories[0], covered)
    if len(histories) > 1:
        public = [public, *(_public(state.round, covered) for state in histories[1:])]
    return hashlib.sha256(json.dumps(public, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _public(value: object, covered: Mapping[int, str | None]) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Draw) and value.origin in covered:
        shown = {field.name: getattr(value, field.name) for field in fields(value) if field.name != "card"}
        return {**_public(shown, covered), "hidden": covered[value.origin]}
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, Play):
        value = value.as_seen()
    if is_dataclass(value):
        return {field.name: _public(getattr(value, field.name), covered) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _public(item, covered) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_public(item, covered) for item in value]
    raise TypeError(f"{type(value).__name__} has no place in a state")
