"""Where the records of a table end: what the next one builds on, kept at each round's end for a quick return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from controller.by_hand import Entered, read_entered, written_entered
from controller.lasting import Lasting, What, lasting_after
from controller.withheld import Committed
from protocols.dealing.check import Check
from protocols.dealing.snapshot import snapshot
from protocols.events import EVENT, LogHeader, RoundClosed, RoundVoided, TableEvent, written
from protocols.hidden import Hidden
from protocols.records import Kind
from protocols.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the records of a table end: what the next one builds on.

    `seq`, `prev`: of the last record; `first_round`: the epoch's number of the header's first round;
    `withheld`: by the number of the event with which the card left the shoe, or of the peek; `told`: by ref, what
    the shoe has told of cards that go on lying face down; `lasting`: what holds over rounds and headers; `entered`: the
    cards by hand that are not brought together with what the shoe tells; `round_from`, `facts_from`: the records with
    which this round and the one before begin."""

    seq: int
    prev: str
    header: LogHeader
    check: Check
    first_round: int
    withheld: Mapping[int, Committed] = field(default_factory=dict)
    told: Mapping[str, Hidden] = field(default_factory=dict)
    lasting: Lasting = field(default_factory=dict)
    entered: Entered = field(default_factory=Entered)
    round_from: int = 1
    facts_from: int = 1

    def with_event(self, event: TableEvent, verdict: Verdict, instead: str | None = None) -> Standing:
        """The standing after the record `seq` of this event, which may end a round or begin what lasts; `instead`: why
        a person entered it in place of the shoe."""
        number = self.first_round - 1 + verdict.round
        entered = self.entered.after(event, verdict, self.check, self.seq, number, instead).at(self.round, self.check)
        after = replace(self, lasting=lasting_after(self.lasting, event, verdict), entered=entered)
        if not isinstance(event, RoundClosed | RoundVoided):
            return after
        return replace(after, told={}, round_from=self.seq + 1, facts_from=self.round_from)

    def with_record(self, kind: Kind, fields: Mapping[str, Any]) -> Standing:
        """The standing after the record `seq`, which is no table event."""
        return replace(self, entered=self.entered.noted(kind, fields))

    def with_header(self, header: LogHeader, check: Check) -> Standing:
        """The standing from which the record of another header is written: nothing is carried over."""
        following = self.seq + 1
        return replace(
            self,
            header=header,
            check=check,
            first_round=self.round,
            withheld={},
            told={},
            lasting={},
            entered=self.entered.at(self.round + 1, self.check),
            round_from=following,
            facts_from=following,
        )

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
    lasting = {what: written(event) for what, event in standing.lasting.items()}
    entered = written_entered(standing.entered)
    return json.dumps(fields | {"facts_from": standing.facts_from, "lasting": lasting, "entered": entered})


def read_by_hand(fields: Mapping[str, Any]) -> Entered:
    """What `written_standing` wrote of cards by hand, where it did; ValueError, LookupError or TypeError likewise."""
    return read_entered(fields["entered"]) if "entered" in fields else Entered()


def read_standing(text: str | None) -> Mapping[str, Any] | None:
    """The fields that `written_standing` wrote; None where the text is none of its."""
    try:
        fields: Mapping[str, Any] = json.loads(text or "null")
        numbers = [fields[name] for name in ("facts_from", "seq", "first_round")]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    whole = all(type(number) is int for number in numbers) and fields.keys() >= {"check", "lasting"}
    return fields if whole and 1 <= numbers[0] <= numbers[1] < 2**63 else None


def read_lasting(fields: Mapping[str, Any]) -> Lasting:
    """What `written_standing` wrote of what lasts; ValueError or LookupError where it is none of this version."""
    found: Mapping[What, Mapping[str, Any]] = fields["lasting"]
    return {what: EVENT.validate_json(json.dumps(event)) for what, event in found.items()}
