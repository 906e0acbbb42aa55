"""How a running table arms its reader, cancels and renews that, and takes a reader that does not answer out of use."""

from __future__ import annotations

import asyncio
import signal
import struct
from pathlib import Path

import pytest
from mqtt_table import until
from own_table import OwnTable
from reader_table import AFTER_A_PEEK, STAND, at_table, deal_armed, finish_peeked, finish_unpeeked, seat, seat_too_late

from protocols.events import (
    HoleRevealed,
    InsuranceClosed,
    InsuranceOpened,
    ReaderFaulted,
    RoundVoided,
)
from simulators.tdl import codes
from simulators.tdl.device import EVENT_HEAD_BYTES
from simulators.tdl.reader import Fault


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


@pytest.mark.parametrize("how", ["put out", "voided"])
def test_an_arm_that_is_not_wanted_any_more_is_cancelled(tmp_path: Path, how: str) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        event = ReaderFaulted() if how == "put out" else RoundVoided(reason="misdeal")
        assert (await table.say(event, supervisor=True))["ok"]
        assert await table.due() == (STAND if how == "put out" else ["round.opened"])
        assert await table.ordered(2) == [("peek_arm", 1, "ok"), ("peek_cancel", 1, "ok")]
        assert table.reader.device.armed_for is None

    at_table(tmp_path, story)


def test_an_arm_that_has_run_out_is_renewed_when_the_cards_come(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        seat_too_late(table)
        assert await table.ordered(2) == [("peek_arm", 1, "ok")] * 2
        await table.peek(natural=False)
        await finish_peeked(table)

    at_table(tmp_path, story)


def test_a_reader_that_goes_on_refusing_is_out(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.deal()
        for tries in range(1, 4):
            assert (await table.ordered(tries))[-1] == ("peek_arm", 1, "ok")
            seat_too_late(table)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "peek-refused"
        await finish_unpeeked(table)

    at_table(tmp_path, story)


@pytest.mark.parametrize("again", [False, True], ids=["one life", "a kill between"])
def test_a_reader_that_gives_no_answer_is_out_and_what_it_says_later_is_no_peek(tmp_path: Path, again: bool) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        table.reader.device.fault = Fault.HANGS
        assert seat(table)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "no-verdict"
        assert await table.due() == STAND
        if again:
            table.kill()
            await table.start()
        table.reader.do(lambda now: table.reader.device.note(codes.VERDICT, struct.pack("<IBB", 1, 1, 1), now))
        await table.reader.until(lambda: table.reader.is_stored)
        await finish_unpeeked(table)
        assert [data["report"] for data in table.journal.records() if data.get("report") == "verdict"] == ["verdict"]

    at_table(tmp_path, story)


def test_a_pause_of_the_daemon_is_not_held_against_the_reader(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        table.reader.device.hurry = 0.4
        assert seat(table)
        await table.reader.until(lambda: table.reader.is_stored)
        table.daemon.signal(signal.SIGSTOP)
        await asyncio.sleep(2.2)
        table.daemon.signal(signal.SIGCONT)
        await table.recorded("reader.peeked")
        await finish_peeked(table)

    at_table(tmp_path, story)


def test_a_reader_that_refuses_to_be_armed_is_out(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        table.reader.device.errors.add(0x22)
        await table.deal()
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "arm-wrong_state"
        await finish_unpeeked(table)

    at_table(tmp_path, story)


def test_a_reader_with_a_fault_is_out_before_it_is_needed(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await table.open_round()
        table.reader.do(table.reader.device.dazzle)
        assert (await table.recorded("reader.faulted"))["event"]["code"] == "tdl-22"
        await table.first_cards("Ks", "up")
        await table.second_cards("7c")
        await finish_unpeeked(table)
        assert table.orders() == []

    at_table(tmp_path, story)


def armings(table: OwnTable) -> int:
    """How often the reader has begun to wait for a peek."""
    memory = table.reader.device.memory
    events = [memory.event(number) for number in range(memory.oldest, memory.last + 1)]
    return sum(event[EVENT_HEAD_BYTES - 1] == codes.PEEK_ARMED for event in events)


def test_a_kill_while_the_reader_is_armed_gives_the_same_order_again(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        table.kill()
        await table.start()
        assert await table.ordered(2) == [("peek_arm", 1, "ok")] * 2
        orders = [data for data in table.journal.records() if data["kind"] == "order"]
        assert orders[0] == orders[1]
        assert armings(table) == 1
        await table.peek(natural=False)
        await finish_peeked(table)

    at_table(tmp_path, story)


def test_a_peek_while_the_daemon_is_away_is_told_when_it_is_back(tmp_path: Path) -> None:
    async def story(table: OwnTable) -> None:
        await deal_armed(table)
        table.kill()
        assert seat(table)
        await until(lambda: not table.reader.device.timers())
        await table.start()
        peeked = await table.recorded("reader.peeked")
        assert (peeked["replayed"], peeked["round"], peeked["verdict"]["outcome"]) == (True, 1, "ok")
        assert peeked["age_s"] > 0
        await until(lambda: table.reader.is_stored)
        await finish_peeked(table)
        assert table.orders() == [("peek_arm", 1, "ok")]

    at_table(tmp_path, story)
