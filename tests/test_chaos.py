"""Broker, daemon and subscriber killed at random while a table deals: who keeps a persistent session and asks for what
it lacks has every record once, in order, chained."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from daemon import Journal, Process, check_chain, configure, daemon, shoe
from floor_console import trust
from lives import check_proof
from needs import missing
from presence_bench import persistent

from controller import broker
from controller.broker import EmbeddedBroker

HERE = Path(__file__).parent
SUBSCRIBER = [sys.executable, str(HERE / "chaos_subscriber.py")]
DEAL_S, CATCH_UP_S = 600.0, 90.0
KINDS = ("broker", "daemon", "subscriber")


BROKERS = {
    "mosquitto": broker.mosquitto,
    "mosquitto, persistent": lambda: (found := broker.mosquitto()) and persistent(found),
    "nats-server": broker.nats,
}


@dataclass
class Floor:
    """A shoe that deals, a daemon and a subscriber, each ended and begun anew at will."""

    folder: Path
    broker: EmbeddedBroker
    dice: random.Random
    kills: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.config = configure(self.folder, f"serial:{self.folder}/shoe", self.broker.url)
        trust(self.folder / "keys.toml", "console")
        with self.config.open("a") as file:
            file.write('\n[keys]\nregistry = "keys.toml"\n')
        self.journal = Journal(self.folder)
        self.shoe = shoe(self.folder, "--pace", "0.004", "--faults", "0.2", "--seed", str(self.dice.randint(1, 999)))
        wait_for((self.folder / "shoe").is_symlink, 30)
        self.subscriber = self._subscriber()
        self.daemon = self._daemon()

    @property
    def dealt(self) -> int:
        return len(self.journal.rows())

    @property
    def kept(self) -> list[bytes]:
        """What the subscriber has."""
        with suppress(FileNotFoundError):
            return (self.folder / "records.jsonl").read_bytes().split(b"\n")[:-1]
        return []

    def counted(self, what: str) -> int:
        path = self.folder / what
        return path.stat().st_size if path.exists() else 0

    def kill(self, kind: str) -> None:
        """End one of them as a power cut would, and have it back after a moment."""
        self.kills[kind] += 1
        if kind == "broker":
            self.broker.kill()
            time.sleep(self.dice.uniform(0, 1.0))
            self.broker.start()
        elif kind == "daemon":
            self.daemon.end()
            time.sleep(self.dice.uniform(0, 0.3))
            self.daemon = self._daemon()
        else:
            self.subscriber.end()
            time.sleep(self.dice.uniform(0, 0.5))
            self.subscriber = self._subscriber()

    def close_the_shoe(self) -> None:
        """It takes its line away with it: the number of a pty is soon another's."""
        self.shoe.signal(signal.SIGTERM)
        wait_for(lambda: self.shoe.has_ended, 30)

    def end(self) -> None:
        self.close_the_shoe()
        for process in (self.subscriber, self.daemon):
            process.end()

    def _daemon(self) -> Process:
        return daemon(self.config)

    def _subscriber(self) -> Process:
        version = "3.1.1" if self.broker.engine.name == "nats-server" else "5"
        log, place = self.folder / "subscriber.log", (str(self.folder), str(self.broker.port), version)
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        return Process(log, *place, command=SUBSCRIBER, environment=environment)


@contextmanager
def floor(folder: Path, running: EmbeddedBroker, seed: int) -> Iterator[Floor]:
    made = Floor(folder, running, random.Random(seed))
    try:
        yield made
    finally:
        made.end()


def wait_for(condition: object, seconds: float) -> None:
    """Until it holds; a deadline that passes is a failure."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:.0f} s"
        time.sleep(0.02)


def chaos(folder: Path, name: str, seed: int, events: int, times: int) -> None:
    engine = BROKERS[name]() or missing(name)
    with EmbeddedBroker(engine) as running, floor(folder, running, seed) as here:
        order = [kind for kind in KINDS for _ in range(times)]
        here.dice.shuffle(order)
        for number, kind in enumerate(order):
            moment = events * (number + here.dice.random()) / len(order)
            wait_for(lambda: here.dealt >= moment, DEAL_S)  # noqa: B023
            here.kill(kind)
        wait_for(lambda: here.dealt >= events, DEAL_S)
        here.close_the_shoe()
        here.kill("broker")
        wait_for(lambda: here.dealt == len(here.kept), CATCH_UP_S)
        here.daemon.signal(signal.SIGTERM)
        wait_for(lambda: here.daemon.has_ended, CATCH_UP_S)
        wait_for(lambda: here.dealt == len(here.kept), CATCH_UP_S)
        check(here)
        told = {"seed": seed, "broker": name, "records": here.dealt, "kills": dict(here.kills)}
        told |= {what: here.counted(what) for what in ("repeats", "asked")}
        print(f"\nchaos: {json.dumps(told)}")


def check(here: Floor) -> None:
    rows = here.journal.rows()
    check_chain(rows)
    check_proof(here.folder / "journal.db")
    assert here.kept == [row.body for row in rows]
    assert here.counted("broken") == 0
    log = here.daemon.log
    assert "Traceback" not in log + here.subscriber.log, log


def test_a_short_evening_of_kills(tmp_path: Path) -> None:
    chaos(tmp_path, "mosquitto", seed=1, events=1500, times=2)


@pytest.mark.soak
@pytest.mark.parametrize("name", BROKERS)
@pytest.mark.parametrize("seed", range(1, 11))
def test_ten_kills_of_each_in_ten_thousand_events(tmp_path: Path, seed: int, name: str) -> None:
    chaos(tmp_path, name, seed, events=10_000, times=10)
