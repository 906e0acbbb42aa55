"""What the daemon tells its service manager: ready, alive, stopping, and nothing while a part of it hangs."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from daemon import Journal, Process, configure, configure_table, daemon, running
from device_lines import PtyLine
from manager import Manager
from mqtt_table import until
from tools import need_programs

from controller.notify import ServiceManager

NOBODY = "mqtt://127.0.0.1:1"
IMPATIENT = [sys.executable, str(Path(__file__).with_name("impatient_daemon.py"))]
PERIOD_S = 0.4


@pytest.fixture
def kind() -> str:
    """Where the manager's socket is."""
    return "path"


@pytest.fixture
def manager(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    """The one that the daemons of the test are started by."""
    with Manager(tmp_path / "notify", abstract=kind == "abstract") as told:
        monkeypatch.setenv("NOTIFY_SOCKET", told.address)
        monkeypatch.setenv("WATCHDOG_USEC", str(int(PERIOD_S * 1e6)))
        yield told


def signs(manager: Manager) -> int:
    return manager.heard().count("WATCHDOG=1")


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_ready_without_any_device_which_may_come_later_then_stopping(manager: Manager, tmp_path: Path) -> None:
    config = configure(tmp_path, f"serial:{tmp_path}/shoe", NOBODY)

    async def scenario() -> None:
        with running(daemon(config)) as process:
            await until(lambda: signs(manager) > 2)
            assert Journal(tmp_path).count(what="start") == 1
            await until(lambda: "STATUS=shoe absent" in manager.heard())
            line = PtyLine(tmp_path / "shoe")
            await until(lambda: "STATUS=shoe ready" in manager.heard())
            line.unplug()
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log

    asyncio.run(scenario())
    heard = manager.heard()
    assert [each for each in heard if not each.startswith("STATUS=") and each != "WATCHDOG=1"] == [
        "READY=1",
        "STOPPING=1",
    ]
    assert heard[-1] == "STOPPING=1"


def test_a_wrong_configuration_is_never_ready(manager: Manager, tmp_path: Path) -> None:
    config = configure(tmp_path, "serial:", NOBODY)
    with running(daemon(config)) as process:
        assert asyncio.run(process.ended()) == os.EX_CONFIG
    assert manager.heard() == []


@contextmanager
def held_up(process: Process, call: str, log: Path) -> Iterator[None]:
    """The process's threads stand still in this system call while the body runs."""
    need_programs(strace="strace")
    inject = f"inject={call}:delay_enter=600000000"
    arguments = ["strace", "-f", "-p", str(process.pid), "-e", f"trace={call}", "-e", inject, "-o", str(log)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr
        assert "attached" in tracer.stderr.readline()
        yield
        tracer.terminate()


async def silent(manager: Manager) -> None:
    """No sign of life in the time of five."""
    before = signs(manager)
    await asyncio.sleep(5 * PERIOD_S)
    assert signs(manager) <= before + 1


def test_a_disk_that_hangs_is_named_and_the_watchdog_starves(manager: Manager, tmp_path: Path) -> None:
    line = PtyLine(tmp_path / "shoe")
    config = configure(tmp_path, f"serial:{tmp_path}/shoe", NOBODY)

    async def scenario() -> None:
        with running(daemon(config, command=IMPATIENT)) as process:
            await until(lambda: "STATUS=shoe ready" in manager.heard() and signs(manager) > 2)
            with held_up(process, "fdatasync", tmp_path / "strace.log"):
                line.unplug()
                await until(lambda: "the journal has not answered for" in process.log)
                await silent(manager)
                assert any(each.startswith("STATUS=no answer from the journal") for each in manager.heard())
            alive = signs(manager)
            await until(lambda: "the journal answers again" in process.log and signs(manager) > alive + 2)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log

    asyncio.run(scenario())


def test_a_panel_whose_socket_is_gone_is_named_and_the_watchdog_starves(manager: Manager, tmp_path: Path) -> None:
    config = configure_table(tmp_path, f"serial:{tmp_path}/shoe", f"serial:{tmp_path}/reader", NOBODY)

    async def scenario() -> None:
        with running(daemon(config, command=IMPATIENT)) as process:
            await until(lambda: signs(manager) > 2)
            assert "STATUS=shoe absent, reader absent" in manager.heard()
            (tmp_path / "panel" / "dealer.sock").unlink()
            await until(lambda: "the panel has not answered for" in process.log)
            assert "No such file" in process.log
            await silent(manager)
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0, process.log

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("environment", "watchdog_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "often"}, None),
    ],
)
def test_the_watchdog_s_time(environment: dict[str, str], watchdog_s: float | None) -> None:
    assert ServiceManager.named_by(environment) == ServiceManager(None, watchdog_s)


def test_a_manager_that_does_not_listen_is_no_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        ServiceManager(str(tmp_path / "nobody")).tell(READY="1")
        ServiceManager().tell(READY="1")
    assert [f"{tmp_path}/nobody" in message for message in caplog.messages] == [True]
