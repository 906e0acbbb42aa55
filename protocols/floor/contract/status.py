"""`status`, retained and the connection's will: whether the daemon of a table is there."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from protocols.floor.contract.wire import Alarms, Epoch, Wire


class Status(Wire):
    """Whether the daemon of this table is connected. It is published on every connection and is the connection's will;
    it says nothing of the table's devices."""

    dataschema: Literal["urn:shoewatch:status:1"] = "urn:shoewatch:status:1"
    status: Literal["online", "offline"] = Field(
        description="`offline` after a stop, and from the broker once it has lost the daemon."
    )
    epoch: Epoch
    boot: str = Field(
        description="The run of the computer's system; another one means that the computer was restarted."
    )
    insecure: bool = Field(description="Whether messages cross a network in plain text, which the site has allowed.")
    alarms: Alarms
