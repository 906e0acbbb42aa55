"""Devices that misbehave at a running daemon: errors that stand, values that nobody may know, what is another's to
tell; and what holds of them over a restart, another header and the end of a round."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import pytest
import reader_table
import tdl_device as wire
from daemon import check_export
from mqtt_table import until
from own_table import Fields, OwnTable, read_again
from panel_client import connected
from reader_table import STAND, Story

from protocols.cards import Card
from protocols.events import (
    CardRevealed,
    MethodSelected,
    PlayerActed,
    ReaderFaulted,
    RoundClosed,
    RoundOpened,
    RoundVoided,
)
from simulators.tdl import codes

OTHER = '{ soft_17 = "hit" }'
JAM, SELF_TEST, LIGHT, LAMP = 0x09, 0x10, 0x22, 0x23


def at_table(folder: Path, story: Story, *, restore: str = "supervisor") -> None:
    """The story, told to a daemon that ends well, and whose journal says afterwards what it said live."""
    reader_table.at_table(folder, story, restore=restore)
    check_export(folder)


async def shoe_tells(table: OwnTable, kind: int, data: bytes) -> None:
    table.shoe.do(lambda now: table.shoe.device.note(kind, data, now))
    await table.shoe.until(lambda: table.shoe.is_stored)


async def reader_tells(table: OwnTable, kind: int, data: bytes) -> None:
    table.reader.do(lambda now: table.reader.device.note(kind, data, now))
    await table.reader.until(lambda: table.reader.is_stored)


async def clear(table: OwnTable, error: int) -> None:
    table.reader.device.errors.discard(error)
    await reader_tells(table, codes.ERR_CLR, bytes([error, 0]))


async def break_reader(table: OwnTable, *errors: int) -> None:
    for error in errors:
        table.reader.device.errors.add(error)
        await reader_tells(table, codes.ERR_SET, struct.pack("<BBHH", error, codes.FAULT, 0, 0))


def is_told(table: OwnTable, value: str) -> bool:
    """Whether the value stands in a record, in the log, or on the display."""
    text = f'"{value}"'.encode()
    bodies = [row.body for row in table.journal.rows()]
    return value in table.daemon.log or any(text in each for each in [*bodies, *table.display.lines])


def reports(table: OwnTable, name: str) -> list[Fields]:
    return [data for data in table.journal.records() if data.get("report") == name]


async def restore(table: OwnTable) -> str | None:
    """A supervisor brings the reader back, after its trial where that is what it takes; why not, where not."""
    return await table.restore_reader()


async def change_header(table: OwnTable) -> None:
    """Other options come into force with a restart."""
    assert await table.stop() == 0
    table.configure("options   = {}", f"options   = {OTHER}")
    await table.start()


def test_a_card_that_lies_face_down_is_not_told_by_hand(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        async def told(draw: int) -> str:
            answer = await table.say(CardRevealed(draw=draw, card=Card("7", "c")), supervisor=True)
            return str(answer["why"])

        await table.deal("5s", "7c")
        await table.say(PlayerActed(box=1, action="double"))
        await table.card("2h", "box:1", "down")
        why = [await told(4), await told(5)]
        assert (await table.say(RoundVoided(), supervisor=True))["ok"]
        why += [await told(4), await told(5)]
        assert set(why) == {"card.revealed: this card lies face down, its value is told once it is turned"}
        assert not is_told(table, "7c")

    at_table(tmp_path, story)


@pytest.mark.parametrize(
    ("end", "before", "told_by"),
    [(RoundVoided(), False, "reveal"), (RoundVoided(), True, "card-fix"), (RoundClosed(), False, "reveal")],
    ids=["told after the void", "before it", "after the close"],
)
def test_what_lay_face_down_to_the_end_of_its_round_stays_closed(
    tmp_path: Path, end: RoundVoided | RoundClosed, before: bool, told_by: str
) -> None:
    async def story(table: OwnTable) -> None:
        async def tell() -> None:
            if told_by == "reveal":
                table.shoe.do(lambda now: table.shoe.device.turn(4, now))
            else:
                table.shoe.do(lambda now: read_again(table.shoe.device, 4, Card("A", "h"), now))
            await table.shoe.until(lambda: table.shoe.is_stored)

        await table.open_round()
        await table.first_cards("5s", "up")
        await table.card("9d", "box:1")
        await table.card("Ah", "dealer", "down", withhold=True)
        if before:
            await tell()
        assert (await table.say(end, supervisor=True))["ok"]
        if not before:
            await tell()
        [record] = reports(table, "reveal")
        assert record["data"]["ref"] == "0/4"
        assert table.events("card.revealed") == []
        table.kill()
        await table.start()
        await table.open_round()
        assert not is_told(table, "Ah")
        assert "answered differently" not in table.daemon.log

    at_table(tmp_path, story)


def test_a_shoe_is_in_use_again_with_the_last_of_its_errors_over_a_restart(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        table.shoe.do(lambda now: table.shoe.device.fail(JAM, codes.FAULT, now))
        table.shoe.do(lambda now: table.shoe.device.fail(SELF_TEST, codes.FAULT, now))
        await table.recorded("shoe.faulted", 2)
        for _ in range(3):
            await table.say(RoundOpened(boxes=(1,)))
            await table.say(RoundClosed())
        table.kill()
        await table.start()
        table.shoe.do(lambda now: table.shoe.device.recover(JAM, now))
        await table.shoe.until(lambda: table.shoe.is_stored)
        assert table.events("shoe.restored") == []
        table.shoe.do(lambda now: table.shoe.device.recover(SELF_TEST, now))
        assert (await table.recorded("shoe.restored"))["event"]["code"] == "tdl-10"

    at_table(tmp_path, story)


def test_a_shoe_that_stands_still_does_so_under_another_header(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        table.shoe.do(lambda now: table.shoe.device.fail(JAM, codes.FAULT, now))
        await table.recorded("shoe.faulted")
        await change_header(table)
        again = await table.recorded("shoe.faulted", 2)
        assert (again["n"], again["event"]) == (1, {"type": "shoe.faulted", "actor": "shoe", "code": "tdl-09"})
        await table.open_round()
        assert (await table.card("9s", "box:1"))["verdict"]["code"] == "draw_outside_round"
        table.kill()
        await table.start()
        table.shoe.do(lambda now: table.shoe.device.recover(JAM, now))
        await table.recorded("shoe.restored")

    at_table(tmp_path, story)


@pytest.mark.parametrize("why", ["link", "error"])
def test_a_reader_that_is_out_is_out_under_another_header_and_so_is_the_method(tmp_path: Path, why: str) -> None:
    async def story(table: OwnTable) -> None:
        if why == "link":
            await table.lose_reader()
            await table.reader_links_up()
        if why == "error":
            await break_reader(table, LIGHT)
        assert (await table.say(MethodSelected(procedure="nd-no-hole"), supervisor=True))["ok"]
        for _ in range(3):
            await table.say(RoundOpened(boxes=(1,)))
            await table.say(RoundVoided(), supervisor=True)
        await change_header(table)
        out, chosen = await table.recorded("reader.faulted", 2), await table.recorded("method.selected", 2)
        assert (out["n"], chosen["n"], chosen["verdict"]["outcome"]) == (1, 2, "ok")
        assert (await table.say(ReaderFaulted(), supervisor=True))["why"] == "reader.faulted: the reader is out already"
        await table.open_round()
        await table.first_cards("Ks", "up")
        await table.second_cards(None)
        assert await table.due() == STAND
        await table.stand()
        await table.card("7c", "dealer", "up")
        await table.pay()
        if why == "error":
            assert await restore(table) == "reader.restored: the reader's fault tdl-22 is not cleared"
            await clear(table, LIGHT)
        assert await restore(table) is None
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_method_that_the_new_header_does_not_know_is_not_chosen_any_more(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.say(ReaderFaulted(), supervisor=True)
        assert (await table.say(MethodSelected(procedure="nd-no-hole"), supervisor=True))["ok"]
        assert await table.stop() == 0
        table.configure('procedure = "nd-card-reader"', 'procedure = "nd-no-peek"')
        await table.start()
        await table.recorded("reader.faulted", 2)
        assert len(table.events("method.selected")) == 1

    at_table(tmp_path, story)


@pytest.mark.parametrize("again", [False, True], ids=["one life", "a kill between"])
def test_a_reader_is_not_back_by_itself_while_an_error_stands(tmp_path: Path, again: bool) -> None:
    async def story(table: OwnTable) -> None:
        await break_reader(table, LIGHT, LAMP)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "tdl-22"
        if again:
            table.kill()
            await table.start()
        await clear(table, LAMP)
        assert await restore(table) == "reader.restored: the reader's fault tdl-22 is not cleared"
        await table.deal()
        assert await table.due() == STAND
        await table.finish()
        assert table.events("reader.restored") == []
        assert reports(table, "self-test") == []
        await clear(table, LIGHT)
        await table.recorded("reader.restored")
        assert [record["data"]["result"] for record in reports(table, "self-test")] == [0]
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert table.codes() == []

    at_table(tmp_path, story, restore="automatic")


def test_a_reader_whose_test_fails_is_not_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.lose_reader()
        table.reader.device.errors.add(0x0C)
        await table.reader_links_up()
        await until(lambda: len(reports(table, "self-test")) >= 2)
        assert table.events("reader.restored") == []
        table.reader.device.errors.clear()
        await table.recorded("reader.restored")

    at_table(tmp_path, story, restore="automatic")


@pytest.mark.parametrize("again", [False, True], ids=["one life", "a kill between"])
def test_a_reader_that_a_supervisor_put_out_is_not_back_by_itself(tmp_path: Path, again: bool) -> None:
    async def story(table: OwnTable) -> None:
        assert (await table.say(ReaderFaulted(), supervisor=True))["ok"]
        if again:
            table.kill()
            await table.start()
        await until(lambda: len(reports(table, "self-test")) >= 1)
        await asyncio.sleep(1.0)
        assert table.events("reader.restored") == []
        assert await restore(table) is None

    at_table(tmp_path, story, restore="automatic")


def test_what_is_another_devices_to_tell_is_neither_card_nor_peek(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await reader_tells(table, wire.CARD, wire.card(1, wire.ACE_OF_SPADES, 1))
        await reader_tells(table, wire.LOADED, struct.pack("<IBH", 9, 6, 0))
        await shoe_tells(table, wire.VERDICT, struct.pack("<IBB", 1, 1, 1))
        for kind in ("card.drawn", "shoe.loaded", "reader.peeked"):
            assert table.events(kind) == []
        noted = [data for data in table.journal.records() if data["kind"] == "security"]
        assert [(each["code"], each["device"]) for each in noted] == [
            ("foreign_event", "reader"),
            ("foreign_event", "reader"),
            ("foreign_event", "shoe"),
        ]
        assert [len(reports(table, name)) for name in ("card", "loaded", "verdict")] == [1, 1, 1]
        table.kill()
        await table.start()
        await table.first_cards("5s", "up")
        assert table.codes() == []

    at_table(tmp_path, story)


def test_who_watches_after_a_restart_sees_what_is_due(tmp_path: Path) -> None:
    async def watched(table: OwnTable) -> Fields:
        async with connected(table.folder / "panel" / "dealer.sock") as client:
            client.tell({"watch": True})
            return dict(await client.hear())

    async def story(table: OwnTable) -> None:
        assert await watched(table) == {"verdict": None, "due": ["round.opened"], "remarks": []}
        await table.deal("5s", "7c")
        before = await watched(table)
        assert before["due"] == STAND
        for end in (table.kill, None):
            await table.stop() if end is None else end()
            await table.start()
            assert await watched(table) == before
        await table.finish()
        last = await watched(table)
        await change_header(table)
        assert last["verdict"]["event"] > 0
        assert await watched(table) == {"verdict": None, "due": ["round.opened"], "remarks": []}

    at_table(tmp_path, story)
