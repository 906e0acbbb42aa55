"""A running table whose shoe is away: cards by hand, what it tells when it is back, and a supervisor's decision."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import shoewatch as run
from mqtt_table import until
from own_table import OwnTable, own_table

from protocols.cards import Card
from protocols.events import CardDrawn, HoleRevealed, RoundClosed

DEADLINE_S = 90.0


def at_table(folder: Path, story: Callable[[OwnTable], Awaitable[None]]) -> None:
    async def told() -> None:
        async with asyncio.timeout(DEADLINE_S), own_table(folder) as table:
            await story(table)

    asyncio.run(told())


async def lose_shoe(table: OwnTable) -> None:
    lost = table.links("shoe", "lost")
    table.shoe.line.unplug()
    await until(lambda: table.links("shoe", "lost") > lost)


async def shoe_is_back(table: OwnTable) -> None:
    ready = table.links("shoe", "ready")
    table.shoe.line.plug_in()
    await until(lambda: table.links("shoe", "ready") > ready)


async def by_hand(table: OwnTable, card: str, to: str, face: str = "up", entered: str | None = None) -> None:
    """A card leaves the shoe, which nobody hears, and is entered, perhaps as another one."""
    table.shoe.do(partial(table.shoe.device.draw, Card.parse(card), place=to))
    event = CardDrawn(card=Card.parse(entered or card) if face == "up" else None, to=to, face=face)  # type: ignore[arg-type]
    answer = await table.say(event, supervisor=True)
    assert answer["ok"], answer


def reports(table: OwnTable, name: str) -> list[dict[str, Any]]:
    return [data["data"] for data in table.journal.records() if data.get("report") == name]


@pytest.mark.parametrize("killed", [False, True], ids=["in one life", "over a kill"])
def test_a_round_that_is_dealt_by_hand_is_counted_once(tmp_path: Path, killed: bool) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await table.card("9s", "box:1")
        await lose_shoe(table)
        await by_hand(table, "5s", "dealer")
        await by_hand(table, "9d", "box:1")
        await by_hand(table, "7c", "dealer", "down")
        if killed:
            table.kill()
            starting = asyncio.create_task(table.start())
            table.shoe.line.plug_in()
            await starting
        else:
            await shoe_is_back(table)
        assert [each["draw"] for each in reports(table, "reconciled")] == [2, 3, 4]
        assert '"7c"' not in b" ".join(row.body for row in table.journal.rows()).decode()
        await table.stand()
        assert (await table.say(HoleRevealed()))["ok"]
        assert table.last("hole.revealed")["event"]["card"] == "7c"
        await table.card("5h", "dealer", "up")
        await table.pay()
        assert table.codes() == []
        assert len(table.events("card.drawn")) == 5
        assert reports(table, "impossible") == reports(table, "mismatch") == []

    at_table(tmp_path, story)


def test_another_card_is_left_to_a_supervisor_who_decides(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await lose_shoe(table)
        await by_hand(table, "9s", "box:1", entered="8s")
        await by_hand(table, "5s", "dealer")
        await shoe_is_back(table)
        [unlike] = reports(table, "mismatch")
        assert (unlike["entered"]["card"], unlike["told"]["card"]) == ("8s", "9s")
        await until(lambda: any("told otherwise" in remark for remark in table.display.remarks))
        await table.say(RoundClosed())
        config = str(tmp_path / "table.toml")
        said = ("rounds", "resolve", "1", "--config", config, "--who", "F. Person", "--why", "misread")
        done = await asyncio.to_thread(run, *said, "--correct", "1=9s", "--id", "r-1")
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout == f"round 1: recorded, record {table.journal.rows()[-1].seq}\n"
        again = await asyncio.to_thread(run, *said, "--correct", "1=9s", "--id", "r-1")
        assert again.stdout == done.stdout
        await until(lambda: not any("told otherwise" in remark for remark in table.display.remarks))
        refused = await asyncio.to_thread(run, *said, "--correct", "9=9s")
        assert (refused.status, refused.stderr) == (1, "refused: resolution: round 1 has no card 9\n")
        shown = await asyncio.to_thread(run, "rounds", "show", "1", "--config", config)
        assert "corrected: card 1 was 9s, by F. Person: misread" in shown.stdout
        assert "disputed" in shown.stdout
        listed = await asyncio.to_thread(run, "rounds", "list", "--disputed", "--config", config)
        assert "disputed, corrected" in listed.stdout

    at_table(tmp_path, story)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "one of the three"),
        (("--void", "--accept", "x"), "one of the three"),
        (("--correct", "Kh"), "such as 4=Kh"),
        (("--void",), "the table cannot be asked"),
    ],
)
def test_a_decision_that_cannot_be_said(tmp_path: Path, options: tuple[str, ...], says: str) -> None:
    (tmp_path / "table.toml").write_text(
        'site = "riverside"\ntable = "bac-01"\nprofile = "bench"\n[game]\nprocedure = "pb-nj"\n[shoe]\n'
        'port = "sim:try"\nprotocol = "angel-eye"\n[panel]\ndirectory = "panel"\n[journal]\npath = "journal.db"\n'
        '[mqtt]\nurl = "mqtt://127.0.0.1:1"\n'
    )
    config = str(tmp_path / "table.toml")
    done = run("rounds", "resolve", "1", "--config", config, "--who", "F. Person", "--why", "so", *options)
    assert done.status == 2
    assert says in done.stderr
