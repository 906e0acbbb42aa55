"""What a command of the floor can be: by its name, what it says at the table, and in which roles. Pure.

`cmd/player-acted` is what the panel takes as `player.acted`; it comes back as `evt/player-acted`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from controller.inputs import MAY_SAY
from controller.spoken_orders import OF_A_CONSOLE, ORDERS
from protocols.errors import did_you_mean, quoted
from protocols.floor.commands import Body, Command, Objection, Void
from protocols.floor.messages import event_name
from protocols.keys import KnownKey, Role
from protocols.records import ReaderInspected, Resend, Resolution

_Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Word:
    """`roles`: those that may say it, the lowest first; `input`: the panel's input, from the command's fields and the
    name of the key; `own`: the fields that the name stands for, which a command does not say."""

    roles: tuple[Role, ...]
    input: Callable[[_Fields, str], dict[str, Any]]
    own: frozenset[str] = frozenset()


def _event(name: str) -> Word:
    roles: tuple[Role, ...] = ("dealer", "supervisor") if name in MAY_SAY["dealer"] else ("supervisor",)
    return Word(roles, lambda fields, _: {"type": name, **fields}, frozenset({"type", "actor"}))


def _order(name: str) -> Word:
    roles: tuple[Role, ...] = ("console", "supervisor") if name in OF_A_CONSOLE else ("supervisor",)
    return Word(roles, lambda fields, _: {"order": name, **fields}, frozenset({"order"}))


def _alone(word: str, *roles: Role, named: str | None = None) -> Word:
    """`named`: the field that says who it is, which is the key's owner where it is left out."""
    return Word(roles, lambda fields, who: {word: {**({named: who} if named else {}), **fields}})


def _level(name: str) -> str:
    return event_name({"event": {"type": name}})


WORDS: Final[Mapping[str, Word]] = {
    **{_level(name): _event(name) for name in sorted(MAY_SAY["supervisor"])},
    **{_level(name): _order(name) for name in ORDERS},
    "next": _alone("next", "dealer", "supervisor"),
    ReaderInspected.name: _alone(ReaderInspected.name, "supervisor", named="by"),
    Resolution.name: _alone(Resolution.name, "supervisor", named="who"),
    Resend.name: _alone(Resend.name, "archive", "console", "supervisor"),
}
"""By the name of the command."""


def read_input(command: Command, body: Body, key: KnownKey) -> dict[str, Any]:
    """What the panel would be told; Void where that cannot be a command."""
    word = WORDS.get(command.name)
    if word is None:
        raise Void(
            "unknown_name", f"no command is named {quoted(command.name)}{did_you_mean(command.name, WORDS)}", command.id
        )
    for name in sorted(word.own & body.fields.keys()):
        raise Void("malformed", f"field 'body': {name!r} is said by the command's name and its key", command.id)
    if command.name == "card-drawn" and body.fields.get("card") is not None and body.fields.get("face") != "up":
        why = 'field \'body\': the value of a card goes over the network only where it lies face up ("face":"up")'
        raise Void("hidden_value", why, command.id)
    return word.input(body.fields, key.name)


def acting_role(name: str, held: Collection[Role]) -> Role | None:
    """The lowest of these roles that may say it, None where none of them may."""
    word = WORDS.get(name)
    return next((role for role in word.roles if role in held), None) if word else None


def not_permitted(name: str, key: KnownKey) -> Objection:
    """Why a key without any of its roles says nothing of the kind."""
    may, has = " or ".join(WORDS[name].roles), ", ".join(key.roles)
    return Objection("not_permitted", f"{name}: only a {may} says this; the key of {quoted(key.name)} has: {has}")
