"""A table of Mississippi stud end to end: a TDL/1 shoe, people at the panel, the daemon in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from own_table import OwnTable, own_table

from protocols.cards import Card
from protocols.events import (
    CallMade,
    CardsShuffled,
    CommunityRevealed,
    HandSettled,
    PlayerActed,
    RoundClosed,
    RoundOpened,
    ShoeEmptied,
    Street,
    StubCounted,
    StubDiscarded,
)
from simulators.tdl import codes

GAME = 'procedure = "nj-ms-shoe"'
BOXES = {"box:1": ("Js", "Jd"), "box:2": ("4c", "7h")}
BOARD = {"community:3": "5s", "community:4": "Jc", "community:5": "2d"}


async def begun(table: OwnTable) -> None:
    """A shuffled deck lies in the shoe, and no more bets can be made in boxes 1 and 2."""
    table.shoe.do(lambda now: table.shoe.device.load(1, now))
    await table.shoe.until(lambda: table.shoe.is_stored)
    for event in (CardsShuffled(by="hand"), RoundOpened(boxes=(1, 2)), CallMade(call="no_more_bets")):
        assert (await table.say(event))["ok"]


async def stacks(table: OwnTable, *, sensed: bool, withhold: bool = False) -> None:
    for place, cards in BOXES.items():
        for card in cards:
            await drawn(table, card, place if sensed else None, withhold=withhold)


async def drawn(table: OwnTable, card: str, place: str | None, *, withhold: bool = False) -> None:
    """A card leaves the shoe for a place, or for one that is not sensed."""
    if place:
        await table.card(card, place, withhold=withhold)
        return
    table.shoe.do(lambda now: table.shoe.device.draw(Card.parse(card), now, withhold=withhold))
    await table.shoe.until(lambda: table.shoe.is_stored)


async def board(table: OwnTable, *, withhold: bool = False) -> None:
    """The rest of the cards is taken out of the shoe, and three of them are laid."""
    table.shoe.do(table.shoe.device.end)
    await table.shoe.until(lambda: table.shoe.is_stored)
    for place, card in BOARD.items():
        await table.card(card, place, withhold=withhold)
    for event in (StubCounted(count=45), StubDiscarded(exposed=False)):
        assert (await table.say(event))["ok"]


async def streets(table: OwnTable) -> None:
    """Box 2 folds, box 1 stays to the end and wins with three jacks."""
    assert (await table.say(PlayerActed(box=1, action="bet", multiple=3)))["ok"]
    assert (await table.say(PlayerActed(box=2, action="fold")))["ok"]
    turns: tuple[Street, ...] = (3, 4, 5)
    for street in turns:
        assert (await table.say(CommunityRevealed(street=street)))["ok"]
        if street < 5:
            assert (await table.say(PlayerActed(box=1, action="bet", multiple=1)))["ok"]
    assert await table.due() == ["hand.settled box:1", "round.closed"]
    assert (await table.say(HandSettled(box=1, result="win")))["ok"]
    assert (await table.say(RoundClosed()))["ok"]


def disclosed(table: OwnTable) -> Mapping[str, list[str]]:
    """The values that each kind of event opened."""
    opened: dict[str, list[str]] = {}
    for data in table.journal.records():
        values = [each["value"] for each in data.get("disclosed", [])]
        if values:
            opened.setdefault(data["event"]["type"], []).extend(values)
    return opened


def cards_told(table: OwnTable) -> list[Any]:
    return [data["event"].get("card") for data in table.events("card.drawn")]


def test_a_round_from_the_shoe_opens_what_is_turned_and_nothing_else(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with own_table(tmp_path, procedure=GAME) as table:
            await begun(table)
            await stacks(table, sensed=False)
            assert await table.due() == ["shoe.emptied"]
            await board(table)
            await streets(table)
            assert table.codes() == []
            assert cards_told(table) == [None] * 7
            assert disclosed(table) == {"community.revealed": ["5s", "Jc", "2d"], "hand.settled": ["Js", "Jd"]}
            log = [data["event"] for data in table.journal.records() if data["kind"] == "table"]
            assert [event.get("to") for event in log if event["type"] == "card.drawn"][-3:] == list(BOARD)

    asyncio.run(scenario())


def test_a_kill_between_two_rounds_and_in_the_midst_of_one_loses_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with own_table(tmp_path, procedure=GAME) as table:
            await begun(table)
            await stacks(table, sensed=True)
            table.kill()
            await table.start()
            await board(table)
            await streets(table)
            table.kill()
            await table.start()
            await begun(table)
            await stacks(table, sensed=True)
            assert await table.due() == ["shoe.emptied"]
            assert table.codes() == []

    asyncio.run(scenario())


def test_what_the_shoe_withholds_is_opened_as_it_tells_it_and_the_table_turns_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with own_table(tmp_path, procedure=GAME) as table:
            await begun(table)
            await stacks(table, sensed=True, withhold=True)
            await board(table, withhold=True)
            table.shoe.do(lambda now: table.shoe.device.turn(5, now))
            await table.shoe.until(lambda: table.shoe.is_stored)
            assert b'"5s"' not in b"".join(row.body for row in table.journal.rows())
            await table.say(PlayerActed(box=1, action="bet"))
            await table.say(PlayerActed(box=2, action="fold"))
            assert (await table.say(CommunityRevealed(street=3)))["ok"]
            assert table.last("community.revealed")["event"]["card"] == "5s"
            assert table.codes() == []

    asyncio.run(scenario())


def test_a_shoe_that_fails_between_two_stacks_voids_the_round(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with own_table(tmp_path, procedure=GAME) as table:
            await begun(table)
            await table.card("Js", "box:1")
            table.shoe.do(lambda now: table.shoe.device.fail(0x09, codes.FAULT, now))
            verdict = (await table.recorded("shoe.faulted"))["verdict"]
            assert (verdict["outcome"], verdict["code"]) == ("warning", "round_void")
            await table.card("Jd", "box:1")
            assert table.codes() == ["round_void"]

    asyncio.run(scenario())


def test_the_dealer_is_told_what_is_due_and_what_went_wrong(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with own_table(tmp_path, procedure=GAME) as table:
            await begun(table)
            assert await table.due() == ["card.drawn to box:1 down"]
            await stacks(table, sensed=True)
            await table.card("5s", "community:3")
            assert table.codes() == ["community_from_shoe"]
            answer = await table.say(ShoeEmptied(reason="to_hand"))
            assert not answer["ok"]
            assert "the shoe of this table tells it" in answer["why"]
            assert not (await table.say(PlayerActed(box=1, action="hit")))["ok"]

    asyncio.run(scenario())
