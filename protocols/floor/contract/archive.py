"""`archive/ack` and `archive/hello`: what the floor's archive has of a table's records, and what it wants again."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter

from protocols.floor.contract.wire import Epoch, Seq, Wire


class Stored(Wire):
    """Every record of this epoch up to `seq` is stored for good."""

    epoch: Epoch
    seq: Seq


class Wanted(Wire):
    """Record `nak` of this epoch is wanted again, and what follows it."""

    epoch: Epoch
    nak: Seq


ARCHIVE_ACK: Final[TypeAdapter[Stored | Wanted]] = TypeAdapter(Stored | Wanted)
"""The payload of `archive/ack`."""


class ArchiveHello(Wire):
    """The archive has begun: what it has not confirmed is wanted again."""
