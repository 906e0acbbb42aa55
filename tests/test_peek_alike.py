"""Until the act that makes it public nothing depends on what the reader said, or on the card under it: not which
records come and how long they are, not what is due, not what is ordered, and not when the table moves by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from controller.clock import Clock
from controller.fallback import Fallback
from controller.ledger import Ledger
from controller.reader_care import ReaderCare
from controller.recovery import fresh
from controller.vault import Vault
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named
from protocols.dealing.outlook import Outlook, outlook
from protocols.events import (
    CardDrawn,
    Event,
    InsuranceClosed,
    LogGap,
    LogHeader,
    PlayerActed,
    ReaderPeeked,
    RoundOpened,
    RoundVoided,
)
from protocols.floor.messages import Source
from protocols.hidden import hide, hide_text
from protocols.orders import Order
from protocols.records import DeviceReported, Fact, LinkChanged, Ordered

S = 1_000_000_000
UP = LinkChanged("reader", "opening", "ready")
SECRETS = (("Ah", "natural"), ("7c", "no_natural"), ("Ah", "no_natural"), ("7c", "natural"), ("5d", "error"))
"""The hole card under a king, and what the reader says of it, rightly or not."""


def reader(report: str, **data: object) -> DeviceReported:
    return DeviceReported("reader", report, data)


AFTERWARDS: dict[str, Sequence[Fact]] = {
    "the cards are taken out": (reader("removed", round=1),),
    "its line is lost and comes back": (LinkChanged("reader", "ready", "lost"), UP),
    "its data is stale": (reader("stale", age_s=2.1, max_age_s=2.0), reader("fresh", away_s=1.0)),
    "it reports a fault": (reader("error", code="tdl-22", error="light", severity="fault", detail=0),),
    "it fails its test": (reader("self-test", result=1, bits=1),),
    "it refuses cards": tuple(reader("peek-refused", round=1, reason=3) for _ in range(2)),
    "it starts anew": (reader("boot", reason=0, unclean=0),),
    "the cards are seated again": (reader("seated", round=1),),
    "it is not armed": (Ordered("reader", "peek_arm", {"round": 1}, "1", "denied"),),
    "something is missed": (LogGap(),),
    "the shoe's line is lost": (LinkChanged("shoe", "ready", "lost"),),
    "the round is voided": (RoundVoided(reason="misdeal"),),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What of a moment can be seen from outside: records by kind and length, what the display says, how much was
    ordered, and when the table would move by itself."""

    records: tuple[tuple[str, int, int], ...]
    outlook: Outlook
    orders: int
    deadline: int | None


class Watched:
    """A table around its reader, at which whoever looks on sees each moment."""

    def __init__(self, procedure: str) -> None:
        found = procedure_named(procedure)
        header = LogHeader(procedure=procedure, observes=("positions", "faces", "signals"))
        source = Source("riverside", "bj-01", "0" * 32)
        vault = Vault(bytes(32))
        self._ledger = Ledger(source, fresh(header, found).standing, header, found, vault, Clock("boot"))
        self._orders: list[Order] = []
        self._care = ReaderCare(Fallback(ready=True), self._orders.append)
        self._now = 0

    def sees(self, fact: Fact) -> Seen:
        """The moment of a fact, a tenth of a second after the one before."""
        self._now += S // 10
        facts = self._care.heard([fact], self._ledger.standing.round)
        return self._seen([record for each in facts for record in self._entered(each)])

    def waits(self, seconds: int) -> Iterator[Seen]:
        """Every moment in which the table moves by itself, for so long."""
        until = self._now + seconds * S
        while (deadline := self._care.deadline(self._ledger.check)) is not None and deadline <= until:
            self._now = deadline
            event = self._care.pass_time(self._ledger.check, self._now)
            yield self._seen(self._entered(event) if event else [])
        self._now = until

    def _seen(self, records: Sequence[tuple[str, int, int]]) -> Seen:
        check = self._ledger.check
        return Seen(tuple(records), outlook(check), len(self._orders), self._care.deadline(check))

    def _entered(self, fact: Fact) -> list[tuple[str, int, int]]:
        rows = self._ledger.enter(fact, self._now).rows
        records: list[tuple[str, int, int]] = [(row.kind, len(row.body), len(row.sealed or b"")) for row in rows]
        event = self._care.after(fact, self._ledger.check, self._now)
        if event is not None:
            return records + self._entered(event)
        self._care.look(self._ledger.check, self._ledger.standing.round)
        return records


def deal(hole: str, up: str) -> list[Event]:
    drawn = [("9s", "box:1", "up"), (up, "dealer", "up"), ("9d", "box:1", "up")]
    cards: list[Event] = [CardDrawn(card=Card.parse(card), to=to, face="up") for card, to, _ in drawn]
    closed: list[Event] = [InsuranceClosed()] if up[0] == "A" else []
    return [RoundOpened(boxes=(1,)), *cards, CardDrawn(card=hide(Card.parse(hole)), to="dealer", face="down"), *closed]


def told(procedure: str, hole: str, result: str, afterwards: Sequence[Fact], up: str) -> list[Seen]:
    """All that can be seen up to the act that makes it public."""
    table = Watched(procedure)
    answer = (reader("seated", round=1), reader("verdict", round=1, tries=1), ReaderPeeked(result=hide_text(result)))
    seen = [table.sees(fact) for fact in (UP, *deal(hole, up), *answer)]
    seen += table.waits(30)
    for fact in afterwards:
        seen.append(table.sees(fact))
        seen += table.waits(30)
    return seen


@pytest.mark.parametrize("procedure", ["nd-card-reader", "sl", "pa", "us-card-reader"])
@pytest.mark.parametrize("afterwards", AFTERWARDS)
def test_nothing_tells_what_the_reader_said(procedure: str, afterwards: str) -> None:
    first, *others = [told(procedure, hole, result, AFTERWARDS[afterwards], "Ks") for hole, result in SECRETS]
    assert len(first) > len(AFTERWARDS[afterwards])
    assert all(other == first for other in others)


@pytest.mark.parametrize("procedure", ["nd-card-reader", "sl", "pa", "us-card-reader"])
def test_nothing_tells_it_under_an_ace(procedure: str) -> None:
    looks = [told(procedure, hole.replace("A", "K"), result, (), "As") for hole, result in SECRETS]
    assert all(look == looks[0] for look in looks)


def test_the_act_that_makes_it_public_tells_it() -> None:
    acts = [told("nd-card-reader", hole, result, (PlayerActed(box=1, action="hit"),), "Ks") for hole, result in SECRETS]
    assert acts[0][:-1] == acts[1][:-1]
    assert acts[0][-1] != acts[1][-1]


def test_a_reader_that_owes_its_answer_is_waited_for_alike() -> None:
    def owed(hole: str) -> list[Seen]:
        table = Watched("nd-card-reader")
        return [*map(table.sees, (UP, *deal(hole, "Ks"), reader("seated", round=1))), *table.waits(30)]

    waits = [owed(hole) for hole, _ in SECRETS]
    assert any("table" in {kind for kind, _, _ in seen.records} for seen in waits[0][-2:])
    assert all(each == waits[0] for each in waits)
