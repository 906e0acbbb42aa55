"""A reader that fails, at every moment of a round (procedures 2.4), at a running daemon: what is still reachable, what
the display says, what is ordered, and how the reader comes back."""

from __future__ import annotations

import asyncio
import signal
import struct
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mqtt_table import until
from own_table import OwnTable, own_table

from protocols.events import (
    HoleRevealed,
    InsuranceClosed,
    InsuranceOpened,
    MethodSelected,
    PlayerActed,
    ReaderFaulted,
    ReaderRestored,
    RoundVoided,
)
from simulators.tdl import codes
from simulators.tdl.device import EVENT_HEAD_BYTES
from simulators.tdl.reader import Fault

DEADLINE_S = 60.0
HASTY = [sys.executable, str(Path(__file__).with_name("hasty_daemon.py")), "0.5"]
NO_HOLE = '{ fallback = "nd-no-hole" }'
STAND = ["player.acted box:1"]
AFTER_A_PEEK = ["hole.revealed", "player.acted"]
TO_DEALER = "card.drawn to dealer"

Story = Callable[[OwnTable], Awaitable[None]]


def at_table(folder: Path, story: Story, *, options: str = "{}", restore: str = "supervisor") -> None:
    async def told() -> None:
        at = own_table(folder, options=options, restore=restore, command=HASTY)
        async with asyncio.timeout(DEADLINE_S), at as table:
            await story(table)
            assert await table.stop() == 0

    asyncio.run(told())


async def select(table: OwnTable, procedure: str) -> str | None:
    """A supervisor chooses a method; the code of what is wrong with that."""
    answer = await table.say(MethodSelected(procedure=procedure), supervisor=True)
    assert answer["ok"]
    code: str | None = answer["verdict"]["code"]
    return code


async def play_without_hole(table: OwnTable) -> None:
    """From a deal that ended with one dealer's card: the second comes after the players."""
    assert await table.due() == STAND
    await table.stand()
    assert await table.due() == [f"{TO_DEALER} up"]
    await table.card("7c", "dealer", "up")
    await table.pay()


async def play_without_peek(table: OwnTable) -> None:
    """From a deal with a hole card under a king, which nobody looks at."""
    assert await table.due() == STAND
    await table.finish()


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
        await table.deal()
        await table.ordered(1)
        table.reader.device.fault = Fault.HANGS
        assert table.reader.do(lambda now: table.reader.device.seat(now, natural=False))
        table.reader.is_mute = True
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "link-stalled"
        assert await table.due() == STAND
        await play_without_peek(table)
        assert table.events("reader.peeked") == []
        assert table.codes() == []

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


def test_the_reader_is_armed_once_insurance_is_closed(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal("As", "Kc")
        assert await table.due() == ["insurance.opened", "insurance.closed"]
        await table.say(InsuranceOpened())
        assert await table.due() == ["insurance.closed"]
        assert table.orders() == []
        await table.say(InsuranceClosed())
        assert await table.due() == ["reader.peeked"]
        await table.peek(natural=True)
        assert await table.due() == AFTER_A_PEEK
        [order] = [data for data in table.journal.records() if data["kind"] == "order"]
        assert (order["args"]["up"], order["id"], order["answer"]) == ("ace", "peek_arm-1", "ok")
        assert (await table.say(HoleRevealed()))["verdict"]["outcome"] == "ok"
        assert await table.due() == ["hand.settled", "round.closed"]

    at_table(tmp_path, story)


def test_a_supervisor_restores_the_reader_between_rounds_only(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        async def restore() -> str | None:
            answer = await table.say(ReaderRestored(), supervisor=True)
            return None if answer["ok"] else str(answer["why"])

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
        await table.deal()
        await table.ordered(1)
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


@pytest.mark.parametrize("how", ["put out", "voided"])
def test_an_arm_that_is_not_wanted_any_more_is_cancelled(tmp_path: Path, how: str) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        event = ReaderFaulted() if how == "put out" else RoundVoided(reason="misdeal")
        assert (await table.say(event, supervisor=True))["ok"]
        assert await table.due() == (STAND if how == "put out" else ["round.opened"])
        assert await table.ordered(2) == [("peek_arm", 1, "ok"), ("peek_cancel", 1, "ok")]
        assert table.reader.device.armed_for is None

    at_table(tmp_path, story)


def test_an_arm_that_has_run_out_is_renewed_when_the_cards_come(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        device = table.reader.device
        assert device._peek is not None
        device._peek.until = 0
        assert not table.reader.do(lambda now: device.seat(now, natural=False))
        assert await table.ordered(2) == [("peek_arm", 1, "ok")] * 2
        await table.peek(natural=False)
        await table.finish()
        assert len(table.events("reader.peeked")) == 1
        assert table.events("reader.faulted") == []
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_reader_that_goes_on_refusing_is_out(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        device = table.reader.device
        for tries in range(1, 4):
            assert (await table.ordered(tries))[-1] == ("peek_arm", 1, "ok")
            assert device._peek is not None
            device._peek.until = 0
            assert not table.reader.do(lambda now: device.seat(now, natural=False))
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "peek-refused"
        await play_without_peek(table)
        assert table.codes() == []

    at_table(tmp_path, story)


@pytest.mark.parametrize("again", [False, True], ids=["one life", "a kill between"])
def test_a_reader_that_gives_no_answer_is_out_and_what_it_says_later_is_no_peek(tmp_path: Path, again: bool) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        device = table.reader.device
        device.fault = Fault.HANGS
        assert table.reader.do(lambda now: device.seat(now, natural=False))
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "no-verdict"
        assert await table.due() == STAND
        if again:
            table.kill()
            await table.start()
        table.reader.do(lambda now: device.note(codes.VERDICT, struct.pack("<IBB", 1, 1, 1), now))
        await table.reader.until(lambda: table.reader.is_stored)
        await play_without_peek(table)
        assert [data["report"] for data in table.journal.records() if data.get("report") == "verdict"] == ["verdict"]
        assert table.events("reader.peeked") == []
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_pause_of_the_daemon_is_not_held_against_the_reader(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        device = table.reader.device
        device.hurry = 0.4
        assert table.reader.do(lambda now: device.seat(now, natural=False))
        await table.reader.until(lambda: table.reader.is_stored)
        table.daemon.signal(signal.SIGSTOP)
        await asyncio.sleep(2.2)
        table.daemon.signal(signal.SIGCONT)
        await table.recorded("reader.peeked")
        assert table.events("reader.faulted") == []
        await table.finish()
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_reader_that_refuses_to_be_armed_is_out(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        table.reader.device.errors.add(0x22)
        await table.deal()
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "arm-wrong_state"
        await play_without_peek(table)
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_reader_with_a_fault_is_out_before_it_is_needed(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        table.reader.do(table.reader.device.dazzle)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "tdl-22"
        await table.first_cards("Ks", "up")
        await table.second_cards("7c")
        await play_without_peek(table)
        assert table.codes() == []
        assert table.orders() == []

    at_table(tmp_path, story)


def armings(table: OwnTable) -> int:
    """How often the reader has begun to wait for a peek."""
    memory = table.reader.device._memory
    events = [memory.event(number) for number in range(memory.oldest, memory.last + 1)]
    return sum(event[EVENT_HEAD_BYTES - 1] == codes.PEEK_ARMED for event in events)


def test_a_kill_while_the_reader_is_armed_gives_the_same_order_again(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        table.kill()
        await table.start()
        assert await table.ordered(2) == [("peek_arm", 1, "ok")] * 2
        orders = [data for data in table.journal.records() if data["kind"] == "order"]
        assert orders[0] == orders[1]
        assert armings(table) == 1
        await table.peek(natural=False)
        await table.finish()
        assert len(table.events("reader.peeked")) == 1
        assert table.events("reader.faulted") == []
        assert table.codes() == []

    at_table(tmp_path, story)


def test_a_peek_while_the_daemon_is_away_is_told_when_it_is_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        await table.ordered(1)
        table.kill()
        device = table.reader.device
        assert table.reader.do(lambda now: device.seat(now, natural=False))
        await until(lambda: not device.timers())
        await table.start()
        peeked = await table.recorded("reader.peeked")
        assert (peeked["replayed"], peeked["round"], peeked["verdict"]["outcome"]) == (True, 1, "ok")
        await until(lambda: table.reader.is_stored)
        await table.finish()
        assert table.orders() == [("peek_arm", 1, "ok")]
        assert table.events("reader.faulted") == []
        assert table.codes() == []

    at_table(tmp_path, story)
