"""What more than one test needs: a real broker, a database for an archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from needs import missing
from postgres import Postgres

from controller import broker
from controller.archive.database import Database, parse_database
from controller.broker import EmbeddedBroker


@pytest.fixture
def mosquitto() -> Iterator[EmbeddedBroker]:
    """A fresh mosquitto on loopback, for what needs MQTT 5, TLS or access lists."""
    with EmbeddedBroker(broker.mosquitto() or missing("mosquitto (apt install mosquitto)")) as running:
        yield running


@pytest.fixture(params=["mosquitto", "nats-server"])
def any_broker(request: pytest.FixtureRequest) -> Iterator[EmbeddedBroker]:
    """Each of the brokers that shoewatch can start itself."""
    find = broker.mosquitto if request.param == "mosquitto" else broker.nats
    with EmbeddedBroker(find() or missing(request.param)) as running:
        yield running


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Postgres]:
    """A PostgreSQL server for all tests of this process."""
    with postgres.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def any_database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """An empty database of each kind that an archive can lie in."""
    if request.param == "sqlite":
        return parse_database(str(tmp_path / "archive.db"))
    server: Postgres = request.getfixturevalue("postgresql")
    return server.database()
