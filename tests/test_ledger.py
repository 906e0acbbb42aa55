"""What the ledger keeps from record to record, and what it lets go: values told early, and what lasts over a header."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from controller.clock import Clock
from controller.journal import Journal
from controller.journal_file import Row
from controller.ledger import Entry, Ledger
from controller.recovery import fresh, recovered
from controller.vault import Vault
from protocols.cards import Card
from protocols.dealing.catalog import procedure_named
from protocols.events import (
    CardDrawn,
    CardRevealed,
    HandSettled,
    HoleRevealed,
    LogHeader,
    MethodSelected,
    PlayerActed,
    ReaderFaulted,
    ReaderRestored,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    ShoeFaulted,
    ShoeRestored,
    TableEvent,
)
from protocols.hidden import hide
from protocols.records import Fact, SystemNoted

HEADER = LogHeader(procedure="nd-card-reader", observes=("positions", "faces", "signals"))
CHANGED = HEADER.model_copy(update={"options": {"soft_17": "hit"}})
VAULT = Vault(bytes(32))
JAMMED = ShoeFaulted(code="tdl-09", seq=40, actor="shoe", t="2026-11-30T07:03:48Z")
LOST = ReaderFaulted(code="link-lost")
CHOSEN = MethodSelected(procedure="nd-no-hole", actor="supervisor")
START = SystemNoted("start")


class Kept:
    """A ledger on a journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal.open(path, "riverside", "bj-07")
        self.ledger = self.of(HEADER)

    def of(self, wanted: LogHeader) -> Ledger:
        """The ledger where the journal ends, under the header that is wanted."""
        procedure = procedure_named(wanted.procedure or "")
        found = recovered(self.path, self.journal.epoch, procedure_named, VAULT) or fresh(wanted, procedure)
        assert found.differs is None
        return Ledger(self.journal.source, found.standing, wanted, procedure, VAULT, Clock("boot"))

    async def begin(self) -> None:
        await self.journal.append([self.ledger.header(0)])

    async def enter(self, *facts: Fact) -> list[Entry]:
        entries = [self.ledger.enter(fact, 0) for fact in facts]
        rows = [row for entry in entries for row in entry.rows]
        await self.journal.append(rows, next((entry.snapshot for entry in reversed(entries) if entry.snapshot), None))
        return entries


def data(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(row.body)["data"]
    return fields


def told(draw: int, card: str) -> CardRevealed:
    return CardRevealed(ref=f"1/{draw}", card=hide(Card.parse(card)), actor="shoe", seq=50)


def dealt(hole: str | None = None, *, face: str | None = "down") -> tuple[Fact, ...]:
    value = hide(Card.parse(hole)) if hole else None
    return (
        RoundOpened(boxes=(1,)),
        CardDrawn(to="box:1", card=Card("9", "s"), face="up", ref="1/1"),
        CardDrawn(to="dealer", card=Card("6", "s"), face="up", ref="1/2"),
        CardDrawn(to="box:1", card=Card("9", "d"), face="up", ref="1/3"),
        CardDrawn.model_validate({"to": "dealer", "card": value, "face": face, "ref": "1/4"}),
    )


@pytest.mark.parametrize("end", [RoundClosed(), RoundVoided()])
def test_what_was_told_early_is_forgotten_with_its_round(tmp_path: Path, end: TableEvent) -> None:
    async def deal() -> None:
        kept = Kept(tmp_path / "journal.db")
        await kept.begin()
        await kept.enter(*dealt(), told(4, "Ah"))
        assert kept.ledger.standing.told.keys() == {"1/4"}
        assert kept.of(HEADER).standing.told.keys() == {"1/4"}
        await kept.enter(end)
        for ledger in (kept.ledger, kept.of(HEADER)):
            assert ledger.standing.told == {}
        turned = (await kept.enter(*dealt(), PlayerActed(box=1, action="stand"), HoleRevealed()))[-1].rows[-1]
        assert "card" not in data(turned)["event"]
        await kept.journal.close()

    asyncio.run(deal())


def test_what_was_told_early_is_forgotten_with_its_header(tmp_path: Path) -> None:
    async def deal() -> None:
        kept = Kept(tmp_path / "journal.db")
        await kept.begin()
        await kept.enter(*dealt(), RoundVoided(), told(4, "Ah"))
        assert kept.ledger.standing.told
        kept.ledger = kept.of(CHANGED)
        await kept.enter(START)
        assert kept.ledger.standing.told == {}
        turned = (await kept.enter(*dealt(), PlayerActed(box=1, action="stand"), HoleRevealed()))[-1].rows[-1]
        assert "card" not in data(turned)["event"]
        await kept.journal.close()

    asyncio.run(deal())


@pytest.mark.parametrize("end", [RoundClosed(), RoundVoided()])
@pytest.mark.parametrize("hole", [None, "Kh"], ids=["withheld", "given"])
def test_a_value_that_comes_for_a_card_nobody_turned_is_sealed_for_good(
    tmp_path: Path, end: TableEvent, hole: str | None
) -> None:
    async def deal() -> None:
        kept = Kept(tmp_path / "journal.db")
        await kept.begin()
        await kept.enter(*dealt(hole), end)
        [row] = (await kept.enter(told(4, "Ah")))[0].rows
        assert (row.kind, data(row)["report"], row.sealed is not None) == ("device", "reveal", True)
        assert b"Ah" not in row.body
        await kept.enter(*dealt(), RoundClosed())
        assert kept.of(HEADER).standing.seq == kept.ledger.standing.seq
        await kept.journal.close()

    asyncio.run(deal())


@pytest.mark.parametrize(
    "facts",
    [
        (*dealt(), HoleRevealed(), told(4, "Ah")),
        (*dealt(), HoleRevealed(), RoundClosed(), told(4, "Ah")),
        (*dealt(face=None), RoundClosed(), told(4, "Ah")),
        (
            *dealt("Kh"),
            PlayerActed(box=1, action="double"),
            CardDrawn(to="box:1", face="down", ref="1/5"),
            HandSettled(box=1),
            told(5, "2h"),
        ),
    ],
    ids=["turned", "turned and closed", "open at the end", "settled"],
)
def test_a_value_that_comes_late_for_a_card_that_lies_open_is_told(tmp_path: Path, facts: tuple[Fact, ...]) -> None:
    async def deal() -> None:
        kept = Kept(tmp_path / "journal.db")
        await kept.begin()
        entry = (await kept.enter(*facts))[-1]
        assert data(entry.rows[-1])["event"]["type"] == "card.revealed"
        await kept.journal.close()

    asyncio.run(deal())


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ((JAMMED,), ["shoe.faulted"]),
        ((JAMMED, ShoeRestored()), []),
        ((LOST,), ["reader.faulted"]),
        ((LOST, ReaderRestored()), []),
        ((LOST, CHOSEN, JAMMED), ["shoe.faulted", "reader.faulted", "method.selected"]),
        ((CHOSEN,), []),
        ((LOST, CHOSEN, ReaderRestored(), LOST), ["reader.faulted"]),
        ((LOST, CHOSEN, MethodSelected(procedure="nz")), ["reader.faulted", "method.selected"]),
    ],
)
@pytest.mark.parametrize("rounds", [0, 3])
def test_what_lasts_is_said_again_under_another_header(
    tmp_path: Path, before: tuple[TableEvent, ...], again: list[str], rounds: int
) -> None:
    async def change() -> None:
        kept = Kept(tmp_path / "journal.db")
        await kept.begin()
        await kept.enter(*before, *[RoundOpened(boxes=(1,)), RoundClosed()] * rounds)
        for wanted in (CHANGED, HEADER):
            kept.ledger = kept.of(wanted)
            due = kept.ledger.check.due()
            [entry] = await kept.enter(START)
            header, *said, _ = entry.rows
            assert header.kind == "header"
            assert [data(row)["event"]["type"] for row in said] == again
            assert [row.n for row in said] == list(range(1, len(again) + 1))
            assert not any({"seq", "t"} & data(row)["event"].keys() for row in said)
            assert all(data(row)["verdict"]["outcome"] == "ok" for row in said)
            assert kept.ledger.check.due() == due
            state = kept.ledger.standing.check.state
            assert state.shoe.faulted is ("shoe.faulted" in again)
            assert state.reader.faulted is ("reader.faulted" in again)
            assert (state.reader.selected == "no-hole") is ("method.selected" in again)
        await kept.journal.close()

    asyncio.run(change())
