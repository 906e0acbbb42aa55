"""The message that a record becomes: made once, then stored, hashed and published as it is.

CloudEvents 1.0 attributes around the record's data; `prev` chains each message to the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from protocols.records import Kind


@dataclass(frozen=True, slots=True)
class Source:
    """Who speaks: one table of one site, within one epoch of its journal."""

    site: str
    table: str
    epoch: str

    @property
    def path(self) -> str:
        return f"/{self.site}/{self.table}"


def message(
    source: Source,
    seq: int,
    prev: str,
    time: str,
    kind: Kind,
    data: Mapping[str, Any],
    sealed: bytes | None = None,
) -> bytes:
    """The bytes of one record. `time` RFC 3339 UTC; `prev` hex SHA-256 of the message before; `sealed` what the
    journal keeps sealed beside it, of which only the hash is published."""
    fields: dict[str, Any] = {
        "specversion": "1.0",
        "id": f"{source.epoch}-{seq}",
        "source": source.path,
        "type": f"shoewatch.{kind}" if kind != "table" else f"shoewatch.table.{event_name(data)}",
        "time": time,
        "dataschema": "urn:shoewatch:record:1",
        "datacontenttype": "application/json",
        "epoch": source.epoch,
        "seq": seq,
        "prev": prev,
    }
    if sealed is not None:
        fields["sealed"] = hashlib.sha256(sealed).hexdigest()
    fields["data"] = {"kind": kind, **data}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def event_name(data: Mapping[str, Any]) -> str:
    """`card-drawn` for a record that carries a `card.drawn`: a dot is no part of a topic level."""
    return str(data["event"]["type"]).replace(".", "-").replace("_", "-")


def digest(body: bytes) -> str:
    """The hex SHA-256 that the next message names as `prev`."""
    return hashlib.sha256(body).hexdigest()
