"""The keys of people, consoles and tables that are known at a site, `keys.toml`:

    [9f86d081884c7d65]
    name = "bj-07"
    roles = ["table"]
    public_key = "<64 hex digits>"
    added = "2026-11-30T07:03:48.143Z"

One section a key, named by its id. `revoked`, a time too, ends the trust in what it signs later. All in it is public;
whoever can write it decides who is trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, get_args

from protocols.errors import ConfigError, ShoewatchError, did_you_mean, quoted
from protocols.floor.checkpoints import key_id
from protocols.texts import TextError, read_toml

Role = Literal["supervisor", "dealer", "console", "archive", "table"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_HEX_32: Final = re.compile(r"[0-9a-fA-F]{64}")
_NAME_LENGTH: Final = 64
_FIELDS: Final = frozenset({"name", "roles", "public_key", "added", "revoked"})
_HEAD: Final = (
    "# Whose signatures are trusted here, and in which roles. `shoewatch keys` adds and revokes, and writes the file\n"
    "# anew with that: a comment of yours is lost.\n"
)


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A public key of 32 bytes, whose it is, and what it may sign; `added`, `revoked`: RFC 3339."""

    name: str
    roles: tuple[Role, ...]
    public_key: bytes
    added: str
    revoked: str | None = None

    def was_trusted(self, role: Role, time: str) -> bool:
        """Whether it had this role, and was not revoked at this time (RFC 3339)."""
        held = self.revoked is None or datetime.fromisoformat(time) < datetime.fromisoformat(self.revoked)
        return role in self.roles and held


KeyRegistry = Mapping[str, KnownKey]
"""By the keys' ids."""


def parse_keys(text: str, where: str) -> KeyRegistry:
    """The keys in the text of the file `where`; ConfigError with every mistake in it."""
    try:
        document = read_toml(text)
    except TextError as error:
        raise ConfigError(where, [f"is no TOML: {error}"]) from None
    problems = [f"{name}: {problem}" for name, section in document.items() for problem in _wrong(name, section)]
    if problems:
        raise ConfigError(where, problems)
    return {name: _known(section) for name, section in document.items()}


def write_keys(registry: KeyRegistry) -> str:
    """The text that `parse_keys` reads back, in the order in which they came."""
    return _HEAD + "".join(_section(name, key) for name, key in registry.items())


def with_key(registry: KeyRegistry, key: KnownKey) -> KeyRegistry:
    """The registry with one key more; ShoewatchError where it is there already."""
    name = key_id(key.public_key)
    if name in registry:
        known = registry[name]
        state = f"was revoked {known.revoked}" if known.revoked else "is there already"
        raise ShoewatchError(
            f"key {name} of {quoted(known.name)} {state}; another key is made with: shoewatch keys new"
        )
    return {**registry, name: key}


def without_key(registry: KeyRegistry, name: str, time: str) -> KeyRegistry:
    """The registry in which this key is trusted no more from this time on; ShoewatchError where there is none."""
    if name not in registry:
        known = did_you_mean(name, registry) if registry else " (it knows none)"
        raise ShoewatchError(f"the registry does not know key {quoted(name)}{known}")
    if registry[name].revoked is not None:
        raise ShoewatchError(f"key {name} was revoked {registry[name].revoked} already")
    return {**registry, name: replace(registry[name], revoked=time)}


def read_public_key(text: str) -> bytes:
    """A public key as people hand it on, 64 hex digits; ShoewatchError else."""
    if not _HEX_32.fullmatch(text):
        raise ShoewatchError(f"{quoted(text)} is no public key (64 hex digits, as `shoewatch keys show` prints it)")
    return bytes.fromhex(text)


def read_roles(names: Sequence[str]) -> tuple[Role, ...]:
    """At least one role, each once; ShoewatchError else."""
    for name in names:
        if name not in ROLES:
            raise ShoewatchError(f"{quoted(name)} is no role{did_you_mean(name, ROLES)}")
    if not names:
        raise ShoewatchError(f"a key needs a role ({', '.join(ROLES)})")
    return tuple(role for role in ROLES if role in names)


def read_name(text: str) -> str:
    """Whose a key is; ShoewatchError where that cannot be printed."""
    if not text.isprintable() or not 1 <= len(text.strip()) <= len(text) <= _NAME_LENGTH:
        raise ShoewatchError(f"{quoted(text)} is no name (1 to {_NAME_LENGTH} printable characters)")
    return text


def _wrong(name: str, section: Any) -> Iterator[str]:
    if not isinstance(section, dict):
        yield "is no section (right would be [KEY_ID] with name, roles, public_key, added)"
        return
    for unknown in sorted(section.keys() - _FIELDS):
        yield f"{unknown}: unknown key{did_you_mean(unknown, _FIELDS)}"
    try:
        read_name(str(section.get("name", "")))
        roles = section.get("roles")
        read_roles(roles if isinstance(roles, list) and all(isinstance(each, str) for each in roles) else [])
        public_key = read_public_key(str(section.get("public_key", "")))
    except ShoewatchError as error:
        yield str(error)
        return
    if key_id(public_key) != name:
        yield f"this is the section of key {key_id(public_key)}: its name is made from its public_key"
    for field in ("added", "revoked") if "revoked" in section else ("added",):
        if not _is_time(section.get(field)):
            yield f'{field}: must be a time such as "2026-11-30T07:03:48.143Z"'


def _is_time(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _known(section: Mapping[str, Any]) -> KnownKey:
    public_key = bytes.fromhex(section["public_key"])
    return KnownKey(section["name"], read_roles(section["roles"]), public_key, section["added"], section.get("revoked"))


def _section(name: str, key: KnownKey) -> str:
    values = {"name": key.name, "roles": list(key.roles), "public_key": key.public_key.hex(), "added": key.added}
    if key.revoked is not None:
        values["revoked"] = key.revoked
    return f"\n[{name}]\n" + "".join(f"{field} = {json.dumps(value)}\n" for field, value in values.items())
