"""The simulated devices with the daemon's own drivers: two sides of one text, each written by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from device_lines import until

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.driver import SessionDriver
from firmware_bridge.link import Backoff, Opener
from firmware_bridge.transport import Transport
from protocols.cards import Card
from protocols.events import CardDrawn, CardRevealed, CutCardReached, LogGap, ReaderPeeked, ShoeLoaded, told_by_peek
from protocols.hidden import Hidden, opened
from protocols.intake.tdl import TdlIntake
from protocols.orders import PeekArm
from protocols.records import Fact, SecurityNoted
from protocols.registry import parse_registry
from protocols.wire.tdl.handshake import Expected, Role
from protocols.wire.tdl.session import HostSession
from protocols.wire.tdl.stream import TdlReport
from simulators.acts import CuttingCard
from simulators.blackjack import acts
from simulators.live.lines import InnerLine
from simulators.live.play import READER_SERIAL, SHOE_SERIAL, TablePlay
from simulators.live.station import Station
from simulators.port import open_sim
from simulators.tdl.device import Device
from simulators.tdl.identity import registry_entry, simulated
from simulators.tdl.memory import Memory
from simulators.tdl.reader import TdlReader

QUICK = Backoff(first_s=0.01, cap_s=0.05)
REGISTRY = parse_registry("\n".join(registry_entry(serial).toml() for serial in (SHOE_SERIAL, READER_SERIAL)), "sim")


@asynccontextmanager
async def driven(role: Role, opener: Opener, journal: list[Fact]) -> AsyncIterator[SessionDriver[TdlReport]]:
    """A driver whose facts go to the journal and are stored at once; what the journal holds is resumed."""
    queue: Intake = asyncio.Queue()
    intake = TdlIntake(role, role)
    intake.resume(journal)
    session = HostSession(role, Expected(b"HOST0001", role, REGISTRY), intake.position)
    driver: SessionDriver[TdlReport] = SessionDriver(role, opener, session, intake, queue, QUICK)

    async def keep() -> None:
        while True:
            arrival = await queue.get()
            assert isinstance(arrival, Arrival)
            journal.extend(arrival.facts)
            if arrival.stored:
                arrival.stored()

    tasks = [asyncio.create_task(driver.run()), asyncio.create_task(keep())]
    try:
        yield driver
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def cards(journal: list[Fact]) -> list[Card]:
    found = [fact.card for fact in journal if isinstance(fact, CardDrawn)]
    return [opened(card) if isinstance(card, Hidden) else card for card in found if card is not None]


def test_each_card_is_told_once_though_the_host_dies_again_and_again() -> None:
    play = TablePlay("nd-no-peek", rounds=40, pace=0.0, seed=6)
    params = {"procedure": "nd-no-peek", "rounds": "40", "pace": "0.004", "seed": "6"}
    dealt = [step.act for dealer in [play.dealer()] for _ in range(40) for step in dealer.steps()]
    expected = [act.card for act in dealt if isinstance(act, acts.CARD_LEAVES_SHOE)]
    journal: list[Fact] = []

    async def opener() -> Transport:
        return await open_sim("t1", params)

    def has(length: int) -> bool:
        return len(journal) >= length or len(cards(journal)) >= len(expected)

    async def live() -> None:
        async with asyncio.timeout(60):
            while len(cards(journal)) < len(expected):
                async with driven("shoe", opener, journal):
                    await until(partial(has, len(journal) + 60), 30)

    asyncio.run(live())
    assert cards(journal) == expected
    assert not any(isinstance(fact, LogGap | SecurityNoted) for fact in journal)
    assert sum(isinstance(fact, ShoeLoaded) for fact in journal) >= 1
    assert sum(isinstance(fact, CutCardReached) for fact in journal) == sum(
        isinstance(act, CuttingCard) for act in dealt
    )


def test_withheld_hole_cards_open_their_commitments() -> None:
    params = {"procedure": "nd-no-peek", "rounds": "10", "pace": "0", "withhold": "1"}
    journal: list[Fact] = []

    async def opener() -> Transport:
        return await open_sim("t1", params)

    def turned() -> list[CardRevealed]:
        return [fact for fact in journal if isinstance(fact, CardRevealed)]

    async def live() -> None:
        async with asyncio.timeout(60), driven("shoe", opener, journal):
            await until(lambda: len(turned()) == 10, 30)

    asyncio.run(live())
    assert sum(fact.card is None for fact in journal if isinstance(fact, CardDrawn)) == 10
    assert not any(isinstance(fact, SecurityNoted) for fact in journal)


@asynccontextmanager
async def standing(device: Device) -> AsyncIterator[tuple[Station[Device], Opener]]:
    line = InnerLine()
    station = Station(device, line)

    async def opener() -> Transport:
        return line.opened(station.hear)

    running = asyncio.create_task(station.run())
    yield station, opener
    running.cancel()


async def given(driver: SessionDriver[TdlReport], order: PeekArm) -> str:
    """The device's answer, once there is a link."""
    answers: list[str] = []
    async with asyncio.timeout(10):
        while not answers or answers[-1] == "no_link":
            answers.append(await driver.command(order))
            await asyncio.sleep(0.01)
    return answers[-1]


def test_a_peek_from_order_to_verdict(tmp_path: Path) -> None:
    journal: list[Fact] = []

    async def peek() -> list[str]:
        now = asyncio.get_running_loop().time()
        device = TdlReader(simulated("reader", READER_SERIAL), Memory(tmp_path / "reader"), now)
        device.hurry = 20.0
        answers: list[str] = []
        async with asyncio.timeout(30), standing(device) as (station, opener):
            async with driven("reader", opener, journal) as driver:
                await until(lambda: device.in_session, 10)
                order = PeekArm(round=7, up="ten", policy=1, timeout_s=20)
                answers += [await given(driver, order) for _ in range(2)]
            async with driven("reader", opener, journal) as driver:
                answers.append(await given(driver, order))
                assert station.do(lambda now: device.seat(now, natural=True))
                await until(lambda: any(isinstance(fact, ReaderPeeked) for fact in journal), 10)
                answers.append(await given(driver, order))
        return answers

    assert asyncio.run(peek()) == ["ok", "ok", "ok", "wrong_state"]
    peeks = [fact for fact in journal if isinstance(fact, ReaderPeeked)]
    assert [told_by_peek(fact.result) for fact in peeks] == ["natural"]
