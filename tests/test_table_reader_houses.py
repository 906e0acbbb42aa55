"""A reader that fails at a running daemon whose procedure deals otherwise: the hole card second, the peek at will."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_table import OwnTable
from reader_table import AFTER_A_PEEK, NO_HOLE, STAND, TO_DEALER, at_table, play_without_hole, play_without_peek, select

from protocols.events import HoleRevealed

HOUSES = ("sl", "us-card-reader")
PEEK_DUE = {"sl": ["reader.peeked", *STAND]}


def named(house: str) -> str:
    return f'procedure = "{house}"'


@pytest.mark.parametrize("house", HOUSES)
def test_out_before_the_round_the_hole_card_may_lie_first_and_last_until_the_reader_is_back(
    tmp_path: Path, house: str
) -> None:
    async def story(table: OwnTable) -> None:
        await table.lose_reader()
        for first, second in (("up", "down"), ("down", "up")):
            await table.open_round()
            await table.card("9s", "box:1")
            assert await table.due() == [TO_DEALER]
            await table.card("Ks" if first == "up" else "7c", "dealer", first)
            await table.card("9d", "box:1")
            assert await table.due() == [f"{TO_DEALER} {second}"]
            await table.card("Ks" if second == "up" else "7c", "dealer", second)
            await play_without_peek(table)
        await table.reader_links_up()
        assert await table.restore_reader() is None
        await table.open_round()
        await table.card("9s", "box:1")
        assert await table.due() == [f"{TO_DEALER} up"]
        await table.card("Ks", "dealer", "up")
        await table.second_cards("7c")
        assert await table.due() == PEEK_DUE.get(house, ["reader.peeked"])
        await table.peek(natural=False)
        assert await table.due() == AFTER_A_PEEK
        await table.finish()
        assert table.codes() == []

    at_table(tmp_path, story, procedure=named(house))


@pytest.mark.parametrize("house", HOUSES)
def test_out_while_a_peek_is_due_the_players_are_next(tmp_path: Path, house: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        assert await table.due() == PEEK_DUE.get(house, ["reader.peeked"])
        assert (await table.lose_reader())["n"] == table.last("card.drawn")["n"] + 1
        assert await table.due() == STAND
        assert await select(table, "nd-no-hole") == "method_unreachable"
        await play_without_peek(table)
        assert await select(table, "nd-no-hole") is None
        await table.open_round()
        await table.first_cards("Ks", "up")
        await table.second_cards(None)
        await play_without_hole(table)
        assert table.codes() == ["method_unreachable"]

    at_table(tmp_path, story, procedure=named(house))


@pytest.mark.parametrize("house", HOUSES)
def test_out_after_the_first_dealers_card_by_the_option(tmp_path: Path, house: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        await table.first_cards("Ks", "up")
        await table.lose_reader()
        await table.second_cards(None)
        await play_without_hole(table)
        assert table.codes() == []
        assert table.orders() == []

    at_table(tmp_path, story, procedure=named(house), options=NO_HOLE)


@pytest.mark.parametrize("house", HOUSES)
def test_a_reader_that_says_what_the_cards_do_not(tmp_path: Path, house: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.peek(natural=True)
        assert await table.due() == AFTER_A_PEEK
        assert (await table.say(HoleRevealed()))["verdict"]["code"] == "reader_mismatch"
        assert await table.due() == []

    at_table(tmp_path, story, procedure=named(house))
