"""Coming back: the journal read again gives the state in which the table was left."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from controller.journal_file import Row, last_header, read_all, read_snapshot
from controller.ledger import Committed, Standing, origin, record_context, still_withheld
from controller.vault import Secret, Vault
from protocols.dealing.check import Check
from protocols.dealing.digest import digest as state_digest
from protocols.dealing.model import Procedure
from protocols.dealing.snapshot import restored
from protocols.events import EVENT, CardDrawn, Event, LogHeader, RoundOpened, TableEvent
from protocols.hidden import opened_text
from protocols.records import NO_HASH, DeviceReported, Fact

_log: Final = logging.getLogger(__name__)

FindProcedure = Callable[[str], Procedure]


@dataclass(frozen=True, slots=True)
class Recovered:
    """Where the table stands; `facts`: what the journal holds of its shoe in this round and the one before.

    `differs`: the first record that this version of the rules answers differently, None where there is none."""

    standing: Standing
    facts: tuple[Fact, ...] = ()
    differs: int | None = None


def fresh(header: LogHeader, procedure: Procedure) -> Recovered:
    """A table without a past."""
    return Recovered(Standing(0, NO_HASH, header, Check.start(header, procedure), 1))


def recovered(path: Path, epoch: str, find: FindProcedure, vault: Vault) -> Recovered | None:
    """The table that left this journal, from its last header on or from where it stood when a round ended since;
    None where there are no records.

    VaultError where a sealed card does not open, ProcedureError where the procedure is not there any more."""
    header = last_header(path)
    quick = _snapshot(path, header)
    if quick is not None:
        try:
            return _from_snapshot(path, header, quick, epoch, find, vault)
        except ValueError:
            _log.warning("the last snapshot is of another version; reading the journal from record %d", header)
    return _replayed(None, read_all(path, header - 1), epoch, find, vault)


def _snapshot(path: Path, header: int) -> Mapping[str, Any] | None:
    """The last snapshot, if it is of this header."""
    text = read_snapshot(path)
    fields: Mapping[str, Any] | None = json.loads(text) if text else None
    return fields if fields and fields["seq"] > header else None


def _from_snapshot(
    path: Path, header: int, quick: Mapping[str, Any], epoch: str, find: FindProcedure, vault: Vault
) -> Recovered | None:
    begun = _replayed(None, islice(read_all(path, header - 1), 1), epoch, find, vault)
    if begun is None:
        raise ValueError("no header before the snapshot")
    facts: list[Fact] = []
    rows = read_all(path, quick["opened"] - 1 if quick["opened"] else quick["seq"] - 1)
    for row in rows:
        facts += _fact(row, json.loads(row.body)["data"], None)
        if row.seq == quick["seq"]:
            break
    standing = Standing(
        seq=row.seq,
        prev=row.hash.hex(),
        header=begun.standing.header,
        check=restored(quick["check"], begun.standing.check.setting),
        first_round=quick["first_round"],
        opened=quick["opened"],
    )
    return _replayed(Recovered(standing, tuple(facts)), rows, epoch, find, vault)


def _replayed(
    found: Recovered | None, rows: Iterable[Row], epoch: str, find: FindProcedure, vault: Vault
) -> Recovered | None:
    for row in rows:
        fields = json.loads(row.body)["data"]
        if row.kind == "header":
            found = _with_header(row, fields, find)
        elif found is not None:
            found = _with_record(found, row, fields, epoch, vault)
    return found


def event_of(fields: Mapping[str, Any]) -> Event:
    """The table event in a record's data, as everybody could see it."""
    return EVENT.validate_json(json.dumps(fields["event"]))


def _with_header(row: Row, fields: Mapping[str, Any], find: FindProcedure) -> Recovered:
    header = LogHeader.model_validate_json(json.dumps(fields["event"]))
    check = Check.start(header, find(header.procedure or ""))
    return Recovered(Standing(row.seq, row.hash.hex(), header, check, row.round or 1))


def _with_record(found: Recovered, row: Row, fields: Mapping[str, Any], epoch: str, vault: Vault) -> Recovered:
    standing = replace(found.standing, seq=row.seq, prev=row.hash.hex())
    secret = None if row.sealed is None else vault.open(row.sealed, record_context(epoch, row.seq))
    facts = _fact(row, fields, secret)
    if not facts or not isinstance(facts[0], TableEvent):
        return replace(found, standing=standing, facts=(*found.facts, *facts))
    standing = _stepped(standing, facts[0], fields, secret)
    commits = {n: each.commit for n, each in standing.withheld.items()}
    same = state_digest(standing.check.state, commits) == fields["state"]
    differs = found.differs if same or found.differs else row.seq
    return Recovered(standing, (*_recent(found.facts, facts[0]), *facts), differs)


def _fact(row: Row, fields: Mapping[str, Any], secret: Secret | None) -> tuple[Fact, ...]:
    """What the record says of the shoe, if anything."""
    if row.kind == "device":
        return (DeviceReported(fields["device"], fields["report"], fields["data"]),)
    return (_with_secret(event_of(fields), secret),) if row.kind == "table" else ()


def _stepped(standing: Standing, event: TableEvent, fields: Mapping[str, Any], secret: Secret | None) -> Standing:
    check, _ = standing.check.step(event)
    withheld = still_withheld(standing.withheld, check, event)
    if secret is not None:
        name, commit = next(iter(fields["commit"].items()))
        withheld[origin(check, event)] = Committed(standing.seq, name, commit, secret)
    opened = standing.seq if isinstance(event, RoundOpened) else standing.opened
    return replace(standing, check=check, withheld=withheld, opened=opened)


def _with_secret(event: Event, secret: Secret | None) -> Event:
    """The event with what was withheld when it was published."""
    if secret is None:
        return event
    if isinstance(event, CardDrawn):
        return event.model_copy(update={"card": secret.value})
    return event.model_copy(update={"result": opened_text(secret.value)})


def _recent(facts: tuple[Fact, ...], event: TableEvent) -> tuple[Fact, ...]:
    """The facts of the round before, where this event opens a round."""
    if not isinstance(event, RoundOpened):
        return facts
    opened = [index for index, fact in enumerate(facts) if isinstance(fact, RoundOpened)]
    return facts[opened[-1] :] if opened else facts
