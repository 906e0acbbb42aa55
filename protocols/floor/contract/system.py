"""What the records of kind `system` say: of the daemon itself, its journal and its keys."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from protocols.floor.contract.wire import Hash, KeyId, PublicKey, Seq, Signature, Time, Wire


class Nothing(Wire):
    """There is nothing more to say."""


class DeviceAtStart(Wire):
    """A device as the daemon is configured for it."""

    protocol: str = Field(description="Which protocol it speaks, such as `angel-eye`.")
    assurance: str = Field(description="What proves that it is this device: `key-bound` or `unauthenticated`.")
    loss_detection: str = Field(
        description="How surely it shows that something was missed: `complete`, `weak` or `none`."
    )


class AtStart(Wire):
    """Under what the daemon began."""

    version: str = Field(description="The daemon's version.")
    procedure: str | None = Field(description="The id of the configured procedure.")
    devices: dict[str, DeviceAtStart] = Field(description="By device.")
    vault_key: KeyId


class ClockStep(Wire):
    """Somebody has set the clock."""

    by_s: float = Field(description="By how many seconds, negative where it was put back.")


class DiskFull(Wire):
    """For a time nothing could be written; it is over."""

    why: str
    from_: Annotated[Time, Field(alias="from")]
    to: Time
    waited: int = Field(ge=0, description="How many records had to wait.")


class KeptRecord(Wire):
    """A record that stays though those around it went."""

    seq: Seq
    hash: Hash


class Pruned(Wire):
    """Old records went out of the journal; those that were published are not taken back."""

    through: Seq
    hash: Hash
    kept: tuple[KeptRecord, ...]


class Parked(Wire):
    """The broker refused a record, which was put aside."""

    seq: Seq
    kind: str = Field(description="The record's kind.")
    reason: str


class CheckpointMade(Wire):
    """The table's signature under its chain: Ed25519 over the UTF-8 of epoch, seq and hash, with a line feed between
    each two. `seq` and `hash` are those of the record before this one."""

    seq: Seq
    hash: Hash
    signature: Signature
    key_id: KeyId
    public_key: PublicKey


class KeyChanged(Wire):
    """Another key signs from here on."""

    from_: Annotated[KeyId, Field(alias="from")]
    to: KeyId
    public_key: PublicKey


class VaultKeyChanged(Wire):
    """Another key seals from here on."""

    from_: Annotated[KeyId, Field(alias="from")]
    to: KeyId


class _System(Wire):
    kind: Literal["system"]


class Started(_System):
    what: Literal["start"]
    data: AtStart


class Stopped(_System):
    what: Literal["stop"]
    data: Nothing


class ClockStepped(_System):
    what: Literal["clock.stepped"]
    data: ClockStep


class DiskWasFull(_System):
    what: Literal["disk.full"]
    data: DiskFull


class JournalPruned(_System):
    what: Literal["journal.pruned"]
    data: Pruned


class RecordParked(_System):
    what: Literal["record.parked"]
    data: Parked


class Checkpointed(_System):
    what: Literal["checkpoint"]
    data: CheckpointMade


class SigningKeyChanged(_System):
    what: Literal["key.changed"]
    data: KeyChanged


class SealingKeyChanged(_System):
    what: Literal["vault_key.changed"]
    data: VaultKeyChanged


SystemData = Annotated[
    Started
    | Stopped
    | ClockStepped
    | DiskWasFull
    | JournalPruned
    | RecordParked
    | Checkpointed
    | SigningKeyChanged
    | SealingKeyChanged,
    Field(discriminator="what"),
]
