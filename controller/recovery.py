"""Coming back: the journal read again gives the state in which the table was left."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from controller.by_hand import Entered
from controller.journal_file import JournalError, Row, is_pruned, last_header, read_all, read_snapshot
from controller.lasting import Lasting, lasting_after
from controller.standing import Standing, read_by_hand, read_lasting, read_standing
from controller.vault import Secret, Vault, VaultError
from controller.withheld import Committed, origin, record_context, still_withheld
from protocols.dealing.check import Check
from protocols.dealing.digest import digest as state_digest
from protocols.dealing.model import Procedure
from protocols.dealing.snapshot import restored
from protocols.events import EVENT, CardDrawn, Event, LogGap, LogHeader, RoundClosed, RoundVoided, TableEvent
from protocols.records import NO_HASH, DeviceReported, Fact
from protocols.verdicts import VERDICT, Verdict

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)

FindProcedure = Callable[[str], Procedure]


@dataclass(frozen=True, slots=True)
class Recovered:
    """Where the table stands; `facts`: what the journal holds of its shoe in this round and the one before.

    `verdict`: the last one under this header, None where nothing happened yet; `differs`: the first record that this
    version of the rules answers differently, None where there is none; `unopened`: the first record of what lies face
    down in the open round and that no key opens, since its last gap."""

    standing: Standing
    facts: tuple[Fact, ...] = ()
    verdict: Verdict | None = None
    differs: int | None = None
    unopened: int | None = None


def fresh(header: LogHeader, procedure: Procedure) -> Recovered:
    """A table without a past."""
    return Recovered(Standing(0, NO_HASH, header, Check.start(header, procedure), 1))


def recovered(path: Path, epoch: str, find: FindProcedure, vault: Vault) -> Recovered | None:
    """The table that left this journal, from its last header on or from where it stood when a round ended since;
    None where there are no records.

    ProcedureError where the procedure is not there any more, JournalError where a record is damaged."""
    header = last_header(path)
    replay = _Replay(epoch, find, vault)
    quick = _snapshot(path, header)
    if quick is None or not replay.starts_from(path, header, quick):
        if is_pruned(path, header):
            return _anew(path, header, quick, find)
        replay = _Replay(epoch, find, vault)
        replay.take(read_all(path, header - 1))
    return replay.found


def _anew(path: Path, header: int, quick: Mapping[str, Any] | None, find: FindProcedure) -> Recovered:
    """The table where this version cannot take up what stood when the last round ended, and the records before it were
    let go: it begins a header of its own, which carries nothing over but what lasts and the cards by hand
    that the shoe has not told."""
    _log.warning("%s: the records do not reach back far enough to go on: the table begins a new header", path)
    row = next(read_all(path, header - 1))
    named = LogHeader.model_validate_json(json.dumps(json.loads(row.body)["data"]["event"]))
    lasting: Lasting = _kept(quick, read_lasting, {})
    entered, last = _kept(quick, read_by_hand, Entered()), row
    for last in read_all(path, quick["seq"] if quick else header):
        fields = json.loads(last.body)["data"]
        event = event_of(fields) if last.kind == "table" else None
        if isinstance(event, TableEvent):
            verdict = VERDICT.validate_json(json.dumps(fields["verdict"]))
            lasting = lasting_after(lasting, event, verdict)
            entered = entered.after_unbooked(event, verdict, last.seq, last.round or 0, fields)
        else:
            entered = entered.noted(last.kind, fields)
    check = Check.start(named, find(named.procedure or ""))
    following = (last.round or 1) + 1
    return Recovered(
        Standing(last.seq, last.hash.hex(), LogHeader(), check, following, lasting=lasting, entered=entered)
    )


def _kept(quick: Mapping[str, Any] | None, read: Callable[[Mapping[str, Any]], T], without: T) -> T:
    """This part of the snapshot, where there is one of this version."""
    try:
        return read(quick) if quick else without
    except (ValueError, LookupError, TypeError, AttributeError):
        return without


def _snapshot(path: Path, header: int) -> Mapping[str, Any] | None:
    """The last snapshot, if it is of this header."""
    fields = read_standing(read_snapshot(path))
    return fields if fields and fields["seq"] > header else None


class _Replay:
    """Records taken one after the other."""

    def __init__(self, epoch: str, find: FindProcedure, vault: Vault) -> None:
        self._epoch = epoch
        self._find = find
        self._vault = vault
        self._standing: Standing | None = None
        self._facts: list[Fact] = []
        self._verdict: Mapping[str, Any] | None = None
        self._differs: int | None = None
        self._unopened: int | None = None
        self._misses_some = False

    @property
    def found(self) -> Recovered | None:
        if self._standing is None:
            return None
        verdict = None if self._verdict is None else VERDICT.validate_json(json.dumps(self._verdict))
        return Recovered(self._standing, tuple(self._facts), verdict, self._differs, self._unopened)

    def take(self, rows: Iterable[Row]) -> None:
        for row in rows:
            try:
                self._take(row, json.loads(row.body)["data"])
            except (ValueError, LookupError, TypeError) as error:
                raise JournalError(f"record {row.seq} of the journal cannot be read: {error}") from None

    def starts_from(self, path: Path, header: int, quick: Mapping[str, Any]) -> bool:
        """Take the table from where it stood; False where the snapshot does not fit the journal or this version."""
        self.take(islice(read_all(path, header - 1), 1))
        rows = read_all(path, quick["facts_from"] - 1)
        last = self._facts_until(rows, quick["seq"])
        if last is None:
            return False
        try:
            check = restored(quick["check"], self._at.check.setting)
            lasting, entered = read_lasting(quick), read_by_hand(quick)
            ended = json.loads(last.body)["data"]
            numbered: bool = quick["first_round"] - 1 + ended["verdict"]["round"] == ended["round"]
            known: bool = numbered and state_digest(check.histories, {}) == ended["state"]
        except (ValueError, LookupError, TypeError, AttributeError):
            return False
        if known:
            self._verdict = ended["verdict"]
            first_round, facts_from = quick["first_round"], quick["facts_from"]
            self._standing = replace(
                self._at,
                seq=last.seq,
                prev=last.hash.hex(),
                check=check,
                first_round=first_round,
                lasting=lasting,
                entered=entered,
                facts_from=facts_from,
                round_from=last.seq + 1,
            )
            self.take(rows)
        return known

    @property
    def _at(self) -> Standing:
        if self._standing is None:
            raise JournalError("the journal does not begin with a header")
        return self._standing

    def _facts_until(self, rows: Iterator[Row], seq: int) -> Row | None:
        for row in rows:
            self._facts += _fact(row, json.loads(row.body)["data"], None)
            if row.seq == seq:
                return row
        return None

    def _take(self, row: Row, fields: Mapping[str, Any]) -> None:
        if row.kind == "header":
            header = LogHeader.model_validate_json(json.dumps(fields["event"]))
            check = Check.start(header, self._find(header.procedure or ""))
            self._standing = Standing(row.seq, row.hash.hex(), header, check, row.round or 1, facts_from=row.seq)
            self._facts, self._verdict, self._differs = [], None, None
            self._unopened, self._misses_some = None, False
            return
        standing = replace(self._at, seq=row.seq, prev=row.hash.hex())
        secret = None if row.sealed is None else self._opened(row.sealed, row.seq)
        facts = _fact(row, fields, secret)
        self._facts += facts
        if facts and isinstance(facts[0], TableEvent):
            standing = self._stepped(standing, facts[0], fields, secret)
        else:
            standing = standing.with_record(row.kind, fields)
            if secret is not None:
                standing = standing.with_told(fields["data"]["ref"], secret.value)
        self._standing = standing

    def _opened(self, sealed: bytes, seq: int) -> Secret | None:
        try:
            return self._vault.open(sealed, record_context(self._epoch, seq))
        except VaultError:
            self._unopened, self._misses_some = self._unopened or seq, True
            return None

    def _stepped(
        self, standing: Standing, event: TableEvent, fields: Mapping[str, Any], secret: Secret | None
    ) -> Standing:
        self._verdict = fields["verdict"]
        check, verdict = standing.check.step(event)
        withheld = still_withheld(standing.withheld, check, event)
        if secret is not None:
            name, commit = next(iter(fields["commit"].items()))
            withheld[origin(check, event)] = Committed(standing.seq, name, commit, secret)
        if isinstance(event, RoundClosed | RoundVoided | LogGap):
            self._unopened = None
        if isinstance(event, RoundClosed | RoundVoided):
            del self._facts[: _end_of_last_round(self._facts)]
        state = state_digest(check.histories, {n: each.commit for n, each in withheld.items()})
        if state != fields["state"] and not self._misses_some:
            self._differs = self._differs or standing.seq
        stepped = replace(standing, check=check, withheld=withheld)
        return stepped.with_event(event, verdict, fields.get("instead"))


def _end_of_last_round(facts: Sequence[Fact]) -> int:
    """How many facts belong to rounds before the one that ends with the last of them."""
    ends = [index for index, fact in enumerate(facts[:-1]) if isinstance(fact, RoundClosed | RoundVoided)]
    return ends[-1] + 1 if ends else 0


def event_of(fields: Mapping[str, Any]) -> Event:
    """The table event in a record's data, as everybody could see it."""
    return EVENT.validate_json(json.dumps(fields["event"]))


def _fact(row: Row, fields: Mapping[str, Any], secret: Secret | None) -> tuple[Fact, ...]:
    """What the record says of the shoe, if anything."""
    if row.kind == "device":
        return (DeviceReported(fields["device"], fields["report"], fields["data"]),)
    return (_with_secret(event_of(fields), secret),) if row.kind == "table" else ()


def _with_secret(event: Event, secret: Secret | None) -> Event:
    """The event with what was withheld when it was published."""
    if secret is None:
        return event
    if isinstance(event, CardDrawn):
        return event.model_copy(update={"card": secret.value})
    return event.model_copy(update={"result": secret.value})
