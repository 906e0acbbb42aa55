"""Broker, daemons and archives killed at random while tables deal: the archive has every record of every table once, in
order, with its chains intact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from archive_floor import archive_floor
from needs import missing
from test_chaos import BROKERS

from controller.archive.database import Database, parse_database
from controller.broker import EmbeddedBroker

KINDS = ("broker", "daemon", "archive")


def chaos(
    folder: Path, name: str, database: Database, seed: int, tables: int, times: int, instances: tuple[str, ...]
) -> None:
    engine = BROKERS[name]() or missing(name)
    names = [f"bac-{number:02}" for number in range(1, tables + 1)]
    with (
        EmbeddedBroker(engine) as broker,
        archive_floor(folder, broker, database, seed, names, instances) as floor,
    ):
        order = [kind for kind in KINDS for _ in range(times)]
        floor.dice.shuffle(order)
        for kind in order:
            floor.wait_for_more(floor.dice.randint(10, 60) * tables)
            floor.kill(kind)
        floor.check()
        told = {"seed": seed, "broker": name, "records": sum(floor.stored().values()), "kills": dict(floor.kills)}
        print(f"\narchive chaos: {json.dumps(told)}")


def test_a_short_evening_of_kills(tmp_path: Path) -> None:
    chaos(
        tmp_path, "mosquitto", parse_database(str(tmp_path / "archive.db")), 1, tables=2, times=1, instances=("main",)
    )


@pytest.mark.soak
@pytest.mark.parametrize("name", BROKERS)
@pytest.mark.parametrize("seed", range(1, 11))
def test_ten_kills_of_each(tmp_path: Path, seed: int, name: str, any_database: Database) -> None:
    chaos(tmp_path, name, any_database, seed, tables=3, times=10, instances=("main",))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 4))
def test_a_second_archive_stands_by(tmp_path: Path, seed: int, any_database: Database) -> None:
    chaos(tmp_path, "mosquitto", any_database, seed, tables=2, times=4, instances=("main", "standby"))
