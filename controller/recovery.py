"""Coming back: the journal read again gives the state in which the table was left."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from controller.journal_file import Row
from controller.ledger import Committed, Standing, record_context
from controller.vault import Secret, Vault
from protocols.dealing.check import Check
from protocols.dealing.digest import digest as state_digest
from protocols.dealing.model import Procedure
from protocols.events import EVENT, CardDrawn, Event, LogHeader, RoundOpened
from protocols.hidden import Hidden
from protocols.records import NO_HASH, DeviceReported, Fact

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
    return Recovered(Standing(0, NO_HASH, header, Check.start(header, procedure), 1, {}))


def recovered(rows: Iterable[Row], epoch: str, find: FindProcedure, vault: Vault) -> Recovered | None:
    """The table whose records, from its last header on, are `rows`; None where there are none.

    VaultError where a sealed card does not open, ProcedureError where the procedure is not there any more."""
    found: Recovered | None = None
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
    return Recovered(Standing(row.seq, row.hash.hex(), header, check, row.round or 1, {}))


def _with_record(found: Recovered, row: Row, fields: Mapping[str, Any], epoch: str, vault: Vault) -> Recovered:
    standing = replace(found.standing, seq=row.seq, prev=row.hash.hex())
    if row.kind == "device":
        fact = DeviceReported(fields["device"], fields["report"], fields["data"])
        return replace(found, standing=standing, facts=(*found.facts, fact))
    if row.kind != "table":
        return replace(found, standing=standing)
    secret = None if row.sealed is None else vault.open(row.sealed, record_context(epoch, row.seq))
    event = _with_secret(event_of(fields), secret)
    standing = _stepped(standing, event, fields, secret)
    commits = {n: down.commit for n, down in standing.face_down.items()}
    same = state_digest(standing.check.state, commits) == fields["state"]
    differs = found.differs if same or found.differs else row.seq
    return Recovered(standing, (*_recent(found.facts, event), event), differs)


def _stepped(standing: Standing, event: Event, fields: Mapping[str, Any], secret: Secret | None) -> Standing:
    check, _ = standing.check.step(event)
    values = check.values()
    face_down = {n: down for n, down in standing.face_down.items() if isinstance(values.get(n), Hidden)}
    card = values.get(check.events)
    if secret is not None and isinstance(card, Hidden):
        committed = Committed(standing.seq, fields["commit"]["card"], Secret(card, secret.nonce))
        face_down[check.events] = committed
    return replace(standing, check=check, face_down=face_down)


def _with_secret(event: Event, secret: Secret | None) -> Event:
    if secret is None or not isinstance(event, CardDrawn):
        return event
    return event.model_copy(update={"card": secret.card})


def _recent(facts: tuple[Fact, ...], event: Event) -> tuple[Fact, ...]:
    """The facts of the round before, where this event opens a round."""
    if not isinstance(event, RoundOpened):
        return facts
    opened = [index for index, fact in enumerate(facts) if isinstance(fact, RoundOpened)]
    return facts[opened[-1] :] if opened else facts
