"""The retained set: said once after each connect, changed in place, taken away again, on a broker as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from mqtt_table import TOPICS, listening, opened, publishing, until

from controller.announced import Announced
from controller.broker import EmbeddedBroker
from controller.journal import Journal
from controller.mqtt import Message, Session
from controller.retained import Retained
from controller.state_teller import StateTeller

STATE, FOUND = TOPICS.state, "homeassistant/device/riverside/bac-01/config"
AGAIN_S = 5 * 5.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def kept(journal: Journal, found: bytes | None = None) -> Retained:
    """The set of a table; `found`: what it shows to whoever looks for devices."""
    return Retained([STATE], Announced.of(journal), {FOUND: found} if found else {})


def said(messages: list[Message], topic: str) -> list[bytes]:
    return [each.payload for each in messages if each.topic == topic]


async def standing(url: str, *topics: str) -> Mapping[str, bytes]:
    """What a newcomer finds there."""
    async with listening(url, STATE, FOUND, TOPICS.status) as late:
        await until(lambda: {*topics} <= {each.topic for each in late.messages})
        await asyncio.sleep(0.1)
        return {each.topic: each.payload for each in late.messages}


def test_it_is_said_once_after_each_connect_and_comes_back_to_a_broker_that_has_forgotten(
    any_broker: EmbeddedBroker, path: Path
) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            retained = kept(journal, b"device")
            retained.keep(STATE, b"one")
            async with publishing(journal, any_broker.url, parts=[retained]):
                there = await standing(any_broker.url, STATE, FOUND)
                assert (there[STATE], there[FOUND]) == (b"one", b"device")
                async with listening(any_broker.url, STATE, FOUND) as listener:
                    await until(lambda: len(listener.messages) == 2)
                    retained.keep(STATE, b"two")
                    retained.keep(STATE, b"two")
                    await until(lambda: said(listener.messages, STATE) == [b"one", b"two"])
                    async with asyncio.timeout(AGAIN_S):
                        await retained.settled()
                any_broker.kill()
                any_broker.start()
                async with asyncio.timeout(AGAIN_S):
                    async with listening(any_broker.url, STATE, FOUND) as listener:
                        await until(lambda: len(listener.messages) >= 2, AGAIN_S)
                        await asyncio.sleep(0.5)
                        assert len({(each.topic, each.payload) for each in listener.messages}) == 2
                        assert len(listener.messages) <= 4

    asyncio.run(scenario())


class Slow(Session):
    """A broker that takes a message when it is told to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, asyncio.Future[None]]] = []

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        assert retain
        taken = asyncio.get_running_loop().create_future()
        self.sent.append((topic, payload, taken))
        return taken


@asynccontextmanager
async def served(retained: Retained, session: Session) -> AsyncIterator[None]:
    task = asyncio.create_task(retained.serve(session))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def test_one_is_under_way_and_the_newest_follows(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            retained, session = kept(journal), Slow()
            retained.keep(STATE, b"0")
            async with served(retained, session):
                await until(lambda: len(session.sent) == 1)
                for number in range(1, 100):
                    retained.keep(STATE, b"%d" % number)
                    await asyncio.sleep(0)
                assert [payload for _, payload, _ in session.sent] == [b"0"]
                session.sent[0][2].set_result(None)
                await until(lambda: len(session.sent) == 2)
                session.sent[1][2].set_result(None)
                await retained.settled()
                assert [payload for _, payload, _ in session.sent] == [b"0", b"99"]

    asyncio.run(scenario())


def test_what_was_shown_elsewhere_is_taken_away_once_it_is_switched_off(any_broker: EmbeddedBroker, path: Path) -> None:
    async def life(found: bytes | None = None) -> None:
        async with opened(path) as journal:
            retained = kept(journal, found)
            retained.keep(STATE, b"state")
            async with publishing(journal, any_broker.url, parts=[retained]):
                await retained.settled()

    async def scenario() -> None:
        await life(b"device")
        assert (await standing(any_broker.url, STATE))[FOUND] == b"device"
        async with listening(any_broker.url, FOUND) as listener:
            await until(lambda: said(listener.messages, FOUND) == [b"device"])
            await life()
            await until(lambda: said(listener.messages, FOUND) == [b"device", b""])
            await life()
            assert FOUND not in await standing(any_broker.url, STATE)
            assert said(listener.messages, FOUND) == [b"device", b""]

    asyncio.run(scenario())


def test_without_a_broker_it_is_not_forgotten_that_something_stands_there(path: Path) -> None:
    async def scenario() -> None:
        async with opened(path) as journal:
            await Announced.of(journal).stands(FOUND)
        async with opened(path) as journal:
            retained = kept(journal)
            async with publishing(journal, "mqtt://127.0.0.1:1", parts=[retained]):
                await asyncio.sleep(0.1)
        async with opened(path) as journal:
            assert Announced.of(journal).topics == {FOUND}

    asyncio.run(scenario())


def test_a_broker_that_refuses_one_topic_gets_the_others(
    mosquitto: EmbeddedBroker, path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic readwrite casino/#\n")
    write = mosquitto.engine.config
    engine = replace(mosquitto.engine, config=lambda port, folder: f"acl_file {acl}\n{write(port, folder)}")

    async def scenario(url: str) -> None:
        async with opened(path) as journal:
            retained = kept(journal, b"device")
            retained.keep(STATE, b"state")
            async with publishing(journal, url, parts=[retained]):
                async with asyncio.timeout(15):
                    await retained.settled()
                assert (await standing(url, STATE))[STATE] == b"state"
        assert caplog.text.count(f"refuses what should stand on {FOUND}") == 1

    with EmbeddedBroker(engine) as strict:
        asyncio.run(scenario(strict.url))


def test_the_state_is_made_at_most_so_often_and_the_last_one_always() -> None:
    async def scenario() -> None:
        numbers, made = [0], list[bytes]()
        teller = StateTeller(lambda: b"%d" % numbers[-1], made.append, every_s=0.05)
        task = asyncio.create_task(teller.run())
        for number in range(1, 200):
            numbers.append(number)
            teller.changed()
            await asyncio.sleep(0.001)
        await until(lambda: made[-1:] == [b"199"])
        await asyncio.sleep(0.2)
        task.cancel()
        await asyncio.wait([task])
        assert len(made) < 100
        assert made[-1] == b"199"
        assert len(set(made)) == len(made)

    asyncio.run(scenario())


def test_the_state_that_is_wanted_now_is_made_now() -> None:
    made = list[bytes]()
    teller = StateTeller(lambda: b"now", made.append)
    teller.tell()
    teller.tell()
    assert made == [b"now"]
