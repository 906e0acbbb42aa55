"""`health` and the plain numbers: said again and again, and at once where something is other than before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mqtt_table import SITE, TABLE, TOPICS, Listener, add, listening, opened, publishing, until

from controller.broker import EmbeddedBroker
from controller.health import HealthTeller
from controller.heartbeat import Component as Asked
from controller.heartbeat import Heartbeat
from controller.journal import Journal
from controller.notify import ServiceManager
from controller.outbox import Outbox
from controller.tally import Tally
from controller.vitals import Sources, Vitals, resident_bytes, what_matters
from protocols.floor.contract.health import METRIC, Component, Health
from protocols.records import LinkState

WELL = Component(ok=True, waits_s=0.0)


class Daemon:
    """What health is asked of."""

    def __init__(self, journal: Journal) -> None:
        self.components = {"the table": WELL}
        self.links: dict[str, LinkState] = {"shoe": "ready"}
        self.alarms: list[str] = []
        self.outbox = Outbox(journal, TOPICS, lambda note: None)
        sources = Sources(lambda: self.components, lambda: self.links, lambda: self.alarms)
        self.vitals = Vitals("1.2.3", journal, self.outbox, Tally(), sources)


def healths(listener: Listener) -> list[Health]:
    return [Health.read(each.payload) for each in listener.messages if each.topic == TOPICS.health]


@asynccontextmanager
async def telling(journal: Journal, url: str, every_s: float) -> AsyncIterator[tuple[Daemon, Listener]]:
    async with listening(url, TOPICS.health, TOPICS.metric("+")) as listener:
        daemon = Daemon(journal)
        teller = HealthTeller(daemon.vitals, TOPICS, every_s, look_s=0.01)
        async with publishing(journal, url, parts=[teller]):
            yield daemon, listener


def test_it_is_said_again_and_again_and_with_it_every_number(any_broker: EmbeddedBroker, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "journal.db") as journal:
            await add(journal, 3)
            async with telling(journal, any_broker.url, 0.1) as (daemon, listener):
                await until(lambda: len(healths(listener)) >= 3)
                levels = {metric.level for metric in daemon.vitals.metrics()}
                await until(lambda: {TOPICS.metric(each) for each in levels} <= {m.topic for m in listener.messages})
            told = healths(listener)[0]
            assert (told.source, told.epoch, told.version) == (f"/{SITE}/{TABLE}", journal.epoch, "1.2.3")
            assert (told.ok, told.journal.last_seq, told.links) == (True, 3, {"shoe": "ready"})
            numbers = [each.payload for each in listener.messages if "/metric/" in each.topic]
            assert all(METRIC.validate_json(each) >= 0 for each in numbers)
            assert not any(each.retained for each in listener.messages)
        async with listening(any_broker.url, TOPICS.health) as late:
            await asyncio.sleep(0.2)
            assert late.messages == []

    asyncio.run(scenario())


def test_a_change_is_said_at_once_and_nothing_else_is(any_broker: EmbeddedBroker, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "journal.db") as journal:
            async with telling(journal, any_broker.url, 3600) as (daemon, listener):
                await until(lambda: len(healths(listener)) == 1)
                await add(journal, 5)
                await asyncio.sleep(0.2)
                assert len(healths(listener)) == 1
                daemon.links["shoe"] = "lost"
                await until(lambda: len(healths(listener)) == 2)
                daemon.components["the table"] = Component(ok=False, waits_s=31.0)
                await until(lambda: len(healths(listener)) == 3)
                daemon.components["the table"] = Component(ok=False, waits_s=32.0)
                await asyncio.sleep(0.2)
                daemon.components["the table"] = WELL
                daemon.alarms.append("the journal cannot be written: no space")
                await until(lambda: len(healths(listener)) == 4)
            assert [each.ok for each in healths(listener)] == [True, True, False, False]
            assert healths(listener)[-1].journal.last_seq == 5

    asyncio.run(scenario())


def test_what_matters_is_not_what_passes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path / "journal.db") as journal:
            daemon = Daemon(journal)
            first = daemon.vitals.health()
            await add(journal, 2)
            daemon.components["the table"] = Component(ok=True, waits_s=0.3)
            assert what_matters(daemon.vitals.health()) == what_matters(first)
            daemon.components["the outbox"] = WELL
            assert what_matters(daemon.vitals.health()) != what_matters(first)

    asyncio.run(scenario())


def test_memory_is_that_of_this_process() -> None:
    before = resident_bytes()
    held = bytearray(b"x" * (64 << 20))
    after = resident_bytes()
    assert before is not None
    assert after is not None
    assert len(held) * 0.9 < after - before < len(held) * 2


def test_the_heartbeat_can_be_asked_who_is_overdue() -> None:
    async def scenario() -> None:
        stuck = asyncio.Event()

        async def at_once() -> None:
            return None

        parts = [Asked("the journal", 20, at_once), Asked("the table", 0.05, stuck.wait)]
        heartbeat = Heartbeat(parts, ServiceManager.named_by({}), lambda: "")
        assert heartbeat.components() == {"the journal": WELL, "the table": WELL}
        task = asyncio.create_task(heartbeat.run())
        await until(lambda: not heartbeat.components()["the table"].ok)
        assert heartbeat.components()["the journal"] == WELL
        await until(lambda: heartbeat.components()["the table"].waits_s >= 0.1)
        stuck.set()
        await until(lambda: heartbeat.components()["the table"].ok)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(scenario())
