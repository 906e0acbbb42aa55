"""The topics of one table. Levels hold only a-z, 0-9 and `-`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocols.floor.messages import event_name

ROOT = "casino/v1"


@dataclass(frozen=True, slots=True)
class Topics:
    """Everything that a table writes or reads on the broker."""

    site: str
    table: str

    @property
    def base(self) -> str:
        return f"{ROOT}/{self.site}/{self.table}"

    @property
    def status(self) -> str:
        return f"{self.base}/status"

    @property
    def state(self) -> str:
        return f"{self.base}/state"

    @property
    def health(self) -> str:
        return f"{self.base}/health"

    def metric(self, name: str) -> str:
        return f"{self.base}/metric/{name}"

    @property
    def all_events(self) -> str:
        return f"{self.base}/evt/#"

    @property
    def all_commands(self) -> str:
        return f"{self.base}/cmd/+"

    def command(self, name: str) -> str:
        return f"{self.base}/cmd/{name}"

    def answer(self, name: str) -> str:
        """Where the answer to a command of this name goes."""
        return f"{self.command(name)}/ack"

    @property
    def archive_ack(self) -> str:
        return f"{self.base}/archive/ack"

    @property
    def archive_hello(self) -> str:
        return f"{self.base}/archive/hello"

    def event(self, data: Mapping[str, Any]) -> str:
        """The topic of a record, from the message's `data`."""
        kind = event_name(data) if data["kind"] == "table" else data["kind"]
        return f"{self.base}/evt/{kind}"
