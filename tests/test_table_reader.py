"""A reader that fails, at every moment of a round (procedures 2.4), at a running daemon: what is still reachable, what
the display says, what is ordered, and how the reader comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_table import OwnTable
from reader_table import (
    AFTER_A_PEEK,
    NO_HOLE,
    STAND,
    TO_DEALER,
    at_table,
    deal_armed,
    finish_unpeeked,
    play_without_hole,
    play_without_peek,
    seat,
    select,
)

from protocols.events import (
    HoleRevealed,
    MethodSelected,
    PlayerActed,
    RoundVoided,
)
from simulators.tdl.reader import Fault


@pytest.mark.parametrize("opened", [False, True], ids=["between rounds", "round open"])
@pytest.mark.parametrize("options", ["{}", NO_HOLE])
def test_before_the_first_card(tmp_path: Path, opened: bool, options: str) -> None:
    async def story(table: OwnTable) -> None:
        if opened:
            await table.open_round()
        assert (await table.lose_reader())["event"]["code"] == "link-lost"
        assert await table.due() == (["card.drawn to box:1 up"] if opened else ["round.opened"])
        if not opened:
            await table.open_round()
        await table.first_cards("Ks", "up")
        await table.second_cards(None if options == NO_HOLE else "7c")
        await (play_without_hole if options == NO_HOLE else play_without_peek)(table)
        assert table.codes() == []
        assert table.orders() == []

    at_table(tmp_path, story, options=options)


def test_a_supervisor_chooses_the_method_until_the_reader_is_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.lose_reader()
        refused = await table.say(MethodSelected(procedure="nd-no-hole"))
        assert (refused["ok"], refused["why"]) == (False, "method.selected: only a supervisor says this")
        assert await select(table, "nd-no-hole") is None
        for _ in range(2):
            await table.open_round()
            await table.first_cards("Ks", "up")
            await table.second_cards(None)
            await play_without_hole(table)
        assert table.codes() == []
        await table.open_round()
        await table.first_cards("Ks", "up")
        await table.second_cards("7c")
        assert table.codes() == ["hole_not_allowed"]

    at_table(tmp_path, story)


def test_a_choice_needs_a_reader_that_has_failed(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        assert await select(table, "nd-no-peek") == "method_unreachable"
        await table.deal()
        assert await table.due() == ["reader.peeked"]

    at_table(tmp_path, story)


@pytest.mark.parametrize("chosen", [None, "nd-no-peek", "nd-no-hole"])
def test_after_the_dealers_first_card_up_either_is_reachable(tmp_path: Path, chosen: str | None) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await table.first_cards("Ks", "up")
        await table.lose_reader()
        assert await table.due() == ["card.drawn to box:1 up"]
        assert chosen is None or await select(table, chosen) is None
        await table.card("9d", "box:1")
        if chosen == "nd-no-hole":
            await play_without_hole(table)
        else:
            assert await table.due() == [f"{TO_DEALER} down"]
            await table.card("7c", "dealer", "down")
            await play_without_peek(table)
        assert table.codes() == []

    at_table(tmp_path, story)


@pytest.mark.parametrize("options", ["{}", NO_HOLE])
def test_after_the_dealers_first_card_down_the_hole_card_stays(tmp_path: Path, options: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await table.first_cards("7c", "down")
        await table.lose_reader()
        assert await select(table, "nd-no-hole") == "method_unreachable"
        await table.card("9d", "box:1")
        assert await table.due() == [f"{TO_DEALER} up"]
        await table.card("Ks", "dealer", "up")
        await play_without_peek(table)
        assert table.codes() == ["method_unreachable"]
        assert table.orders() == []

    at_table(tmp_path, story, options=options)


@pytest.mark.parametrize("options", ["{}", NO_HOLE])
def test_after_the_second_card_before_the_peek(tmp_path: Path, options: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert await table.ordered(1) == [("peek_arm", 1, "ok")]
        await table.lose_reader()
        assert await table.due() == STAND
        assert await select(table, "nd-no-hole") == "method_unreachable"
        await table.reader_links_up()
        assert await table.ordered(2) == [("peek_arm", 1, "ok"), ("peek_cancel", 1, "ok")]
        assert table.reader.device.armed_for is None
        await play_without_peek(table)
        assert table.codes() == ["method_unreachable"]

    at_table(tmp_path, story, options=options)


def test_no_result_during_the_peek(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        table.reader.device.fault = Fault.HANGS
        assert seat(table)
        table.reader.is_mute = True
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "link-stalled"
        assert await table.due() == STAND
        await finish_unpeeked(table)

    at_table(tmp_path, story)


def test_unreadable_during_the_peek(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        table.reader.device.fault = Fault.UNREADABLE
        for tries in range(1, 4):
            await table.peek(natural=True)
            record = await table.recorded("reader.peeked", tries)
            assert record["verdict"]["outcome"] == "ok"
            assert "result" not in record["event"]
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "unreadable"
        assert await table.due() == AFTER_A_PEEK
        await table.finish()
        assert table.codes() == []
        assert await table.ordered(1) == [("peek_arm", 1, "ok")]

    at_table(tmp_path, story)


def test_a_further_attempt_after_play_has_begun(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        table.reader.device.fault = Fault.UNREADABLE
        await table.peek(natural=False)
        assert await table.due() == AFTER_A_PEEK
        await table.say(PlayerActed(box=1, action="hit"))
        await table.card("2h", "box:1")
        assert table.codes() == []
        await table.peek(natural=False)
        assert table.codes() == ["peek_repeated"]

    at_table(tmp_path, story)


def test_after_a_completed_peek_the_round_is_unaffected(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.peek(natural=False)
        assert await table.due() == AFTER_A_PEEK
        await table.lose_reader()
        assert await table.due() == AFTER_A_PEEK
        await table.finish()
        await table.deal()
        assert await table.due() == STAND
        await table.finish()
        assert table.codes() == []
        assert table.orders() == [("peek_arm", 1, "ok")]

    at_table(tmp_path, story)


def test_natural_shown_and_it_is_none(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.peek(natural=True)
        assert await table.due() == AFTER_A_PEEK
        turned = await table.say(HoleRevealed())
        assert turned["verdict"]["code"] == "reader_mismatch"
        assert await table.due() == []
        assert (await table.say(RoundVoided(reason="reader"), supervisor=True))["ok"]
        assert await table.due() == ["round.opened"]

    at_table(tmp_path, story)


def test_no_natural_shown_and_it_is_one(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal("Ks", "Ac")
        await table.peek(natural=False)
        await table.stand()
        assert table.codes() == []
        turned = await table.say(HoleRevealed())
        assert turned["verdict"]["code"] == "reader_mismatch"
        assert await table.due() == []

    at_table(tmp_path, story)


def test_a_supervisor_restores_the_reader_between_rounds_only(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        restore = table.restore_reader
        await table.open_round()
        await table.lose_reader()
        assert await restore() == "reader.restored: the reader's link is not up"
        await table.reader_links_up()
        assert await restore() == "reader.restored: the reader comes back between rounds only"
        await table.first_cards("Ks", "up")
        await table.second_cards("7c")
        await play_without_peek(table)
        assert table.events("reader.restored") == []
        assert await restore() is None
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        await table.peek(natural=False)
        await table.finish()
        assert table.codes() == []
        assert table.orders() == [("peek_arm", 2, "ok")]

    at_table(tmp_path, story)


def test_an_automatic_restore_waits_for_the_end_of_the_round(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        await table.lose_reader()
        await table.reader_links_up()
        assert table.events("reader.restored") == []
        await play_without_peek(table)
        restored = await table.recorded("reader.restored")
        assert restored["n"] == table.last("round.closed")["n"] + 1
        await table.lose_reader()
        await table.reader_links_up()
        await table.recorded("reader.restored", 2)
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        assert table.codes() == []

    at_table(tmp_path, story, restore="automatic")
