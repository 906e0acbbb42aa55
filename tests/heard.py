"""What a follower hears of real tables: the daemon plays its evenings against a broker, and everything that is
published is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from daemon import Journal
from mqtt_table import TOPICS, until
from scenario_run import be_hasty, play

from controller.broker import EmbeddedBroker
from controller.contract.catalog import CHANNELS
from controller.mqtt import Dialer, Message, Session
from controller.mqtt_address import parse_address
from simulators.scenario import Scenario

_SETTLES_S = 0.5
_QUICK = {"pace": 0.0}
_AT_TABLE = {**_QUICK, "hurry": 100}
_PLAYED: Mapping[str, Mapping[str, Any]] = {
    "blackjack": {
        "play": {**_AT_TABLE, "procedure": "nd-card-reader", "rounds": 6, "seed": 5, "misdeals": 0.4},
        "reader": ("removed-early@round=2",),
    },
    "stud": {"play": {**_QUICK, "procedure": "nj-ms-shoe", "rounds": 4, "seed": 5, "misdeals": 0.5}},
    "baccarat": {"play": {**_QUICK, "procedure": "pb-nj", "rounds": 4, "seed": 4}, "shoe": ("drop@card=8",)},
    "by hand": {
        "play": {**_AT_TABLE, "procedure": "nd-card-reader", "rounds": 2, "seed": 6, "by_hand": "other"},
        "shoe": ("unplug:3@card=6",),
    },
    "faults": {
        "play": {**_AT_TABLE, "procedure": "nd-card-reader", "rounds": 3, "seed": 6, "withhold": True},
        "shoe": ("lid@card=3", "misread@card=9"),
        "reader": ("unplug:1@round=2",),
    },
}
EVENINGS = {name: Scenario(name, name, **parts) for name, parts in _PLAYED.items()}


@dataclass(frozen=True, slots=True)
class Heard:
    """A message; `name`: that of its kind in the contract."""

    name: str
    topic: str
    payload: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.payload)


def kind_of(topic: str) -> str:
    """The name of the kind of message that this topic of the table is for."""
    levels = topic.removeprefix(f"{TOPICS.base}/").split("/")
    for channel in CHANNELS.values():
        wanted = channel.below.split("/")
        if len(wanted) == len(levels) and all(
            w in (each, "{kind}", "{name}") for w, each in zip(wanted, levels, strict=True)
        ):
            return channel.message
    raise AssertionError(f"the contract has no topic {topic}")


def evening(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, broker: EmbeddedBroker) -> list[Heard]:
    """Everything that a table publishes in an evening, from its first word to its last record."""
    be_hasty(monkeypatch)
    messages = asyncio.run(_played(EVENINGS[name], folder, broker.url))
    return [Heard(kind_of(each.topic), each.topic, each.payload) for each in messages]


async def _played(scenario: Scenario, folder: Path, url: str) -> Sequence[Message]:
    heard: list[Message] = []
    async with Dialer(parse_address(url)).connect() as session:
        await session.subscribe(f"{TOPICS.base}/#")
        listening = asyncio.create_task(_listen(session, heard))
        await play(scenario, folder, url=url, settles_s=_SETTLES_S)
        last = Journal(folder).rows()[-1].body
        await until(lambda: any(each.payload == last for each in heard))
        await until(lambda: _is_offline(heard))
        listening.cancel()
        await asyncio.wait([listening])
    return heard


async def _listen(session: Session, heard: list[Message]) -> None:
    async for each in session.messages():
        heard.append(each)


def _is_offline(heard: Sequence[Message]) -> bool:
    return any(b'"offline"' in each.payload for each in heard if each.topic == TOPICS.status)
