"""`evt/<kind>`: the records, each a CloudEvents 1.0 event in JSON, chained to the one before it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, WithJsonSchema

from protocols.events import Event
from protocols.floor.contract.facts import (
    DeviceData,
    HeaderData,
    InputData,
    InputId,
    LinkData,
    OrderData,
    Role,
    SecurityData,
    SignedBy,
)
from protocols.floor.contract.system import SystemData
from protocols.floor.contract.wire import Epoch, Hash, Seq, Source, Time, Wire
from protocols.verdicts import Verdict


class Disclosure(Wire):
    """What an earlier record withheld and committed to: SHA-256 over the nonce's 32 bytes and the UTF-8 of the epoch,
    that record's seq, the field and the value, with a line feed between each two."""

    seq: Seq
    field: Literal["card", "result"] = Field(description="Which field of its event was withheld.")
    value: str
    nonce: Hash = Field(description="32 random bytes, 64 hex digits.")


class Commitments(Wire):
    """The commitment to what this record withholds, by field of its event."""

    card: Hash | None = None
    result: Hash | None = None


class SaidBy(Wire):
    """The input of a person that the event is, or that added to it."""

    id: InputId
    role: Role
    key: SignedBy


class TableData(Wire):
    """An event of the game and what the check says of it."""

    kind: Literal["table"]
    n: int = Field(ge=1, description="The event's number behind the header in force, from 1.")
    round: int = Field(ge=0, description="The round's number in the epoch, from 1.")
    event: Annotated[Event, Field(discriminator="type")]
    verdict: Verdict
    commit: Commitments | None = None
    disclosed: tuple[Disclosure, ...] | None = None
    replayed: Literal[True] | None = Field(default=None, description="The device told it late, from its own memory.")
    age_s: Annotated[float | None, WithJsonSchema({"type": ["number", "null"]})] = Field(
        default=None,
        description="With a reader's answer: how many seconds ago it was given; null where that is not known.",
    )
    instead: Literal["away", "faulted"] | None = Field(
        default=None, description="Entered by a person because the shoe was away, or in error."
    )
    input: SaidBy | None = None
    state: Hash = Field(description="Of what is public of the table after the event: the same events give the same.")


def _kind(data: Any) -> Any:
    return data.get("kind") if isinstance(data, dict) else getattr(data, "kind", None)


Data = Annotated[
    Annotated[TableData, Tag("table")]
    | Annotated[HeaderData, Tag("header")]
    | Annotated[LinkData, Tag("link")]
    | Annotated[DeviceData, Tag("device")]
    | Annotated[OrderData, Tag("order")]
    | Annotated[InputData, Tag("input")]
    | Annotated[SecurityData, Tag("security")]
    | Annotated[SystemData, Tag("system")],
    Discriminator(_kind),
]


class Record(Wire):
    """One thing that happened. Source, epoch and seq together are its identity; whoever has seen them drops it."""

    specversion: Literal["1.0"]
    id: str = Field(description="Epoch and seq, with a dash between them.")
    source: Source
    type: str = Field(
        pattern="^shoewatch[.]",
        description="`shoewatch.table.` and the topic's last level for events of the game, else `shoewatch.` and the "
        "kind.",
        examples=["shoewatch.table.card-drawn", "shoewatch.link"],
    )
    time: Time
    dataschema: Literal["urn:shoewatch:record:1"]
    datacontenttype: Literal["application/json"]
    epoch: Epoch
    seq: Seq
    prev: Hash = Field(description="Of the payload before it in the chain; 64 zeros in the first record of an epoch.")
    sealed: Hash | None = Field(default=None, description="Of what the journal keeps sealed beside this record.")
    data: Data
