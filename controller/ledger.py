"""Facts become records: checked, numbered, chained, with what lies face down sealed and committed to.

No I/O but the clocks: the ledger can be driven by a journal that is read again, and gives the same records."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from controller.clock import Clock
from controller.journal_file import Row
from controller.vault import Secret, Vault
from protocols.cards import Card
from protocols.dealing.blackjack.hands import hole_card
from protocols.dealing.check import Check
from protocols.dealing.digest import digest as state_digest
from protocols.dealing.model import Procedure
from protocols.dealing.snapshot import snapshot
from protocols.errors import LogError
from protocols.events import (
    CardDrawn,
    CardRevealed,
    HoleRevealed,
    LogHeader,
    ReaderPeeked,
    RoundClosed,
    RoundVoided,
    TableEvent,
    written,
)
from protocols.floor.commitments import NONCE_BYTES, commitment
from protocols.floor.messages import Source, digest, message
from protocols.hidden import Hidden, hide_text, opened, opened_text
from protocols.records import DeviceReported, Fact, Kind, PlainFact, body_of
from protocols.verdicts import VERDICT, Verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """The records of one fact, the verdict where it was a table event, and where the table stands if a round ended."""

    rows: tuple[Row, ...]
    verdict: Verdict | None = None
    snapshot: str | None = None

    @property
    def seq(self) -> int:
        """The record of the fact itself."""
        return self.rows[-1].seq


@dataclass(frozen=True, slots=True)
class Committed:
    """What was withheld and committed to in record `seq`: the event's field `name`."""

    seq: int
    name: Literal["card", "result"]
    commit: str
    secret: Secret


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


class SaidBy(Protocol):
    """An input of a person, named by role and id."""

    @property
    def id(self) -> str: ...

    @property
    def role(self) -> str: ...


class Ledger:
    """`wanted`: the header that should be in force; it comes into force between rounds."""

    def __init__(
        self, source: Source, standing: Standing, wanted: LogHeader, procedure: Procedure, vault: Vault, clock: Clock
    ) -> None:
        self._source = source
        self._standing = standing
        self._wanted = wanted
        self._procedure = procedure
        self._vault = vault
        self._clock = clock

    @property
    def standing(self) -> Standing:
        return self._standing

    @property
    def check(self) -> Check:
        """The check that the next event comes to."""
        return Check.start(self._wanted, self._procedure) if self._header_changes() else self._standing.check

    def due(self) -> tuple[str, ...]:
        """What is right next at the table."""
        return self._standing.check.due()

    def enter(self, fact: Fact, mono_ns: int, said_by: SaidBy | None = None, *, replayed: bool = False) -> Entry:
        """The records that this fact becomes, in order; `said_by`: the input that it is, or that added to it;
        `replayed`: the device told it late."""
        before = self._change_header(mono_ns)
        if isinstance(fact, CardRevealed) and self._standing.check.stays_down(fact):
            return Entry((*before, self._told_early(fact, mono_ns)))
        if isinstance(fact, HoleRevealed) and fact.card is None:
            fact = fact.model_copy(update={"card": self._hole_as_told()})
        if not isinstance(fact, TableEvent):
            return Entry((*before, self._plain(fact, mono_ns)))
        try:
            row, verdict = self._table(fact, mono_ns, said_by, replayed=replayed)
        except LogError as error:
            told = {"event": fact.name, "why": str(error)} | ({"eseq": fact.seq} if fact.actor else {})
            impossible = DeviceReported(fact.actor or "shoe", "impossible", told)
            return Entry((*before, self._plain(impossible, mono_ns)))
        ended = isinstance(fact, RoundClosed | RoundVoided)
        return Entry((*before, row), verdict, written_standing(self._standing) if ended else None)

    def _header_changes(self) -> bool:
        standing = self._standing
        return standing.header != self._wanted and not standing.check.state.round.opened

    def _change_header(self, mono_ns: int) -> tuple[Row, ...]:
        if not self._header_changes():
            return ()
        standing = self._standing
        self._standing = replace(
            standing,
            header=self._wanted,
            check=Check.start(self._wanted, self._procedure),
            first_round=standing.round,
            withheld={},
            round_from=standing.seq + 1,
            facts_from=standing.seq + 1,
        )
        return (self.header(mono_ns),)

    def header(self, mono_ns: int) -> Row:
        """The record of the header in force."""
        return self._row("header", {"event": written(self._standing.header)}, mono_ns, n=None)

    def _plain(self, fact: PlainFact, mono_ns: int, sealed: bytes | None = None) -> Row:
        kind, fields = body_of(fact)
        return self._row(kind, fields, mono_ns, n=None, sealed=sealed)

    def _told_early(self, shown: CardRevealed, mono_ns: int) -> Row:
        """What the shoe tells of a card that lies face down is kept, sealed, until the card is turned."""
        record = DeviceReported(shown.actor or "shoe", "reveal", {"ref": shown.ref, "eseq": shown.seq})
        if not isinstance(shown.card, Hidden):
            return self._plain(record, mono_ns)
        secret = Secret(shown.card, secrets.token_bytes(NONCE_BYTES))
        row = self._plain(record, mono_ns, self._vault.seal(secret, self._context(self._standing.seq + 1)))
        self._standing = self._standing.with_told(shown.ref or "", shown.card)
        return row

    def _hole_as_told(self) -> Card | None:
        """The value of the hole card that is turned now, where the shoe has told it before."""
        check = self._standing.check
        hole = hole_card(check.setting, check.state.round) if check.state.round.play else None
        value = self._standing.told.get(hole.ref or "") if hole else None
        return opened(value) if value else None

    def _table(self, event: TableEvent, mono_ns: int, said_by: SaidBy | None, *, replayed: bool) -> tuple[Row, Verdict]:
        check, verdict = self._standing.check.step(event)
        round_number = self._standing.first_round - 1 + verdict.round
        turned = turned_by(self._standing.withheld, check, event)
        withheld = still_withheld(self._standing.withheld, check, event)
        committed = self._commit(check, event)
        if committed is not None:
            withheld[origin(check, event)] = committed
        fields: dict[str, Any] = {
            "n": check.events,
            "round": round_number,
            "event": written(_as_shown(event, check)),
            "verdict": VERDICT.dump_python(verdict, mode="json"),
        }
        if committed is not None:
            fields["commit"] = {committed.name: committed.commit}
        if turned:
            fields["disclosed"] = [_opening(each) for each in turned]
        if replayed:
            fields["replayed"] = True
        if said_by:
            fields["input"] = {"id": said_by.id, "role": said_by.role}
        fields["state"] = state_digest(check.state, {n: each.commit for n, each in withheld.items()})
        self._standing = replace(self._standing, check=check, withheld=withheld)
        sealed = self._vault.seal(committed.secret, self._context(committed.seq)) if committed else None
        row = self._row("table", fields, mono_ns, n=check.events, round_number=round_number, sealed=sealed)
        self._standing = self._standing.with_round_of(event)
        return row, verdict

    def _commit(self, check: Check, event: TableEvent) -> Committed | None:
        """The commitment to what this event brings and nobody may know yet."""
        secret = _secret_of(check, event, self._standing.withheld)
        if secret is None:
            return None
        name, value = secret
        seq, nonce = self._standing.seq + 1, secrets.token_bytes(NONCE_BYTES)
        commit = commitment(nonce, self._source.epoch, seq, name, opened_text(value))
        return Committed(seq, name, commit, Secret(value, nonce))

    def _context(self, seq: int) -> str:
        return record_context(self._source.epoch, seq)

    def _row(
        self,
        kind: Kind,
        fields: Mapping[str, Any],
        mono_ns: int,
        *,
        n: int | None,
        round_number: int | None = None,
        sealed: bytes | None = None,
    ) -> Row:
        seq, wall = self._standing.seq + 1, self._clock.wall()
        body = message(self._source, seq, self._standing.prev, wall, kind, fields, sealed)
        self._standing = replace(self._standing, seq=seq, prev=digest(body))
        return Row(
            seq=seq,
            boot=self._clock.boot,
            mono_ns=mono_ns,
            wall=wall,
            kind=kind,
            n=n,
            round=self._standing.round if round_number is None else round_number,
            body=body,
            sealed=sealed,
            hash=bytes.fromhex(self._standing.prev),
        )


def written_standing(standing: Standing) -> str | None:
    """Where the table stands, for a quick return to it; None while something lies face down."""
    check = snapshot(standing.check)
    if check is None:
        return None
    fields = {"seq": standing.seq, "first_round": standing.first_round, "check": check}
    return json.dumps(fields | {"facts_from": standing.facts_from})


def record_context(epoch: str, seq: int) -> str:
    """What a sealed value is bound to."""
    return f"{epoch}\n{seq}"


def _as_shown(event: TableEvent, check: Check) -> TableEvent:
    """The event as everybody may see it."""
    if isinstance(event, ReaderPeeked):
        return event.model_copy(update={"result": None})
    if isinstance(event, CardRevealed) and isinstance(event.card, Hidden):
        return event.model_copy(update={"card": opened(event.card)})
    if not isinstance(event, CardDrawn) or event.card is None:
        return event
    draw = check.state.round.draws[-1]
    return event.model_copy(update={"card": draw.card if isinstance(draw.card, Card) else None})


def origin(check: Check, event: TableEvent) -> int:
    """Under which number what this event withholds is kept."""
    return check.state.round.draws[-1].origin if isinstance(event, CardDrawn) else check.events


def _secret_of(
    check: Check, event: TableEvent, withheld: Mapping[int, Committed]
) -> tuple[Literal["card", "result"], Hidden] | None:
    if isinstance(event, ReaderPeeked) and event.result is not None:
        return "result", event.result if isinstance(event.result, Hidden) else hide_text(event.result)
    if not isinstance(event, CardDrawn):
        return None
    draw = check.state.round.draws[-1]
    known = draw.origin in withheld
    return ("card", draw.card) if isinstance(draw.card, Hidden) and not known else None


def still_withheld(withheld: Mapping[int, Committed], check: Check, event: TableEvent) -> dict[int, Committed]:
    """What is withheld after the event; `check` the check after it."""
    if isinstance(event, RoundVoided):
        return {}
    values = check.values()
    return {
        n: each
        for n, each in withheld.items()
        if (check.withholds_peek if each.name == "result" else isinstance(values.get(n), Hidden))
    }


def turned_by(withheld: Mapping[int, Committed], check: Check, event: TableEvent) -> list[Committed]:
    """What became public with the event; what nobody can turn any more, and a voided round, stays closed."""
    if isinstance(event, RoundVoided):
        return []
    values = check.values()
    return [
        each
        for n, each in withheld.items()
        if (not check.withholds_peek if each.name == "result" else isinstance(values.get(n), Card))
    ]


def _opening(each: Committed) -> dict[str, Any]:
    """What opens the commitment of an earlier record."""
    value, nonce = opened_text(each.secret.value), each.secret.nonce.hex()
    return {"seq": each.seq, "field": each.name, "value": value, "nonce": nonce}
