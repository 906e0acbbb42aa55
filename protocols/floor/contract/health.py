"""`health`: how the daemon itself is, every ten seconds and whenever something changes; and its plain numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from protocols.floor.contract.wire import Alarms, Epoch, LastSeq, Seq, Source, Time, Wire
from protocols.records import LinkState


class Component(Wire):
    """A part of the daemon that has to answer."""

    ok: bool = Field(description="Whether it has answered in time.")
    waits_s: float = Field(ge=0, description="Seconds since its last answer was asked for; 0 where it has answered.")


class JournalHealth(Wire):
    """The journal and what the broker has of it."""

    last_seq: LastSeq
    published_seq: LastSeq
    confirmed_seq: LastSeq | None = Field(
        default=None, description="Up to this record the archive has confirmed all; absent where none has to."
    )
    first_seq: Seq | None = Field(
        default=None, description="From this record on the journal has all; of those before it at most single ones."
    )
    parked: int = Field(ge=0, description="Records that the broker refused and that were put aside.")
    trouble: str | None = Field(description="Why nothing can be written now; null where it can.")


class ClockHealth(Wire):
    """The computer's clock."""

    synchronised: bool | None = Field(description="Whether it follows a time server; null where that is not known.")


class Health(Wire):
    """How the daemon is."""

    dataschema: Literal["urn:shoewatch:health:1"] = "urn:shoewatch:health:1"
    source: Source
    epoch: Epoch
    time: Time
    version: str = Field(description="The daemon's version.")
    uptime_s: float = Field(ge=0, description="Seconds since the daemon began.")
    ok: bool = Field(description="Whether every component answers and there is no alarm.")
    components: dict[str, Component] = Field(description="By name, such as `the table`.")
    journal: JournalHealth
    links: dict[str, LinkState] = Field(description="By device: `shoe`, `reader`.")
    clock: ClockHealth
    memory_bytes: int | None = Field(ge=0, description="Resident memory; null where the system does not tell.")
    alarms: Alarms


Metric = Annotated[float, Field(allow_inf_nan=False, description="The number alone, as JSON writes it.")]
METRIC: TypeAdapter[float] = TypeAdapter(Metric)
"""The payload of `metric/<name>`."""
