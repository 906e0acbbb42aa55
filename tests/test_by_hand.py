"""Cards by hand while the shoe is away, and what it tells of them once it is back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from test_inputs_at_table import Session, at_work, data

from protocols.cards import Card
from protocols.events import (
    CardDrawn,
    CardRevealed,
    HoleRevealed,
    LogGap,
    LogHeader,
    RoundClosed,
    RoundOpened,
    ShoeFaulted,
    TableEvent,
    written,
)
from protocols.hidden import hide
from protocols.records import Fact, LinkChanged

HEADER = LogHeader(
    procedure="us-card-reader",
    shoe="mid",
    observes=("positions", "faces", "signals", "wagers"),
    options={"burn": 0, "peek": "allowed"},
)
GONE = LinkChanged("shoe", "ready", "lost", "gone")
COMING = LinkChanged("shoe", "opening", "handshake")
READY = LinkChanged("shoe", "handshake", "ready")
Story = Callable[[Session], Awaitable[None]]
Dealt = tuple[str | None, str, str]
DEAL: Sequence[Dealt] = (("9s", "box:1", "up"), ("5d", "dealer", "up"), ("8h", "box:1", "up"), ("Kc", "dealer", "down"))


def told_late(number: int, card: str | None, to: str | None) -> CardDrawn:
    value = hide(Card.parse(card)) if card else None
    return CardDrawn(card=value, to=to, ref=f"5/{number}", seq=100 + number, actor="shoe")


class At:
    """A table whose shoe is away, with a round open."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.count = 0

    async def say(self, event: TableEvent, role: str = "supervisor") -> Mapping[str, Any]:
        self.count += 1
        return await self.session.ask(f"{len(self.session.records())}-{self.count}", written(event), role)  # type: ignore[arg-type]

    async def open(self) -> None:
        await self.session.tell(LinkChanged("shoe", "handshake", "ready"), GONE)
        assert (await self.say(RoundOpened(boxes=(1,)), "dealer"))["ok"]

    async def enter(self, *dealt: Dealt) -> None:
        for card, to, face in dealt:
            fields = {"type": "card.drawn", "to": to, "face": face} | ({"card": card} if card else {})
            self.count += 1
            answer = await self.session.ask(f"{len(self.session.records())}-{self.count}", fields, "supervisor")
            assert answer["ok"], answer

    async def back(self, *late: Fact) -> list[Mapping[str, Any]]:
        """The shoe comes back and tells this late; the data of the records."""
        await self.session.tell(COMING)
        records = [record for fact in late for record in await self.session.tell(fact)]
        return [*records, *await self.session.tell(READY)]

    def reports(self, name: str) -> list[Mapping[str, Any]]:
        records = [data(row) for row in self.session.records()]
        return [each["data"] for each in records if each["kind"] == "device" and each["report"] == name]

    def drawn(self) -> list[Mapping[str, Any]]:
        records = [data(row) for row in self.session.records() if row.kind == "table"]
        return [each for each in records if each["event"]["type"] == "card.drawn"]

    def security(self) -> list[str]:
        return [data(row)["detail"] for row in self.session.records() if row.kind == "security"]

    @property
    def text(self) -> str:
        return " ".join(row.body.decode() for row in self.session.records())


def with_table(path: Path, *stories: Callable[[At], Awaitable[None]], header: LogHeader = HEADER) -> None:
    """The stories one after the other, with a kill between two of them."""

    async def run() -> None:
        for story in stories:
            async with at_work(path / "j.db", header, frozenset()) as session:
                await story(At(session))

    asyncio.run(run())


async def entered(table: At) -> None:
    await table.open()
    await table.enter(*DEAL)


def named(reports: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    return [(each["round"], each["draw"]) for each in reports]


def late(*changes: tuple[int, str | None, str | None]) -> list[CardDrawn]:
    """The deal as the shoe tells it; `changes`: card and place at a number from 1."""
    cards: dict[int, tuple[str | None, str | None]] = {
        number: (card, to) for number, (card, to, _) in enumerate(DEAL, 1)
    }
    cards |= {number: (card, to) for number, card, to in changes}
    return [told_late(number, card, to) for number, (card, to) in sorted(cards.items())]


@pytest.mark.parametrize("killed", [False, True], ids=["in one life", "over a kill"])
def test_the_same_cards_are_counted_once_and_each_is_confirmed(tmp_path: Path, killed: bool) -> None:
    async def returned(table: At) -> None:
        await table.back(*late())
        assert [each["event"].get("manual") for each in table.drawn()] == [True] * 4
        confirmed = table.reports("reconciled")
        assert [(each["draw"], each["eseq"], each["ref"]) for each in confirmed] == [
            (number, 100 + number, f"5/{number}") for number in range(1, 5)
        ]
        assert [each["record"] for each in confirmed] == [
            row.seq for row in table.session.records() if b'"card.drawn"' in row.body
        ]
        assert [*table.reports("unconfirmed"), *table.reports("mismatch"), *table.security()] == []
        await table.session.tell(told_late(5, "4c", "box:1"))
        assert len(table.drawn()) == 5

    async def both(table: At) -> None:
        await entered(table)
        await returned(table)

    with_table(tmp_path, *((entered, returned) if killed else (both,)))


def test_fewer_cards_stay_by_hand_and_more_cards_are_late_ones(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await entered(table)
        await table.back(*late()[:3])
        assert len(table.reports("reconciled")) == 3
        [left] = table.reports("unconfirmed")
        assert [each["draw"] for each in left["cards"]] == [4]
        await table.session.tell(GONE)
        records = await table.back(told_late(4, "4c", "box:1"), told_late(5, "2c", "box:1"))
        assert [each["verdict"]["draw"] for each in records if each["kind"] == "table"] == [5, 6]

    with_table(tmp_path, story)


def test_nothing_entered_is_an_ordinary_late_card(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await table.open()
        await table.back(told_late(1, "9s", "box:1"))
        assert [each["event"]["ref"] for each in table.drawn()] == ["5/1"]
        assert table.reports("reconciled") == []

    with_table(tmp_path, story)


def test_another_card_wins_nothing_and_a_supervisor_is_asked(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await entered(table)
        await table.back(*late((1, "2d", "box:1")))
        [unlike] = table.reports("mismatch")
        assert (unlike["entered"], unlike["told"]) == (
            {"to": "box:1", "card": "9s"},
            {"to": "box:1", "card": "2d"},
        )
        assert len(table.reports("reconciled")) == 3
        assert len(table.drawn()) == 4
        assert table.security() == ["round 1, card 1: the shoe tells another one than was entered by hand"]
        assert "a supervisor decides" in table.session.remarks[-1][0]

    def then(event: TableEvent) -> Callable[[At], Awaitable[None]]:
        async def again(table: At) -> None:
            assert (await table.say(event, "dealer"))["ok"]
            assert "round 1, card 1" in table.session.remarks[-1][0]

        return again

    with_table(tmp_path, story, then(RoundClosed()), then(RoundOpened(boxes=(1,))))


@pytest.mark.parametrize(
    "change", [(1, "2d", None), (1, "2d", "dealer"), (1, "Kc", None)], ids=["no place", "elsewhere", "the hole card"]
)
def test_a_value_that_may_lie_face_down_is_not_told_with_the_mismatch(
    tmp_path: Path, change: tuple[int, str, str | None]
) -> None:
    async def story(table: At) -> None:
        await table.open()
        await table.enter(*DEAL[:2])
        await table.back(told_late(*change))
        assert len(table.reports("mismatch")) == 1
        assert f'"{change[1]}"' not in table.text

    with_table(tmp_path, story)


@pytest.mark.parametrize("told", ["Kc", "Kd"], ids=["same", "other"])
@pytest.mark.parametrize("says", [None, "Kc"], ids=["untold", "told"])
@pytest.mark.parametrize("killed", [False, True])
def test_a_card_face_down_is_compared_when_it_is_turned(
    tmp_path: Path, told: str, says: str | None, killed: bool
) -> None:
    async def begun(table: At) -> None:
        await entered(table)
        await table.back(*late((4, told, "dealer")))
        assert [each["draw"] for each in table.reports("reconciled")] == [1, 2, 3, 4]
        assert table.reports("reconciled")[3].keys() == {"eseq", "ref", "round", "draw", "record", "withheld"}
        assert '"Kc"' not in table.text
        assert '"Kd"' not in table.text

    async def turned(table: At) -> None:
        await table.session.ask("s", {"type": "player.acted", "box": 1, "action": "stand"})
        answer = await table.say(HoleRevealed(card=Card.parse(says) if says else None), "dealer")
        assert answer["verdict"]["code"] is None
        if told == "Kc":
            assert table.reports("reconciled")[-1]["turned"] is True
            assert table.security() == []
        else:
            [unlike] = table.reports("mismatch")
            assert (unlike["entered"]["card"], unlike["told"]["card"]) == ("Kc", "Kd")
            assert len(table.security()) == 1

    async def both(table: At) -> None:
        await begun(table)
        await turned(table)

    with_table(tmp_path, *((begun, turned) if killed else (both,)))


@pytest.mark.parametrize("killed", [False, True])
@pytest.mark.parametrize("withheld", [False, True])
def test_what_nobody_could_read_face_down_is_told_by_the_shoe_at_its_turning(
    tmp_path: Path, killed: bool, withheld: bool
) -> None:
    async def begun(table: At) -> None:
        await table.open()
        await table.enter(*DEAL[:3], (None, "dealer", "down"))
        await table.back(*late((4, None if withheld else "Kc", "dealer")))
        if withheld:
            await table.session.tell(CardRevealed(ref="5/4", card=hide(Card.parse("Kc")), seq=105, actor="shoe"))
        assert '"Kc"' not in table.text

    async def turned(table: At) -> None:
        await table.session.ask("s", {"type": "player.acted", "box": 1, "action": "stand"})
        assert (await table.say(HoleRevealed(), "dealer"))["ok"]
        last = [data(row) for row in table.session.records() if row.kind == "table"][-1]
        assert last["event"]["card"] == "Kc"

    async def both(table: At) -> None:
        await begun(table)
        await turned(table)

    with_table(tmp_path, *((begun, turned) if killed else (both,)))


def test_what_nobody_could_read_face_up_is_shown_by_the_shoe(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await table.open()
        await table.enter((None, "box:1", "up"))
        await table.back(told_late(1, "9s", "box:1"))
        shown = [data(row)["event"] for row in table.session.records() if row.kind == "table"][-1]
        assert shown == {"type": "card.revealed", "actor": "shoe", "draw": 1, "card": "9s"}
        assert len(table.reports("reconciled")) == 1

    with_table(tmp_path, story)


@pytest.mark.parametrize("card", ["9s", "2d"])
def test_a_value_that_the_shoe_withheld_of_a_card_by_hand(tmp_path: Path, card: str) -> None:
    async def story(table: At) -> None:
        await entered(table)
        await table.back(*late((1, None, "box:1")))
        await table.session.tell(CardRevealed(ref="5/1", card=hide(Card.parse(card)), seq=105, actor="shoe"))
        assert len(table.reports("reveal" if card == "9s" else "mismatch")) == 1
        assert table.reports("impossible") == []

    with_table(tmp_path, story)


def test_rounds_that_are_over_are_reconciled_too_also_after_a_kill_and_another_header(tmp_path: Path) -> None:
    async def begun(table: At) -> None:
        await entered(table)
        await table.say(HoleRevealed(card=Card.parse("Kc")), "dealer")
        await table.say(RoundClosed(), "dealer")
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.enter(("7d", "box:1", "up"))
        await table.say(RoundClosed(), "dealer")

    async def other(table: At) -> None:
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.say(RoundClosed(), "dealer")

    async def returned(table: At) -> None:
        await table.back(*late((2, "5h", "dealer")), told_late(5, "7d", "box:1"))
        assert [(each["round"], each["draw"]) for each in table.reports("reconciled")] == [
            (1, 1),
            (1, 3),
            (1, 4),
            (2, 1),
        ]
        assert [(each["round"], each["draw"]) for each in table.reports("mismatch")] == [(1, 2)]
        assert len(table.drawn()) == 5

    changed = HEADER.model_copy(update={"options": {"burn": 0}})

    async def run() -> None:
        for story, header in ((begun, HEADER), (other, changed), (returned, changed)):
            async with at_work(tmp_path / "j.db", header, frozenset()) as session:
                await story(At(session))

    asyncio.run(run())


def test_after_a_gap_nothing_is_brought_together(tmp_path: Path) -> None:
    async def story(table: At) -> None:
        await entered(table)
        await table.session.tell(COMING)
        await table.session.tell(LogGap(reason="lost"), told_late(1, "9s", "box:1"))
        assert len(table.reports("unconfirmed")) == 1
        assert len(table.drawn()) == 5

    with_table(tmp_path, story)


REFUSED = {
    "ready": ((READY,), "is in order"),
    "silent": ((READY, LinkChanged("shoe", "ready", "stalled")), "silent for a moment"),
    "telling": ((READY, GONE, COMING, told_late(1, "9s", "box:1")), "is coming back"),
}
ACCEPTED: Mapping[str, tuple[Sequence[Fact], str]] = {
    "never there": ((), "away"),
    "gone": ((READY, GONE), "away"),
    "coming": ((READY, GONE, COMING), "away"),
    "gone again": ((COMING, told_late(1, "9s", "box:1"), LinkChanged("shoe", "handshake", "lost")), "away"),
    "in error": ((READY, ShoeFaulted(code="tdl-09", actor="shoe", seq=7)), "faulted"),
}
BY_HAND = {"type": "card.drawn", "to": "box:1", "face": "up", "card": "4s"}


@pytest.mark.parametrize("name", REFUSED)
def test_a_shoe_that_tells_its_cards_is_not_spoken_for(tmp_path: Path, name: str) -> None:
    facts, why = REFUSED[name]

    async def story(table: At) -> None:
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        await table.session.tell(*facts)
        answer = await table.session.ask("m", BY_HAND, "supervisor")
        assert not answer["ok"]
        assert why in answer["why"]

    with_table(tmp_path, story)


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_card_by_hand_says_why_it_may_be(tmp_path: Path, name: str) -> None:
    facts, instead = ACCEPTED[name]

    async def story(table: At) -> None:
        await table.say(RoundOpened(boxes=(1,)), "dealer")
        if facts:
            await table.session.tell(*facts)
        assert (await table.session.ask("m", BY_HAND, "supervisor"))["ok"]
        assert data(table.session.records()[-1])["instead"] == instead

    with_table(tmp_path, story)
