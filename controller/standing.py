"""Where the records of a table end: what the next one builds on, kept at each round's end for a quick return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from controller.withheld import Committed
from protocols.dealing.check import Check
from protocols.dealing.snapshot import snapshot
from protocols.events import LogHeader, RoundClosed, RoundVoided, TableEvent
from protocols.hidden import Hidden


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the records of a table end: what the next one builds on.

    `seq`, `prev`: of the last record; `first_round`: the epoch's number of the header's first round;
    `withheld`: by the number of the event with which the card left the shoe, or of the peek; `told`: by ref, what
    the shoe has told of cards that go on lying face down; `round_from`, `facts_from`: the records with which this
    round and the one before begin."""

    seq: int
    prev: str
    header: LogHeader
    check: Check
    first_round: int
    withheld: Mapping[int, Committed] = field(default_factory=dict)
    told: Mapping[str, Hidden] = field(default_factory=dict)
    round_from: int = 1
    facts_from: int = 1

    def with_round_of(self, event: TableEvent) -> Standing:
        """The standing after the record `seq` of this event, which may end a round."""
        if not isinstance(event, RoundClosed | RoundVoided):
            return self
        return replace(self, told={}, round_from=self.seq + 1, facts_from=self.round_from)

    def with_told(self, ref: str, value: Hidden) -> Standing:
        """The standing once the shoe has told what lies there."""
        return replace(self, told={**self.told, ref: value})

    @property
    def round(self) -> int:
        """The current round of the epoch."""
        return self.first_round - 1 + self.check.state.round.number


def written_standing(standing: Standing) -> str | None:
    """Where the table stands, for a quick return to it; None while something lies face down."""
    check = snapshot(standing.check)
    if check is None:
        return None
    fields = {"seq": standing.seq, "first_round": standing.first_round, "check": check}
    return json.dumps(fields | {"facts_from": standing.facts_from})
