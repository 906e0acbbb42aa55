"""A round from its records: pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from controller.export import disclose
from controller.rounds.laid import hands
from controller.rounds.model import (
    Ended,
    Finding,
    Opening,
    Reconstruction,
    Step,
    Unlike,
    Who,
)
from controller.rounds.rows import Record, RoundRecords, leaves_disputed
from controller.rounds.tabletop import Rebuilding, Tabletop
from protocols.dealing.catalog import Catalog
from protocols.events import (
    Event,
    ResultReported,
    RoundClosed,
    RoundVoided,
    written,
)
from protocols.floor.commitments import commitment
from protocols.verdicts import Verdict

_NAMES_DRAW: Final = re.compile(r"\bdraws? (\d+)")
_GAP: Final = "log.gap"


def reconstructed(found: RoundRecords, catalog: Catalog) -> Reconstruction:
    """The round; ProcedureError where its procedure is not known any more, JournalError where a record is none."""
    procedure = catalog.named(found.header.procedure or "")
    events = _events((*found.previous, *found.own, *found.following))
    rebuilding = Rebuilding(found.header, procedure, found.lasting, gapped=found.gapped)
    rebuilding.earlier(_of(found.previous, events))
    rebuilding.own(_of(found.own, events))
    rebuilding.later(_of(found.following, events))
    table = rebuilding.found()
    verdicts = {each.seq: each.verdict() for each in found.own if each.row.kind == "table"}
    findings = tuple(_findings(verdicts))
    first, last = found.own[0], found.own[-1]
    own = _of(found.own, events)
    opened = next(
        (each.row.wall for each in found.own if each.data.get("event", {}).get("type") == "round.opened"), None
    )
    ended, end = _ended(found)
    return Reconstruction(
        source=str(first.message["source"]).lstrip("/"),
        epoch=str(first.message["epoch"]),
        round=first.row.round or 0,
        procedure=procedure.id,
        title=procedure.title,
        options=dict(procedure.choose(found.header.options)),
        chose=found.header.options,
        observes=found.header.observes,
        header=found.header_seq,
        first=first.seq,
        last=last.seq,
        last_hash=last.row.hash.hex(),
        started=opened or first.row.wall,
        finished=end.row.wall if end else None,
        ended=ended,
        reason=getattr(own[end.seq], "reason", None) if end else None,
        disputed=bool(found.unlike) or _disputed(verdicts, own),
        boxes=table.boxes,
        winner=next((each.winner for each in own.values() if isinstance(each, ResultReported)), None),
        before=found.before,
        methods=table.methods,
        hands=tuple(hands(table, found, events, findings)),
        findings=findings,
        steps=tuple(_step(each, events, verdicts.get(each.seq), findings) for each in found.own),
        openings=tuple(_openings(found)),
        gaps=tuple(getattr(each, "reason", None) or "no reason told" for each in own.values() if each.name == _GAP),
        notes=(*found.notes, *_notes(table), *map(_unlike, found.unlike)),
        unlike=found.unlike,
        resolutions=found.resolutions,
    )


def _events(records: Iterable[Record]) -> dict[int, Event]:
    """By record, with what was opened since; what nobody turned stays unread."""
    events: dict[int, Event] = {}
    for each in records:
        if each.row.kind == "table":
            events[each.seq] = each.event()
            disclose(events, each.data)
    return events


def _of(records: Sequence[Record], events: Mapping[int, Event]) -> dict[int, Event]:
    return {each.seq: events[each.seq] for each in records if each.row.kind == "table"}


def _findings(verdicts: Mapping[int, Verdict]) -> Iterable[Finding]:
    told = [(seq, verdict) for seq, verdict in verdicts.items() if verdict.outcome != "ok"]
    for number, (seq, verdict) in enumerate(told, start=1):
        named = [verdict.draw] if verdict.draw else map(int, _NAMES_DRAW.findall(verdict.detail or ""))
        yield Finding(
            number,
            seq,
            verdict.outcome,
            verdict.code,
            verdict.rule,
            verdict.detail,
            verdict.expected,
            tuple(named),
        )


def _ended(found: RoundRecords) -> tuple[Ended, Record | None]:
    """How the round ended, and the record with which it did."""
    for record in reversed(found.own):
        if record.row.kind == "table":
            match record.event():
                case RoundClosed():
                    return "closed", record
                case RoundVoided():
                    return "voided", record
    went_on = any(each.data.get("event", {}).get("type") == "round.opened" for each in found.following)
    return ("overtaken" if went_on else "open"), None


def _disputed(verdicts: Mapping[int, Verdict], own: Mapping[int, Event]) -> bool:
    """Whether an act without a prescribed remedy left the round disputed."""
    opened = min((seq for seq, event in own.items() if event.name == "round.opened"), default=None)
    return any(
        leaves_disputed(verdict.code, opened=opened is not None and seq >= opened)
        for seq, verdict in verdicts.items()
        if verdict.outcome == "violation"
    )


def _notes(table: Tabletop) -> Iterable[str]:
    if table.supposed:
        yield "not everything was observed: a card whose place nobody told lies where the fewest assumptions put it"


def _unlike(card: Unlike) -> str:
    return f"the shoe told card {card.draw}, entered by hand in record {card.entered}, otherwise in record {card.seq}"


def _step(record: Record, events: Mapping[int, Event], verdict: Verdict | None, findings: Sequence[Finding]) -> Step:
    data, event = record.data, events.get(record.seq)
    said = data.get("input") or (data if record.row.kind == "input" else {})
    who = Who(
        said.get("role"), said.get("id"), event.actor if event else data.get("device"), bool(event and event.manual)
    )
    return Step(
        record.seq,
        record.row.wall,
        record.row.kind,
        who,
        written(event) if event else None,
        None if event else {name: value for name, value in data.items() if name != "kind"},
        verdict,
        next((each.number for each in findings if each.seq == record.seq), None),
        bool(data.get("replayed")),
    )


def _openings(found: RoundRecords) -> Iterable[Opening]:
    """What was withheld in a record of this round and opened since, held against its commitment."""
    own = {each.seq: each for each in found.own}
    for record in (*found.own, *found.following):
        for each in record.data.get("disclosed", ()):
            if each["seq"] in own:
                committed = own[each["seq"]]
                made = commitment(
                    bytes.fromhex(each["nonce"]), committed.message["epoch"], each["seq"], each["field"], each["value"]
                )
                proved = committed.data.get("commit", {}).get(each["field"]) == made
                yield Opening(each["seq"], record.seq, each["field"], each["value"], proved)
