"""`cmd/<name>` and `cmd/<name>/ack`: what the floor wants of a table, and what came of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from protocols.floor.contract.facts import Range
from protocols.floor.contract.wire import Epoch, Hash, KeyId, LastSeq, Seq, Signature, Source, Time, Wire
from protocols.verdicts import Verdict

CommandName = Annotated[
    str,
    Field(
        pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
        max_length=64,
        description="The last level of the topic.",
        examples=["round-opened"],
    ),
]
CommandId = Annotated[
    str, Field(min_length=1, max_length=64, description="The sender's own; the same id again is the same command.")
]


class Command(Wire):
    """An order under a signature: Ed25519 over the UTF-8 of id, table, name, issued, not_after and body, with a line
    feed between each two."""

    id: CommandId
    table: Source
    name: CommandName
    issued: Time
    not_after: Time
    key: KeyId
    body: str = Field(
        description="A JSON object as text, so that what is signed is what is read.",
        json_schema_extra={"contentMediaType": "application/json"},
    )
    signature: Signature

    def signed(self) -> bytes:
        """What the signature is made over."""
        return "\n".join((self.id, self.table, self.name, self.issued, self.not_after, self.body)).encode()


class CommandBody(Wire):
    """What every body says; the rest are the fields that the panel takes for the same input."""

    model_config = ConfigDict(extra="allow")

    epoch: Epoch
    based_on: LastSeq = Field(
        description="The last record that the sender knew; refused where its round is over since."
    )

    @property
    def fields(self) -> dict[str, Any]:
        """What the panel would be told."""
        return dict(self.model_extra or {})


class ResendBody(Wire):
    """The body of `resend`: the records that are wanted once more, both ends included; without `to` all from there
    on."""

    epoch: Epoch
    based_on: LastSeq
    from_: Annotated[Seq, Field(alias="from")]
    to: Seq | None = None


class Ack(Wire):
    """What came of a command. `seq`: the record that it is in; `verdict`: what the check said of its event; `resend`:
    the records that will be sent again; `why`: why it came to nothing."""

    dataschema: Literal["urn:shoewatch:ack:1"] = "urn:shoewatch:ack:1"
    id: str = Field(description="The command's.")
    ok: bool = Field(description="Whether it was done.")
    seq: Seq | None = None
    verdict: Verdict | None = None
    resend: Range | None = None
    why: str | None = Field(default=None, description="One sentence for a person, where it was not done.")
    code: str | None = Field(default=None, description="The same as one word, such as `expired`.")
    command: Hash = Field(description="Of the command's payload, so that an answer is told from that to another one.")
