"""What more than one test needs: a real broker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from needs import missing

from controller import broker
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
