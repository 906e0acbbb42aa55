"""The messages and channels of a table: names, versions, directions, and how each is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from protocols.floor.contract.archive import ARCHIVE_ACK, ArchiveHello
from protocols.floor.contract.commands import Ack, Command, CommandBody, ResendBody
from protocols.floor.contract.health import METRIC, Health
from protocols.floor.contract.records import Record
from protocols.floor.contract.state import State
from protocols.floor.contract.status import Status
from protocols.floor.topics import Topics


@dataclass(frozen=True, slots=True)
class Described:
    """A kind of message. `heard`: the table reads it, and refuses fields that are not in it; of what the table itself
    says a reader must expect more fields than these."""

    name: str
    version: int
    model: TypeAdapter[Any]
    heard: bool = False

    @property
    def urn(self) -> str:
        return f"urn:shoewatch:{self.name}:{self.version}"

    @property
    def file(self) -> str:
        """Where `schema write` puts it."""
        return f"{self.name}-{self.version}.json"


@dataclass(frozen=True, slots=True)
class Channel:
    """A topic. `below`: its levels below the table's, with parameters in braces; `message`: the name of what is said
    there; `action`: what the table does; `answered`: the channel of the answers."""

    name: str
    below: str
    message: str
    action: Literal["send", "receive"]
    qos: Literal[0, 1]
    retain: bool
    about: str
    answered: str | None = None

    @property
    def address(self) -> str:
        return f"{Topics('{site}', '{table}').base}/{self.below}"


MESSAGES: Final[Mapping[str, Described]] = {
    each.name: each
    for each in (
        Described("record", 1, TypeAdapter(Record)),
        Described("status", 1, TypeAdapter(Status)),
        Described("state", 1, TypeAdapter(State)),
        Described("health", 1, TypeAdapter(Health)),
        Described("metric", 1, METRIC),
        Described("command", 1, TypeAdapter(Command), heard=True),
        Described("command-body", 1, TypeAdapter(CommandBody), heard=True),
        Described("resend-body", 1, TypeAdapter(ResendBody), heard=True),
        Described("ack", 1, TypeAdapter(Ack)),
        Described("archive-ack", 1, ARCHIVE_ACK, heard=True),
        Described("archive-hello", 1, TypeAdapter(ArchiveHello), heard=True),
    )
}

CHANNELS: Final[Mapping[str, Channel]] = {
    each.name: each
    for each in (
        Channel(
            "events", "evt/{kind}", "record", "send", 1, False, "Every record, in order, at least once, never skipped."
        ),
        Channel(
            "status", "status", "status", "send", 1, True, "Whether the daemon is there; the connection's will says no."
        ),
        Channel("state", "state", "state", "send", 1, True, "How the table stands; the newest replaces the others."),
        Channel(
            "health", "health", "health", "send", 1, False, "How the daemon is, every ten seconds and on a change."
        ),
        Channel("metrics", "metric/{name}", "metric", "send", 0, False, "One number, every ten seconds."),
        Channel("commands", "cmd/{name}", "command", "receive", 1, False, "What the floor wants.", answered="acks"),
        Channel("acks", "cmd/{name}/ack", "ack", "send", 1, False, "What came of a command."),
        Channel("archive-acks", "archive/ack", "archive-ack", "receive", 1, False, "What the archive has, or lacks."),
        Channel("archive-hello", "archive/hello", "archive-hello", "receive", 1, False, "The archive has begun."),
    )
}

PARAMETERS: Final[Mapping[str, str]] = {
    "site": "The site, as it is configured: a-z, 0-9 and dashes.",
    "table": "The table, as it is configured: a-z, 0-9 and dashes.",
    "kind": "Of an event of the game its type with dashes for dots and underscores (`card-drawn`), else the record's "
    "kind (`header`, `link`, `device`, `order`, `input`, `security`, `system`).",
    "name": "Which command, or which number.",
}
