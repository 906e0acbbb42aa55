"""What somebody missed goes out again: which records, in which order, and never so much that nothing new does."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from mqtt_table import TABLE, TOPICS, Listener, add, listening, opened, publishing, until
from proxy import Proxy

from controller.broker import EmbeddedBroker
from controller.journal_file import missing_through
from controller.missed import MOST, Missed, Range, merged
from controller.mqtt import Message
from controller.outbox import Outbox
from protocols.records import SystemNoted

FAR = 10**9


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.mark.parametrize(
    ("ranges", "made"),
    [
        ([], []),
        ([(5, 7), (1, 2)], [(1, 2), (5, 7)]),
        ([(1, 3), (4, 6)], [(1, 6)]),
        ([(1, 9), (2, 3), (9, 12)], [(1, 12)]),
        ([(1, 1), (3, 3), (2, 2)], [(1, 3)]),
    ],
)
def test_ranges_that_touch_are_one(ranges: list[tuple[int, int]], made: list[tuple[int, int]]) -> None:
    assert merged(Range(*each) for each in ranges) == made


def goes_out(missed: Missed, window: int, through: int = FAR) -> list[int]:
    """All that goes out before something new does, taken in bites."""
    numbers = list[int]()
    while (asked := missed.next(through)) is not None:
        last = min(asked.last, asked.first + window - 1)
        numbers += range(asked.first, last + 1)
        missed.sent(last)
    return numbers


def test_what_is_asked_for_goes_out_once_in_order() -> None:
    missed = Missed()
    for first, last in ((50, 60), (10, 12), (13, 20), (55, 70)):
        assert missed.ask(Range(first, last)) == (first, last)
    assert goes_out(missed, 7) == [*range(10, 21), *range(50, 71)]
    missed.new_goes_out(all_of_it=True)
    assert goes_out(missed, 7) == []


def test_what_lies_behind_what_was_sent_goes_out_anyway() -> None:
    missed = Missed()
    missed.ask(Range(5, 30))
    assert goes_out(missed, 4, through=9) == [5, 6, 7, 8, 9]


def test_what_is_new_has_its_turn_however_often_is_asked() -> None:
    missed = Missed()
    missed.ask(Range(1, 20))
    assert missed.next(FAR) == (1, 20)
    missed.sent(10)
    assert missed.ask(Range(11, 15)) == (11, 15)
    missed.ask(Range(1, 20))
    assert goes_out(missed, 100) == [*range(11, 21)]
    assert not missed.new_goes_out(all_of_it=False)
    assert missed.next(FAR) is None
    assert missed.new_goes_out(all_of_it=True)
    assert goes_out(missed, 100) == [*range(1, 21)]


def test_what_was_on_its_way_when_the_line_was_lost_goes_out_first() -> None:
    missed = Missed()
    missed.ask(Range(1, 20))
    missed.next(FAR)
    missed.sent(16)
    missed.unanswered([9, 10, 11, 12, 13, 14, 15, 16])
    assert goes_out(missed, 100) == [*range(9, 21)]


def test_no_more_than_so_many_can_wait() -> None:
    missed = Missed()
    assert missed.ask(Range(1, 3 * MOST)) == (1, MOST)
    assert missed.ask(Range(5, 6)) == (5, 6)
    assert missed.ask(Range(MOST + 5, MOST + 6)) is None
    scattered = Missed()
    granted = [scattered.ask(Range(10 * n, 10 * n)) for n in range(1, 100)]
    assert granted[0] is not None
    assert granted[-1] is None


def test_a_resend_comes_in_order_before_what_is_new_and_moves_no_cursor(any_broker: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, listening(any_broker.url) as listener:
            await add(journal, 100)
            async with publishing(journal, any_broker.url) as outbox:
                await outbox.drained()
                await until(lambda: len(listener.ids) == 100)
                assert outbox.resend(41, None) == (41, 100)
                await add(journal, 50)
                outbox.wake()
                await until(lambda: len(listener.ids) == 210)
                assert outbox.resend(3, 3) == (3, 3)
                await until(lambda: len(listener.ids) == 211)
                await outbox.drained()
            assert listener.ids == [*range(1, 101), *range(41, 151), 3]
            assert await journal.cursor("mqtt") == 150

    asyncio.run(scenario())


def test_a_resend_outlives_lost_lines(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with Proxy(mosquitto.port) as proxy, opened(path) as journal, listening(mosquitto.url) as listener:
            await add(journal, 1000)
            async with publishing(journal, proxy.url) as outbox:
                await outbox.drained()
                await until(lambda: len(records(listener)) == 1000)
                assert outbox.resend(1, 1000) == (1, 1000)
                for more in (100, 300, 600):
                    await until(lambda: len(records(listener)) > 1000 + more)  # noqa: B023
                    proxy.break_lines()
                await until(lambda: records(listener)[-1].payload == records(listener)[999].payload)
            again, high = listener.ids[1000:], 0
            for seq in again:
                assert seq <= high + 1
                high = max(high, seq)
            assert high == 1000
            assert len(again) < 1000 + 4 * 16

    asyncio.run(scenario())


def records(listener: Listener) -> list[Message]:
    return [each for each in listener.messages if each.topic != TOPICS.status]


def test_who_asks_all_the_time_holds_up_nobody(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal, listening(mosquitto.url) as listener:
            await add(journal, 300)
            async with publishing(journal, mosquitto.url) as outbox:
                await outbox.drained()
                for _ in range(100):
                    outbox.resend(1, 300)
                    await add(journal, 1)
                    outbox.wake()
                    await asyncio.sleep(0.002)
                async with asyncio.timeout(30):
                    await outbox.drained()
                await until(lambda: any(b'"seq":400,' in each.payload for each in records(listener)), 30)

    asyncio.run(scenario())


def test_what_cannot_be_sent_again_is_told(mosquitto: EmbeddedBroker, path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            outbox = Outbox(journal, TOPICS, lambda _: None)
            await add(journal, MOST + 100)
            for first, last, why in (
                (0, 5, "the first one is 1"),
                (7, 6, "no records 7 to 6"),
                (MOST + 101, None, f"no records {MOST + 101} to {MOST + 100}"),
                (5, MOST + 101, f"the last one is {MOST + 100}"),
            ):
                assert why in str(outbox.resend(first, last))
            assert outbox.resend(1, None) == (1, MOST)
            assert "ask later" in str(outbox.resend(MOST + 1, MOST + 5))
            await journal.prune(40, [7])
            assert "up to 40" in str(outbox.resend(40, 60))
            assert outbox.resend(41, 60) == (41, 60)
        assert missing_through(path) == 40

    asyncio.run(scenario())


def parked(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as file:
        return [seq for (seq,) in file.execute("SELECT seq FROM parked ORDER BY seq")]


def test_a_parked_record_is_tried_again_and_may_be_refused_again(
    mosquitto: EmbeddedBroker, path: Path, tmp_path: Path
) -> None:
    acl = tmp_path / "acl"
    write = mosquitto.engine.config
    engine = replace(mosquitto.engine, config=lambda port, folder: f"acl_file {acl}\n{write(port, folder)}")
    acl.write_text(f"topic readwrite casino/#\ntopic deny casino/v1/riverside/{TABLE}/evt/device\n")

    async def scenario(strict: EmbeddedBroker) -> None:
        notes: list[SystemNoted] = []
        async with opened(path) as journal:
            await add(journal, 10)
            await add(journal, 2, "device")
            await add(journal, 8)
            async with publishing(journal, strict.url, notes) as outbox:
                await outbox.drained()
                assert parked(path) == [11, 12]
                async with listening(strict.url) as listener:
                    assert outbox.resend(9, None) == (9, 20)
                    await until(lambda: listener.ids[-1:] == [20])
                    assert set(listener.ids) == {*range(9, 21)} - {11, 12}
                    assert parked(path) == [11, 12]
                    assert len(notes) == 2
                acl.write_text("topic readwrite casino/#\n")
                strict.kill()
                strict.start()
                async with listening(strict.url) as listener:
                    assert outbox.resend(9, None) == (9, 20)
                    await until(lambda: listener.ids == [*range(9, 21)])
                await until(lambda: parked(path) == [])

    with EmbeddedBroker(engine) as strict:
        asyncio.run(scenario(strict))
