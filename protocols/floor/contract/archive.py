"""`archive/ack` and `archive/hello`: what the floor's archive has of a table's records, and what it wants again."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from protocols.floor.contract.wire import Epoch, Seq, Wire


class ArchiveAck(Wire):
    """One of the two. `seq`: every record of this epoch up to it is stored for good; `nak`: this one and what follows
    are wanted again."""

    epoch: Epoch
    seq: Seq | None = None
    nak: Seq | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.seq is None) == (self.nak is None):
            raise ValueError("one of the two: seq or nak")
        return self


class ArchiveHello(Wire):
    """The archive has begun: what it has not confirmed is wanted again."""
