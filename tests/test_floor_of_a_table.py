"""A table's daemon as the floor sees it: its state is that of the records on disk, through stops and kills; who looks
for devices finds it until that is switched off; its numbers can be fetched."""

from __future__ import annotations

import asyncio
import json
import socket
import urllib.request
from pathlib import Path

import pytest
from mqtt_table import TOPICS, Listener, listening, until
from own_table import Fields, OwnTable, own_table

from controller.broker import EmbeddedBroker
from protocols.floor.contract.health import Health
from protocols.floor.contract.state import State

FOUND = "homeassistant/device/riverside/bac-01/config"
ON = "home_assistant = true"


def states(listener: Listener) -> list[State]:
    return [State.read(each.payload) for each in listener.messages if each.topic == TOPICS.state]


async def shown(table: OwnTable, listener: Listener) -> State:
    """The state once it is that of the last record on disk."""
    last = table.journal.rows()[-1].seq
    await until(lambda: bool(states(listener)) and states(listener)[-1].seq >= last)
    return states(listener)[-1]


def hands(state: State) -> dict[str, tuple[str | None, ...]]:
    return {hand.place: hand.cards for hand in state.hands}


def discovered(listener: Listener) -> list[bytes]:
    return [each.payload for each in listener.messages if each.topic == FOUND]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_table_through_its_lives(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    pytest.importorskip("prometheus_client")
    port = free_port()

    async def scenario() -> None:
        filters = (TOPICS.state, TOPICS.health, TOPICS.metric("+"), FOUND)
        async with (
            listening(mosquitto.url, *filters) as listener,
            own_table(tmp_path, url=f'{mosquitto.url}"\n{ON}\n[metrics]\nlisten = "127.0.0.1:{port}') as table,
        ):
            await table.deal("Ks", "7c")
            state = await shown(table, listener)
            assert hands(state) == {"dealer": ("Ks", None), "box:1": ("9s", "9d")}
            assert (state.round.number, state.round.open, state.reader and state.reader.out) == (1, True, False)
            assert {device: link.state for device, link in state.links.items()} == {"shoe": "ready", "reader": "ready"}
            await table.card("5h", "box:1")
            violated = await shown(table, listener)
            assert violated.last
            drawn = [row.seq for row in table.journal.rows() if row.kind == "table"][-1]
            assert (violated.last.outcome, violated.last.seq) == ("violation", drawn)
            await scraped(table, port)

            table.kill()
            await table.start()
            again = await shown(table, listener)
            assert (hands(again), again.last, again.round) == (hands(violated), violated.last, violated.round)
            assert again.seq > violated.seq
            assert json.loads(discovered(listener)[0])["origin"]["name"] == "shoewatch"
            assert {*map(bool, discovered(listener))} == {True}

            assert await table.stop() == 0
            assert states(listener)[-1].seq >= table.journal.rows()[-2].seq
            table.configure(ON, "")
            await table.start()
            await until(lambda: discovered(listener)[-1:] == [b""])
            await shown(table, listener)
            assert await table.stop() == 0
        seqs = [state.seq for state in states(listener)]
        assert seqs == sorted(seqs)
        healths = [Health.read(each.payload) for each in listener.messages if each.topic == TOPICS.health]
        assert healths[-1].components.keys() >= {"the table", "the journal", "the outbox", "the shoe's link"}
        assert {health.epoch for health in healths} == {states(listener)[-1].epoch}

    asyncio.run(scenario())


async def scraped(table: OwnTable, port: int) -> None:
    """What a scraper finds is what the records say."""
    read = pytest.importorskip("prometheus_client.openmetrics.parser").text_string_to_metric_families

    def fetched() -> dict[str, float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        samples = [each for family in read(text) for each in family.samples]
        return {sample.name: sample.value for sample in samples}

    found = await asyncio.get_running_loop().run_in_executor(None, fetched)
    records: list[Fields] = [data for data in table.journal.records() if data["kind"] == "table"]
    assert found["shoewatch_events_total"] == len(records)
    assert found["shoewatch_draws_total"] == 5
    assert found["shoewatch_violations_total"] == 1
    assert 0 < found["shoewatch_commit_p50_seconds"] <= found["shoewatch_commit_p99_seconds"] < 60
    assert found["shoewatch_memory_bytes"] > 1e6
