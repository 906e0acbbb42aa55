"""The embedded broker: up at once, gone with its parent, and a clear word where there is none."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from controller import broker
from controller.broker import BrokerError, EmbeddedBroker
from controller.mqtt import Dialer, Disconnected
from controller.mqtt_address import parse_address


async def reach(url: str) -> None:
    async with Dialer(parse_address(url), "table").connect() as session:
        await session.publish("casino/test", b"{}")


def test_it_listens_on_loopback_and_cleans_up(any_broker: EmbeddedBroker) -> None:
    asyncio.run(reach(any_broker.url))
    process = any_broker._process
    assert process is not None
    listening = [each.laddr for each in psutil.Process(process.pid).net_connections("tcp") if each.status == "LISTEN"]
    assert listening
    assert {address.ip for address in listening} == {"127.0.0.1"}
    home = any_broker._home
    assert home.exists()
    any_broker.stop()
    any_broker.stop()
    assert not home.exists()
    assert process.poll() is not None


def test_it_comes_back_on_the_same_port(any_broker: EmbeddedBroker) -> None:
    url = any_broker.url
    any_broker.kill()
    with pytest.raises(Disconnected):
        asyncio.run(reach(url))
    any_broker.start()
    assert any_broker.url == url
    asyncio.run(reach(url))


PARENT = """
import sys, time
from controller import broker
running = broker.EmbeddedBroker(getattr(broker, sys.argv[1])())
running.start()
print(running._process.pid, flush=True)
time.sleep(60)
"""


def test_it_ends_with_its_parent(any_broker: EmbeddedBroker) -> None:
    name = "mosquitto" if any_broker.engine.name == "mosquitto" else "nats"
    with subprocess.Popen([sys.executable, "-c", PARENT, name], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert psutil.pid_exists(child)
        parent.kill()
    deadline = time.monotonic() + 5
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_port_that_is_taken_meanwhile_is_passed_over(
    any_broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = broker._free_port()
    with socket.create_server(("127.0.0.1", 0)) as squatter:
        ports = iter([squatter.getsockname()[1], free])
        monkeypatch.setattr(broker, "_free_port", lambda: next(ports))
        with EmbeddedBroker(any_broker.engine) as second:
            assert second.port == free
            asyncio.run(reach(second.url))


def test_a_broker_that_does_not_start_says_why(any_broker: EmbeddedBroker) -> None:
    wrong = broker.Engine("wrong", any_broker.engine.program, lambda port, folder: "no { such [ config\n", "running")
    with pytest.raises(BrokerError, match=r"does not start:\n.*(Unknown configuration variable|Parse error)"):
        EmbeddedBroker(wrong).start()


def test_without_a_broker_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "mosquitto", lambda: None)
    monkeypatch.setattr(broker, "nats", lambda: None)
    with pytest.raises(BrokerError, match=r"apt install mosquitto.*shoewatch\[broker\]"):
        EmbeddedBroker()


def test_mosquitto_is_found_outside_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not os.access("/usr/sbin/mosquitto", os.X_OK):
        pytest.skip("needs mosquitto in /usr/sbin")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = broker.mosquitto()
    assert found is not None
    assert found.program == "/usr/sbin/mosquitto"
