"""`state`, retained: how the table stands, for whoever comes late; nothing in it tells what lies face down."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from protocols.dealing.model import Family, Method
from protocols.dealing.options import OptionValue
from protocols.events import Place
from protocols.floor.contract.wire import Alarms, CardText, Epoch, LastSeq, Seq, Source, Time, Wire
from protocols.records import LinkState


class RoundStanding(Wire):
    """The round that is open, or the last one."""

    number: int = Field(ge=0, description="Of the epoch, from 1; 0 before the first round.")
    open: bool = Field(description="Whether it was opened and neither closed nor voided.")
    disputed: bool = Field(description="Whether a mistake in it has no remedy that the procedure prescribes.")
    judged: bool = Field(description="Whether it is judged; not where cards of it may have been missed.")


class HandStanding(Wire):
    """The cards at one place."""

    place: Place | Literal["outside", "unknown"] = Field(
        description="Where they lie; `outside` of every hand, `unknown` where nobody told."
    )
    cards: tuple[CardText | None, ...] = Field(
        description="In the order in which they came; null for one that lies face down or was not read."
    )


class ShoeStanding(Wire):
    """The shoe, as far as it tells."""

    faulted: bool = Field(description="Whether it is in error, so that its cards are not believed.")
    cutting_card: bool | None = Field(description="Whether the cutting card has shown; null where that is not known.")
    drawn: int | None = Field(ge=0, description="Cards drawn since it was loaded; null where that is not known.")


class ReaderStanding(Wire):
    """The reader of the hole card."""

    out: bool = Field(description="Whether it is out of use, so that the table deals without its peek.")
    code: str | None = Field(description="Why it is out, such as `link-lost`; null where it is not, or nobody said.")


class LastFinding(Wire):
    """The last verdict of the round that was not `ok`."""

    seq: Seq
    outcome: Literal["warning", "violation", "unobservable"]
    code: str | None = Field(description="The short name of what was found, such as `extra_card`.")
    rule: str | None = Field(description="The paragraph of the procedure.")
    detail: str | None = Field(description="One sentence for a supervisor.")


class LinkStanding(Wire):
    """The link of one device."""

    state: LinkState
    since: Time
    loss: str | None = Field(description="How it was lost when it last was, such as `gone`; null where it never was.")
    losses: int = Field(ge=0, description="How often it was lost since the daemon began.")


class State(Wire):
    """How the table stands after record `seq`. It is no record: a newer state replaces an older one, and some are
    left out where records come fast."""

    dataschema: Literal["urn:shoewatch:state:1"] = "urn:shoewatch:state:1"
    source: Source
    epoch: Epoch
    seq: LastSeq
    time: Time
    procedure: str = Field(description="The id of the dealing procedure in force.", examples=["nj-ms-shoe"])
    family: Family = Field(description="The family of games that is dealt.")
    options: dict[str, OptionValue] = Field(description="Every option of the procedure with the value in force.")
    method: Method | None = Field(
        description="How the dealer's second card is dealt in this round; null in games without one."
    )
    round: RoundStanding
    hands: tuple[HandStanding, ...] = Field(description="The hands that have cards, in the table's order.")
    shoe: ShoeStanding
    reader: ReaderStanding | None = Field(description="Null at a table without a reader.")
    due: tuple[str, ...] = Field(
        description="The acts that are right now, from what everybody can see; empty where nobody can say."
    )
    remarks: tuple[str, ...] = Field(description="What dealer and supervisor should know, one sentence each.")
    last: LastFinding | None = Field(description="Null where this round has none.")
    links: dict[str, LinkStanding] = Field(description="By device: `shoe`, `reader`.")
    alarms: Alarms
