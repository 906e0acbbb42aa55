"""Facts become records: checked, numbered, chained, with what lies face down sealed and committed to.

No I/O but the clocks: the ledger can be driven by a journal that is read again, and gives the same records."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from controller.by_hand import Instead, carried
from controller.clock import Clock
from controller.journal_file import Row
from controller.lasting import said_again
from controller.record_row import Place, record_row
from controller.standing import Standing, written_standing
from controller.vault import Secret, Vault
from controller.withheld import (
    Committed,
    as_shown,
    opening,
    origin,
    record_context,
    secret_of,
    still_withheld,
    turned_by,
)
from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.dealing.digest import digest as state_digest
from protocols.dealing.model import Procedure
from protocols.errors import LogError
from protocols.events import (
    CardRevealed,
    CommunityRevealed,
    HoleRevealed,
    LogHeader,
    ReaderPeeked,
    RoundClosed,
    RoundVoided,
    TableEvent,
    written,
)
from protocols.floor.checkpoints import WHAT, Checkpoint, Signer
from protocols.floor.commitments import NONCE_BYTES, commitment
from protocols.floor.messages import Source
from protocols.hidden import Hidden, hide, opened, opened_text
from protocols.records import SIGNED, DeviceReported, Fact, Kind, PlainFact, SaidBy, SystemNoted, body_of
from protocols.records import said_by as named
from protocols.verdicts import VERDICT, Verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """The records of one fact, the verdict where it was a table event, and where the table stands if a round ended;
    `checkpoint`: what the last record says, where it is a signature under those before it."""

    rows: tuple[Row, ...]
    verdict: Verdict | None = None
    snapshot: str | None = None
    checkpoint: Checkpoint | None = None

    @property
    def seq(self) -> int:
        """The record of the fact itself."""
        return self.rows[-1].seq if self.checkpoint is None else self.checkpoint.seq


class Ledger:
    """`wanted`: the header that should be in force; it comes into force between rounds. `signer` signs the chain at
    each round's end and at a stop; without one it stays unsigned."""

    def __init__(
        self,
        source: Source,
        standing: Standing,
        wanted: LogHeader,
        procedure: Procedure,
        vault: Vault,
        clock: Clock,
        signer: Signer | None = None,
    ) -> None:
        self._source = source
        self._standing = standing
        self._wanted = wanted
        self._procedure = procedure
        self._vault = vault
        self._clock = clock
        self._signer = signer

    @property
    def standing(self) -> Standing:
        return self._standing

    @property
    def check(self) -> Check:
        """The check that the next event comes to."""
        if not self._header_changes():
            return self._standing.check
        check = Check.start(self._wanted, self._procedure)
        for _, after in said_again(self._standing.lasting, check):
            check = after
        return check

    def enter(
        self,
        fact: Fact,
        mono_ns: int,
        said_by: SaidBy | None = None,
        *,
        replayed: bool = False,
        age_s: float | None = None,
        instead: Instead | None = None,
    ) -> Entry:
        """The records that this fact becomes, in order; `said_by`: the input that it is, or that added to it;
        `replayed`: the device told it late; `age_s`: how long ago that was, where it is known; `instead`: why a person
        may enter it in place of the shoe."""
        before = self._change_header(mono_ns)
        if isinstance(fact, CardRevealed) and self._standing.check.stays_down(fact):
            return Entry((*before, self._told_early(fact, mono_ns, replayed=replayed)))
        if isinstance(fact, HoleRevealed | CommunityRevealed) and fact.card is None:
            fact = fact.model_copy(update={"card": self._as_told(fact)})
        if not isinstance(fact, TableEvent):
            plain = Entry((*before, self._plain(fact, mono_ns)))
            return self._signed(plain, mono_ns) if isinstance(fact, SystemNoted) and fact.what in SIGNED else plain
        try:
            row, verdict = self._table(fact, mono_ns, said_by, replayed=replayed, age_s=age_s, instead=instead)
        except LogError as error:
            told = {"event": fact.name, "why": str(error)} | ({"eseq": fact.seq} if fact.actor else {})
            impossible = DeviceReported(fact.actor or "shoe", "impossible", told)
            return Entry((*before, self._plain(impossible, mono_ns)))
        if not isinstance(fact, RoundClosed | RoundVoided):
            return Entry((*before, row), verdict)
        return self._signed(Entry((*before, row), verdict, written_standing(self._standing)), mono_ns)

    def _signed(self, entry: Entry, mono_ns: int) -> Entry:
        """The entry and the table's signature under it."""
        if self._signer is None:
            return entry
        checkpoint = self._signer.checkpoint(self._source.epoch, self._standing.seq, self._standing.prev)
        row = self._plain(SystemNoted(WHAT, checkpoint.data()), mono_ns)
        return replace(entry, rows=(*entry.rows, row), checkpoint=checkpoint)

    def _header_changes(self) -> bool:
        standing = self._standing
        return standing.header != self._wanted and not standing.check.state.round.opened

    def _change_header(self, mono_ns: int) -> tuple[Row, ...]:
        if not self._header_changes():
            return ()
        begun, lasting = Check.start(self._wanted, self._procedure), self._standing.lasting
        self._standing = self._standing.with_header(self._wanted, begun)
        rows = [self.header(mono_ns)]
        rows += [self._table(event, mono_ns, None)[0] for event, _ in said_again(lasting, begun)]
        if self._standing.entered.is_open:
            rows.append(self._plain(carried(self._standing.entered), mono_ns))
        return tuple(rows)

    def header(self, mono_ns: int) -> Row:
        """The record of the header in force."""
        return self._row("header", {"event": written(self._standing.header)}, mono_ns, n=None)

    def _plain(self, fact: PlainFact, mono_ns: int) -> Row:
        kind, fields = body_of(fact)
        value = fact.value if isinstance(fact, DeviceReported) else None
        row = self._row(kind, fields, mono_ns, n=None, sealed=self._sealed(value) if value else None)
        self._standing = self._standing.with_record(kind, fields)
        if value is not None:
            self._standing = self._standing.with_told(fields["data"]["ref"], value)
        return row

    def _sealed(self, value: Hidden) -> bytes:
        secret = Secret(value, secrets.token_bytes(NONCE_BYTES))
        return self._vault.seal(secret, self._context(self._standing.seq + 1))

    def _told_early(self, shown: CardRevealed, mono_ns: int, *, replayed: bool) -> Row:
        """What the shoe tells of a card that lies face down is kept, sealed, until the card is turned or for good."""
        data = {"ref": shown.ref, "eseq": shown.seq} | ({"replayed": True} if replayed else {})
        value = shown.card if isinstance(shown.card, Hidden) else hide(shown.card)
        return self._plain(DeviceReported(shown.actor or "shoe", "reveal", data, value), mono_ns)

    def _as_told(self, event: TableEvent) -> Card | None:
        """The value of the card that is turned now, where the shoe has told it before."""
        turned = self._standing.check.turned_by(event)
        if turned is None:
            return None
        value = self._standing.told.get(turned.ref or self._standing.entered.ref_of(turned) or "")
        return opened(value) if value else None

    def _table(
        self,
        event: TableEvent,
        mono_ns: int,
        said_by: SaidBy | None,
        *,
        replayed: bool = False,
        age_s: float | None = None,
        instead: Instead | None = None,
    ) -> tuple[Row, Verdict]:
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
            "event": written(as_shown(event, check)),
            "verdict": VERDICT.dump_python(verdict, mode="json"),
        }
        if committed is not None:
            fields["commit"] = {committed.name: committed.commit}
        if turned:
            fields["disclosed"] = [opening(each) for each in turned]
        if replayed:
            fields["replayed"] = True
        if isinstance(event, ReaderPeeked):
            fields["age_s"] = age_s
        if instead is not None:
            fields["instead"] = instead
        if said_by:
            fields["input"] = named(said_by)
        fields["state"] = state_digest(check.histories, {n: each.commit for n, each in withheld.items()})
        self._standing = replace(self._standing, check=check, withheld=withheld)
        sealed = self._vault.seal(committed.secret, self._context(committed.seq)) if committed else None
        row = self._row("table", fields, mono_ns, n=check.events, round_number=round_number, sealed=sealed)
        self._standing = self._standing.with_event(event, verdict, instead)
        return row, verdict

    def _commit(self, check: Check, event: TableEvent) -> Committed | None:
        """The commitment to what this event brings and nobody may know yet."""
        secret = secret_of(check, event, self._standing.withheld)
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
        standing = self._standing
        place = Place(standing.seq + 1, standing.prev, standing.round if round_number is None else round_number)
        row = record_row(self._source, place, kind, fields, self._clock, mono_ns, n=n, sealed=sealed)
        self._standing = replace(standing, seq=row.seq, prev=row.hash.hex())
        return row
