"""A round from its records: pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from controller.export import disclose
from controller.journal_file import JournalError
from controller.rounds.model import (
    Card,
    Ended,
    Finding,
    Hand,
    Lies,
    Opening,
    Reconstruction,
    Step,
    Who,
)
from controller.rounds.rows import Record, RoundRecords, leaves_disputed
from controller.rounds.tabletop import Lying, Rebuilding, Tabletop
from protocols import cards
from protocols.dealing.catalog import Catalog
from protocols.events import (
    Event,
    HandSettled,
    PlayerActed,
    ResultReported,
    RoundClosed,
    RoundVoided,
    written,
)
from protocols.floor.commitments import commitment
from protocols.verdicts import VERDICT, Verdict

_NAMES_DRAW: Final = re.compile(r"\bdraws? (\d+)")
_GAP: Final = "log.gap"


def reconstructed(found: RoundRecords, catalog: Catalog) -> Reconstruction:
    """The round; ProcedureError where its procedure is not known any more, JournalError where a record is none."""
    procedure = catalog.named(found.header.procedure or "")
    events = _events((*found.previous, *found.own, *found.following))
    rebuilding = Rebuilding(found.header, procedure, found.lasting)
    rebuilding.earlier(_of(found.previous, events))
    rebuilding.own(_of(found.own, events))
    rebuilding.later(_of(found.following, events))
    table = rebuilding.found()
    verdicts = {each.seq: _verdict(each) for each in found.own if each.row.kind == "table"}
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
        disputed=_disputed(verdicts, own),
        boxes=table.boxes,
        winner=next((each.winner for each in own.values() if isinstance(each, ResultReported)), None),
        before=found.before,
        methods=table.methods,
        hands=tuple(_hands(table, found, events, findings, own)),
        findings=findings,
        steps=tuple(_step(each, events, verdicts.get(each.seq), findings) for each in found.own),
        openings=tuple(_openings(found)),
        gaps=tuple(getattr(each, "reason", None) or "no reason told" for each in own.values() if each.name == _GAP),
        notes=(*found.notes, *_notes(table)),
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


def _verdict(record: Record) -> Verdict:
    try:
        fields = record.data["verdict"]
        return VERDICT.validate_python(fields | {"expected": tuple(fields["expected"])})
    except (ValueError, LookupError, TypeError):
        raise JournalError(f"record {record.seq} of the journal is damaged: its verdict is none") from None


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


def _hands(
    table: Tabletop,
    found: RoundRecords,
    events: Mapping[int, Event],
    findings: Sequence[Finding],
    own: Mapping[int, Event],
) -> Iterable[Hand]:
    records = {each.seq: each for each in (*found.previous, *found.own)}
    turned = _turned_by(found)
    for place in table.places:
        lying = [each for each in table.cards if each.place == place]
        acts = [(seq, events[seq]) for seq in own if table.about.get(seq) == place]
        yield Hand(
            place,
            tuple(_card(each, records[each.seq], events, findings, turned) for each in lying),
            tuple(_act(event) for _, event in acts if isinstance(event, PlayerActed)),
            next((event.result or "settled" for _, event in reversed(acts) if isinstance(event, HandSettled)), None),
        )


def _act(act: PlayerActed) -> str:
    times = f" {act.multiple} times the ante" if act.multiple is not None else ""
    return f"{act.action}{times}{f' on street {act.street}' if act.street else ''}"


def _turned_by(found: RoundRecords) -> dict[int, int]:
    """By record of a card, the record that opened it."""
    later = (*found.own, *found.following)
    return {each["seq"]: record.seq for record in later for each in record.data.get("disclosed", ())}


def _card(
    lying: Lying, record: Record, events: Mapping[int, Event], findings: Sequence[Finding], turned: Mapping[int, int]
) -> Card:
    told_by = turned.get(record.seq)
    turned_alone = told_by if list(turned.values()).count(told_by or 0) == 1 else None
    draw, event = lying.draw, events[record.seq]
    told = getattr(event, "card", None)
    known = draw.card if isinstance(draw.card, cards.Card) else told
    face = draw.face or _verdict(record).face
    value = str(known) if isinstance(known, cards.Card) else None
    return Card(
        record.seq,
        record.row.wall,
        draw.number,
        value,
        _lies(
            value,
            face,
            shown="card" in record.data["event"] or draw.number is None,
            committed="card" in record.data.get("commit", {}),
        ),
        face,
        draw.ref,
        drawn_as=_drawn_as(told, known),
        told_by=told_by,
        sure=getattr(event, "to", None) is not None,
        boxed=draw.boxed,
        outside=draw.outside,
        gone=lying.gone,
        manual=bool(event.manual),
        replayed=bool(record.data.get("replayed")),
        findings=tuple(each.number for each in findings if _is_about(each, record.seq, draw.number, turned_alone)),
    )


def _drawn_as(told: object, known: object) -> str | None:
    """What a card had been told to be, where it proved to be another one."""
    if isinstance(told, cards.Card) and isinstance(known, cards.Card) and not told.could_be(known):
        return str(told)
    return None


def _is_about(finding: Finding, seq: int, draw: int | None, turned_alone: int | None) -> bool:
    return finding.seq in (seq, turned_alone) or (draw is not None and draw in finding.draws)


def _lies(value: str | None, face: str | None, *, shown: bool, committed: bool) -> Lies:
    """`shown`: its value was told as it came; `committed`: it was known, and withheld."""
    if value is None:
        return "down" if committed or face == "down" else "unread"
    return "up" if shown and face != "down" else "turned"
