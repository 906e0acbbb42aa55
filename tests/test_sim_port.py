"""The simulated table as a transport in the daemon's own process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import reduce
from itertools import pairwise
from operator import xor
from typing import TypeVar

import pytest

from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ShoewatchError
from simulators.acts import CARD_LEAVES_SHOE
from simulators.port import open_sim
from simulators.table import Play, played

T = TypeVar("T")


def run(main: Coroutine[None, None, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(20):
            return await main

    return asyncio.run(bounded())


async def to_the_end(port: Transport) -> tuple[list[Chunk], LinkLost]:
    chunks = []
    while True:
        try:
            chunks.append(await port.read())
        except LinkLost as lost:
            return chunks, lost


async def everything(**params: str) -> bytes:
    chunks, lost = await to_the_end(await open_sim("t1", {"pace": "0", **params}))
    assert lost.kind == "ended"
    return b"".join(chunk.data for chunk in chunks)


def test_it_sends_what_the_table_plays_and_ends_after_the_last_round() -> None:
    sent = run(everything(rounds="20", seed="7", faults="0.3", procedure="pb-fr", withhold="0"))
    play = Play("pb-fr", seed=7, rounds=20, pace=0.0, misdeals=0.3, withhold=False)
    assert sent == b"".join(moment.sent for moment in played(play))
    assert sent.startswith(b"\x050S\x0360")
    assert sent.count(b"G") == 60


def test_without_parameters_it_plays_a_legal_pb_nj_that_withholds() -> None:
    async def first() -> bytes:
        return (await (await open_sim("t1", {})).read()).data

    assert run(first()) == next(played(Play())).sent


def test_faults_strike_at_the_line_and_at_the_shoe() -> None:
    whole = run(everything(rounds="3", seed="4"))
    dropped = run(everything(rounds="3", seed="4", fault="drop@card=8"))
    assert dropped.count(b"\x05") == whole.count(b"\x05") - 3
    both = run(everything(rounds="3", seed="4", fault="dup@card=8,reverse@card=5"))
    assert both.count(b"E\xc4\x03") == 3
    assert both.count(b"\x05") == whole.count(b"\x05") + 3 + 6


def test_a_bee_tek_shoe_has_the_faults_of_its_line() -> None:
    params = {"rounds": "3", "seed": "4", "protocol": "bee-tek"}
    whole, dropped = run(everything(**params)), run(everything(**params, fault="drop:2@card=8"))
    assert dropped.count(b"Card:") == whole.count(b"Card:") - 2
    with pytest.raises(ShoewatchError, match='there is no "reverse" here'):
        run(open_sim("t1", {"protocol": "bee-tek", "fault": "reverse"}))


LOCK = b"\x02OPLK02\x03"


def test_a_shoe_that_fails_still_obeys_its_host() -> None:
    async def locked(fault: str) -> bytes:
        port = await open_sim("t1", {"rounds": "1", "pace": "0.02", "fault": fault})
        got = (await port.read()).data
        await port.write(LOCK + b"%02X" % reduce(xor, LOCK))
        chunks, _ = await to_the_end(port)
        return got + b"".join(chunk.data for chunk in chunks)

    for fault in ("late:0.01@card=2", "dup@card=3"):
        said = run(locked(fault))
        assert said.count(b"\x06") == 1
        assert said.count(b"L\x81") == 3
        assert b"d\x80\x80" in said


@pytest.mark.parametrize("fault", ["wedge", "awol", "stall:3600"])
def test_a_shoe_that_nothing_comes_through_to_answers_nothing(fault: str) -> None:
    async def answers() -> bool:
        port = await open_sim("t1", {"rounds": "1", "pace": "0", "fault": fault})
        reading = asyncio.create_task(port.read())
        await asyncio.sleep(0.05)
        await port.write(LOCK + b"%02X" % reduce(xor, LOCK))
        await asyncio.sleep(0.05)
        answered = reading.done()
        await port.close()
        await asyncio.wait([reading])
        assert isinstance(reading.exception(), LinkLost)
        return answered

    assert not run(answers())


def test_an_unplugged_shoe_loses_its_line_within_a_report() -> None:
    async def torn() -> tuple[bytes, str]:
        chunks, lost = await to_the_end(await open_sim("t1", {"pace": "0", "fault": "unplug@card=3"}))
        return chunks[-1].data, lost.kind

    begun, kind = run(torn())
    assert kind == "gone"
    assert begun.startswith(b"\x05")
    assert len(begun) < 27


def test_the_end_is_told_again_to_who_asks_again() -> None:
    async def twice() -> list[str]:
        port = await open_sim("t1", {"rounds": "1", "pace": "0"})
        return [(await to_the_end(port))[1].kind for _ in range(2)]

    assert run(twice()) == ["ended", "ended"]


def test_cards_keep_the_pace() -> None:
    async def timed() -> list[Chunk]:
        port = await open_sim("t1", {"rounds": "1", "pace": "0.05"})
        return (await to_the_end(port))[0]

    chunks = run(timed())
    cards = [chunk.mono_ns for chunk in chunks if chunk.data[2:3] == b"D"]
    gaps = [later - earlier for earlier, later in pairwise(cards)]
    assert min(gaps) >= 45_000_000


def test_a_cancelled_read_loses_nothing_and_keeps_the_time() -> None:
    async def impatient() -> bytes:
        port, got, lost = await open_sim("t1", {"rounds": "1", "pace": "0.03"}), b"", False
        while not lost:
            try:
                async with asyncio.timeout(0.01):
                    got += (await port.read()).data
            except TimeoutError:
                pass
            except LinkLost:
                lost = True
        return got

    assert run(impatient()) == run(everything(rounds="1"))


def test_closing_wakes_the_reader_and_refuses_writes() -> None:
    async def left() -> tuple[str, str]:
        port = await open_sim("t1", {"pace": "3600"})
        await port.read()
        await port.write(b"ignored")
        reading = asyncio.create_task(port.read())
        await asyncio.sleep(0)
        await port.close()
        await port.close()
        with pytest.raises(LinkLost) as read:
            await reading
        with pytest.raises(LinkLost) as written:
            await port.write(b"late")
        return read.value.kind, written.value.kind

    assert run(left()) == ("gone", "gone")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("sed", "1", 'did you mean "seed"'),
        ("seed", "one", "seed=one: must be a whole number"),
        ("rounds", "0", "from 1"),
        ("pace", "-1", "seconds"),
        ("pace", "nan", "seconds"),
        ("faults", "2", "0 to 1"),
        ("withhold", "yes", "0 or 1"),
        ("procedure", "pb-nk", 'did you mean "pb-nj"'),
        ("procedure", "riverside-21", r"sim:\w+: no simulated dealer deals 'riverside-21' \(known: fr, nd-card-reader"),
        ("fault", "dup,lid", 'fault "lid": there is no "lid" here'),
    ],
)
def test_wrong_parameters_are_refused(name: str, text: str, complaint: str) -> None:
    with pytest.raises(ShoewatchError, match=complaint):
        run(open_sim("t1", {name: text}))


def test_the_shoe_obeys_whoever_has_its_line_and_its_digits_go_on() -> None:
    async def locked() -> list[bytes]:
        port = await open_sim("t1", {"rounds": "1", "pace": "0.2"})
        start = (await port.read()).data
        await port.write(b"\x02OPLK02\x031B")
        return [start, (await port.read()).data, (await port.read()).data]

    start, reply, card = run(locked())
    assert start.startswith(b"\x050S")
    assert reply.startswith(b"\x06\x051L\x81")
    assert card[:3] in (b"\x052D", b"\x052d")


def test_a_bee_tek_shoe_says_cards_and_hears_nothing() -> None:
    sent = run(everything(rounds="2", protocol="bee-tek"))
    cards = [act for moment in played(Play(rounds=2, pace=0.0)) if isinstance(act := moment.act, CARD_LEAVES_SHOE)]
    assert sent.count(b"<Card:") == len(cards)

    async def asked() -> bytes:
        port = await open_sim("t1", {"pace": "0", "protocol": "bee-tek"})
        await port.write(b"\x02OPLK02\x031B")
        return (await port.read()).data

    assert run(asked()).startswith(b" [Game]<Card:")
