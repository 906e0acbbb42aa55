"""Cards that a supervisor enters in place of a shoe that is away: which of them the shoe has not told yet, which it
confirms, and which it tells otherwise. Live and after a restart it is the same fold over the same records. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

from protocols.cards import Card
from protocols.dealing.check import Check
from protocols.dealing.table import Draw
from protocols.events import CardDrawn, CardRevealed, LogGap, TableEvent
from protocols.records import DeviceReported, Kind
from protocols.verdicts import Verdict

SHOE: Final = "shoe"
RECONCILED: Final = "reconciled"
UNLIKE: Final = "mismatch"
REVEAL: Final = "reveal"
CARRIED: Final = "by-hand"

Instead = Literal["away", "faulted"]
"""Why a person may enter what the shoe should tell: its link is not up, or it is in error."""


@dataclass(frozen=True, slots=True)
class ByHand:
    """One card. `record`: with which it was entered; `round`: of the epoch; `draw`: its number there; `to`: its place;
    `event`: its number among the events of the header, None once its round is over, and `card` is then what everybody
    knows of it."""

    record: int
    round: int
    draw: int | None
    to: str | None
    event: int | None = None
    card: Card | None = None

    @property
    def named(self) -> dict[str, Any]:
        """How records name it."""
        return {"round": self.round, "draw": self.draw, "record": self.record}


@dataclass(frozen=True, slots=True)
class Entered:
    """`waiting`: in the order in which they were entered, the cards of which the shoe may still tell; `told`: by the
    shoe's name of it, the cards of this round of which it has told; `lying`: of those the names whose value it has
    told while they lie face down; `unlike`: the cards that it tells otherwise, until somebody decides on them."""

    waiting: tuple[ByHand, ...] = ()
    told: Mapping[str, ByHand] = field(default_factory=dict)
    lying: frozenset[str] = frozenset()
    unlike: tuple[ByHand, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether there is a card of which the shoe may still tell, or on which somebody has to decide."""
        return bool(self.waiting or self.unlike)

    def noted(self, kind: Kind, fields: Mapping[str, Any]) -> Entered:
        """After a record that is no table event."""
        match kind, fields:
            case "link", {"device": "shoe", "to": "ready"}:
                return replace(self, waiting=())
            case "device", {"device": "shoe", "report": "by-hand", "data": {"waiting": _} as cards}:
                return read_entered(cards)
            case "device", {"device": "shoe", "report": report, "data": {"record": int(), "ref": str(ref)} as data}:
                return self._brought_together(report, ref, data)
            case "input", {"resolution": {"round": number}}:
                return replace(self, unlike=tuple(each for each in self.unlike if each.round != number))
        return self

    def after(
        self, event: TableEvent, verdict: Verdict, check: Check, record: int, round_number: int, instead: str | None
    ) -> Entered:
        """After the record of a table event, which was entered `instead` of the shoe where it was; `check` has it."""
        if isinstance(event, LogGap):
            return replace(self, waiting=())
        if instead != "away" or not isinstance(event, CardDrawn):
            return self
        card = ByHand(record, round_number, verdict.draw, verdict.to, check.events)
        return replace(self, waiting=(*self.waiting, card))

    def after_unbooked(
        self, event: TableEvent, verdict: Verdict, record: int, round_number: int, fields: Mapping[str, Any]
    ) -> Entered:
        """The same where no check has the event: of a card is known what its record says, and what later ones open or
        tell of it."""
        if isinstance(event, LogGap):
            return replace(self, waiting=())
        if fields.get("instead") == "away" and isinstance(event, CardDrawn):
            known = event.card if isinstance(event.card, Card) else None
            card = ByHand(record, round_number, verdict.draw, verdict.to, None, known)
            return replace(self, waiting=(*self.waiting, card))
        opened = {each["seq"]: each["value"] for each in fields.get("disclosed", ()) if each["field"] == "card"}
        revealed = (round_number, event.draw) if isinstance(event, CardRevealed) and event.draw else None

        def known_now(each: ByHand) -> ByHand:
            if each.record in opened:
                return replace(each, card=Card.parse(opened[each.record]))
            if isinstance(event, CardRevealed) and isinstance(event.card, Card) and (each.round, each.draw) == revealed:
                return replace(each, card=event.card)
            return each

        return replace(self, waiting=tuple(map(known_now, self.waiting)), unlike=tuple(map(known_now, self.unlike)))

    def at(self, round_number: int, check: Check) -> Entered:
        """In this round of the epoch: what lies face down of those before it stays closed."""
        cards = (*self.waiting, *self.told.values(), *self.unlike)
        if all(each.event is None or each.round >= round_number for each in cards):
            return self
        values = check.values()

        def kept(each: ByHand) -> ByHand:
            if each.event is None or each.round >= round_number:
                return each
            value = values.get(each.event)
            return replace(each, event=None, card=value if isinstance(value, Card) else None)

        told = {ref: each for ref, each in self.told.items() if each.round >= round_number}
        lying = frozenset(ref for ref in self.lying if ref in told)
        return Entered(tuple(map(kept, self.waiting)), told, lying, tuple(map(kept, self.unlike)))

    def ref_of(self, draw: Draw) -> str | None:
        """The shoe's name of a card by hand whose value nobody entered, where it has told it."""
        named = (ref for ref, each in self.told.items() if each.event == draw.origin)
        return next(named, None) if draw.card is None else None

    def _brought_together(self, report: str, ref: str, data: Mapping[str, Any]) -> Entered:
        """After a record that says what the shoe tells of a card by hand."""
        record = data["record"]
        card = next((each for each in (*self.waiting, *self.told.values()) if each.record == record), None)
        if card is None:
            return self
        waiting = tuple(each for each in self.waiting if each.record != record)
        told = {**self.told, ref: card} if card.event is not None else self.told
        lying = self.lying - {ref} if report == UNLIKE or "turned" in data else self.lying
        lying = lying | {ref} if data.get("withheld") and report != UNLIKE else lying
        unlike = (*self.unlike, card) if report == UNLIKE else self.unlike
        return Entered(waiting, told, lying, unlike)


def carried(entered: Entered) -> DeviceReported:
    """What a journal says after a header, so that these cards stay known."""
    return DeviceReported(SHOE, CARRIED, written_entered(entered))


def written_entered(entered: Entered) -> dict[str, Any]:
    """As plain values, between rounds."""
    return {name: [_written(each) for each in getattr(entered, name)] for name in ("waiting", "unlike")}


def read_entered(fields: Mapping[str, Any]) -> Entered:
    """What `written_entered` wrote; ValueError, LookupError or TypeError where it is none of this version."""
    return Entered(tuple(map(_read, fields["waiting"])), unlike=tuple(map(_read, fields["unlike"])))


def _written(card: ByHand) -> dict[str, Any]:
    return {**asdict(card), "card": str(card.card) if card.card else None}


def _read(fields: Mapping[str, Any]) -> ByHand:
    return ByHand(**{**fields, "card": Card.parse(fields["card"]) if fields["card"] else None})
