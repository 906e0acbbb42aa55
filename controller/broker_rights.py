"""Who may write and read what on the broker: the access list that mosquitto reads. Pure.

A table's rights are patterns in which its user's name, `SITE/TABLE`, becomes two levels of the topic: a new table needs
nothing but its certificate. mosquitto knows no groups, so every other client has lines of its own, by its role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, get_args

from controller.config_values import LEVEL
from protocols.errors import ShoewatchError, did_you_mean, quoted
from protocols.floor.topics import ROOT

ClientRole = Literal["dashboard", "console", "archive", "home-assistant"]
CLIENT_ROLES: Final[tuple[ClientRole, ...]] = get_args(ClientRole)
NAME_LENGTH: Final = 64
"""What the common name of a certificate holds."""

_DISCOVERY: Final = "homeassistant"
_TABLE: Final = (
    ("write", "evt/#"),
    ("write", "state"),
    ("readwrite", "status"),
    ("write", "health"),
    ("write", "metric/#"),
    ("read", "cmd/+"),
    ("write", "cmd/+/ack"),
    ("read", "archive/#"),
)
_SHOWN: Final = ("evt/#", "state", "status", "health", "metric/#", "cmd/+/ack")
_ANY: Final = f"{ROOT}/+/+"
_OWN: Final[Mapping[ClientRole, tuple[str, ...]]] = {
    "dashboard": (),
    "console": (f"write {_ANY}/cmd/+",),
    "archive": (f"readwrite {_ANY}/archive/#", f"write {_ANY}/cmd/resend", f"read {_ANY}/cmd/+"),
    "home-assistant": (f"read {_DISCOVERY}/#", f"write {_DISCOVERY}/status"),
}
_HEAD: Final = (
    "# Who may write and read what. What is not listed is denied.",
    "# Every table by its certificate, which names SITE/TABLE: two levels of the topic.",
)


def table_user(site: str, table: str) -> str:
    """`SITE/TABLE`; ShoewatchError where one of them is no topic level, or both are too long for a certificate."""
    for name in (site, table):
        _level(name)
    user = f"{site}/{table}"
    if len(user) > NAME_LENGTH:
        raise ShoewatchError(f"{quoted(user)} is too long for a certificate ({NAME_LENGTH} characters with the '/')")
    return user


def client_user(role: str, name: str) -> str:
    """`ROLE.NAME`, which no table can be called; ShoewatchError where there is no such role, or the name is none."""
    if role not in CLIENT_ROLES:
        raise ShoewatchError(f"{quoted(role)} is no role{did_you_mean(role, CLIENT_ROLES)}")
    return f"{role}.{_level(name)}"


def access_list(clients: Iterable[str]) -> str:
    """The text of mosquitto's `acl_file` for all tables and these users; other names than `client_user` gives are
    left out, since tables need no lines of their own."""
    known = [(user, role) for user in clients if (role := _role(user)) is not None]
    return "\n".join([*_HEAD, *_for_tables(), *(line for user, role in known for line in _for_client(user, role)), ""])


def _role(user: str) -> ClientRole | None:
    return next((role for role in CLIENT_ROLES if user.startswith(f"{role}.")), None)


def _for_tables() -> Iterator[str]:
    yield from (f"pattern {right} {ROOT}/%u/{topic}" for right, topic in _TABLE)
    yield f"pattern write {_DISCOVERY}/device/%u/config"


def _for_client(user: str, role: ClientRole) -> Iterator[str]:
    """Denied is what the tables' patterns would give to a user of this name."""
    yield f"\nuser {user}"
    yield f"topic deny {ROOT}/{user}/#"
    yield f"topic deny {_DISCOVERY}/device/{user}/config"
    yield from (f"topic read {_ANY}/{topic}" for topic in _SHOWN)
    yield from (f"topic {right}" for right in _OWN[role])


def _level(name: str) -> str:
    if not LEVEL.fullmatch(name):
        raise ShoewatchError(f"{quoted(name)} is no level of a topic (1 to 32 of a-z, 0-9 and -)")
    return name
