"""A digest of what everybody at the table can know: two checks with the same digest are in the same state.

A face-down card enters by its commitment, never by its value: a hash of a hidden card would fall to 52 guesses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from protocols.cards import Card
from protocols.dealing.blackjack.play import Play
from protocols.dealing.table import Draw, State
from protocols.hidden import Hidden

_PLAIN: Final = (str, int, bool)


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


def _public(value: Any, covered: Mapping[int, str | None]) -> Any:
    kind = type(value)
    if value is None or kind in _PLAIN:
        return value
    if kind is Card:
        return str(value)
    if kind is tuple:
        return [_public(item, covered) for item in value]
    if kind is Draw and value.origin in covered:
        shown = {name: _public(getattr(value, name), covered) for name in _names(Draw) if name != "card"}
        return {**shown, "hidden": covered[value.origin]}
    if kind is Play:
        value = value.as_seen()
    if is_dataclass(kind):
        return {name: _public(getattr(value, name), covered) for name in _names(kind)}
    if isinstance(value, Mapping):
        return {key: _public(item, covered) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    raise TypeError(f"{kind.__name__} has no place in a state")


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
