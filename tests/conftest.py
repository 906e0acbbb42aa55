"""What more than one test needs: a real broker."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from controller import broker
from controller.broker import EmbeddedBroker, Engine


@pytest.fixture
def mosquitto() -> Iterator[EmbeddedBroker]:
    """A fresh mosquitto on loopback, for what needs MQTT 5, TLS or access lists."""
    with EmbeddedBroker(broker.mosquitto() or _missing("mosquitto (apt install mosquitto)")) as running:
        yield running


@pytest.fixture(params=["mosquitto", "nats-server"])
def any_broker(request: pytest.FixtureRequest) -> Iterator[EmbeddedBroker]:
    """Each of the brokers that shoewatch can start itself."""
    find = broker.mosquitto if request.param == "mosquitto" else broker.nats
    with EmbeddedBroker(find() or _missing(request.param)) as running:
        yield running


def _missing(package: str) -> Engine:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{package} is not installed here, and CI must have it")
    pytest.skip(f"needs {package}")
