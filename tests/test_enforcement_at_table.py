"""A running table that locks its shoe after a violation, and a supervisor who unlocks it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from daemon import Journal, daemon, running, shoe
from mqtt_table import until
from own_table import OwnTable, own_table
from panel_client import connected
from scenario_run import CARDS
from test_enforcement import DEVICES
from test_orders_at_table import angel_table, orders

from controller.enforced_codes import USUAL_CODES
from controller.enforcement import LockStanding, last_lock
from protocols.cards import Card
from protocols.events import CardDrawn, HoleRevealed
from simulators.tdl import codes


def at_table(folder: Path, story: Callable[[OwnTable], Any], caps: int = codes.CAP_LOCK) -> None:
    async def told() -> None:
        async with asyncio.timeout(90), own_table(folder, devices=DEVICES, caps=caps) as table:
            await story(table)

    asyncio.run(told())


async def skip_a_hand(table: OwnTable) -> None:
    """Box 1 stands on two cards, gets another one, and a supervisor is wanted."""
    await table.deal(up="5s")
    await table.stand()
    await table.card("2c", "box:1")


def locks(table: OwnTable) -> list[tuple[Any, ...]]:
    return [(*order[2].values(), *order[3:]) for order in orders(table.journal) if order[1] == "lock"]


def lock_of(table: OwnTable) -> str:
    wrong = table.last("card.drawn")
    assert wrong["verdict"]["code"] == "draw_after_stand"
    row = [row for row in table.journal.rows() if row.kind == "table"][-1]
    return f"lock-draw_after_stand-{row.seq}"


async def unlock(table: OwnTable, name: str = "u") -> None:
    async with connected(table.folder / "panel/supervisor.sock") as supervisor:
        answer = await supervisor.ask(name, order="unlock")
        assert answer["ok"], answer


def test_a_tdl_shoe_is_locked_stays_so_over_a_kill_and_is_unlocked(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        device = table.shoe.device
        await skip_a_hand(table)
        name = lock_of(table)
        await until(lambda: len(locks(table)) == 2)
        assert locks(table) == [(True, name, "given", None), (True, name, "ok", None)]
        assert device.is_shut
        await until(lambda: "the shoe is locked: draw_after_stand" in table.display.remarks)
        table.kill()
        await table.start()
        await until(lambda: len(locks(table)) == 3)
        assert locks(table)[2] == (True, name, "ok", None)
        await until(lambda: "the shoe is locked: draw_after_stand" in table.display.remarks)
        await unlock(table)
        assert not device.is_shut
        await until(lambda: "the shoe is locked: draw_after_stand" not in table.display.remarks)
        table.kill()
        await table.start()
        await table.stand()
        assert not device.is_shut
        assert len(locks(table)) == 4
        assert last_lock(tmp_path / "journal.db") == LockStanding()

    at_table(tmp_path, story)


def test_a_shoe_that_was_away_is_locked_when_it_is_back_but_not_for_what_it_tells_late(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        device = table.shoe.device
        await table.deal(up="5s")
        await table.stand()
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        table.shoe.do(partial(device.draw, Card.parse("2c"), place="box:1"))
        ready = table.links("shoe", "ready")
        table.shoe.line.plug_in()
        await until(lambda: table.links("shoe", "ready") > ready)
        assert table.last("card.drawn")["verdict"]["code"] == "draw_after_stand"
        assert table.last("card.drawn")["replayed"] is True
        assert locks(table) == []

    at_table(tmp_path, story)


def test_a_shoe_that_is_away_is_locked_once_it_is_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal(up="5s")
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        assert (await table.say(HoleRevealed()))["verdict"]["code"] == "dealer_played_early"
        await until(lambda: [order[2] for order in locks(table)] == ["given", "no_link"])
        table.shoe.line.plug_in()
        await until(lambda: [order[2] for order in locks(table)] == ["given", "no_link", "ok"])
        assert table.shoe.device.is_shut

    at_table(tmp_path, story)


def test_a_shoe_without_a_lock_is_asked_once_and_the_display_says_so(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await skip_a_hand(table)
        await until(lambda: "the shoe is to be locked: draw_after_stand (unsupported)" in table.display.remarks)
        assert [order[2] for order in locks(table)] == ["given", "unsupported"]

    at_table(tmp_path, story, caps=0)


def test_a_supervisor_who_corrects_a_card_locks_nothing(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        lost = table.links("shoe", "lost")
        table.shoe.line.unplug()
        await until(lambda: table.links("shoe", "lost") > lost)
        by_hand = CardDrawn(card=Card.parse("9s"), to="box:1", face="up")
        assert (await table.say(by_hand, supervisor=True))["ok"]
        corrected = {"round": 1, "what": "correct", "draw": 1, "card": "8s", "who": "F. Person", "why": "misread"}
        async with connected(table.folder / "panel/supervisor.sock") as supervisor:
            assert (await supervisor.ask("c", resolution=corrected))["ok"]
        told = table.last("card.revealed")["verdict"]
        assert (told["outcome"], told["code"]) == ("violation", "reader_mismatch")
        assert locks(table) == []

    at_table(tmp_path, story)


def cards_in(folder: Path) -> int:
    """How many cards have left the simulated shoe."""
    told = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    return sum(line.get("act") in CARDS for line in told)


def shown_in(journal: Journal) -> int:
    events = [data["event"] for data in journal.records() if data["kind"] == "table"]
    return sum(event["type"] == "card.drawn" and "moved" not in event for event in events)


def test_an_angel_eye_shoe_gives_no_card_while_it_is_locked(tmp_path: Path) -> None:
    config, journal = angel_table(tmp_path, f"[devices]\n{DEVICES}"), Journal(tmp_path)

    def cards_follow(drawn: int) -> bool:
        return cards_in(tmp_path) > drawn

    async def stands_still(number: int) -> None:
        await until(lambda: journal.count(report="lock") == 2 * number + 1)
        await until(lambda: shown_in(journal) == cards_in(tmp_path))
        drawn = cards_in(tmp_path)
        await asyncio.sleep(1)
        assert cards_in(tmp_path) == drawn

    async def scenario() -> None:
        playing = shoe(tmp_path, "--pace", "0.05", "--faults", "1", "--disclose", "--seed", "3")
        with running(playing), running(daemon(config)):
            async with connected(tmp_path / "panel/supervisor.sock") as supervisor:
                for number in range(2):
                    await stands_still(number)
                    drawn = cards_in(tmp_path)
                    assert (await supervisor.ask(f"u{number}", order="unlock"))["ok"]
                    await until(partial(cards_follow, drawn))

    asyncio.run(scenario())
    given = [order[3] for order in orders(journal) if order[4] == "given"]
    assert len(given) >= 2
    assert all(name.split("-")[1] in USUAL_CODES for name in given)


def test_a_table_that_enforces_nothing_is_as_before(tmp_path: Path) -> None:
    async def story() -> None:
        async with asyncio.timeout(90), own_table(tmp_path, caps=codes.CAP_LOCK) as table:
            await skip_a_hand(table)
            await table.stand()
            assert table.codes() == ["draw_after_stand"]
            assert locks(table) == []
            assert not table.shoe.device.is_shut
            assert not any("lock" in remark for remark in table.display.remarks)

    asyncio.run(story())
