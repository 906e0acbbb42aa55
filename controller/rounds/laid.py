"""The hands of a round: its cards as they lay, and what was done and said there. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from controller.rounds.model import Card, Finding, Hand, Lies
from controller.rounds.rows import Record, RoundRecords
from controller.rounds.tabletop import Lying, Tabletop
from protocols import cards
from protocols.events import Event, HandSettled, PlayerActed


def hands(
    table: Tabletop,
    found: RoundRecords,
    events: Mapping[int, Event],
    findings: Sequence[Finding],
) -> Iterator[Hand]:
    """By place, in the order of the table; `events` by record, with what was opened since."""
    records = {each.seq: each for each in (*found.previous, *found.own)}
    turned = _turned_by(found)
    for place in table.places:
        lying = [each for each in table.cards if each.place == place]
        acts = [(seq, events[seq]) for seq in table.about if table.about[seq] == place]
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
    face = draw.face or record.verdict().face
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
