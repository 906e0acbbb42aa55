"""The shoe's line goes and comes again and again, the broker once: ready again each time, and nothing leaks."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
from daemon import Journal, Process, check_chain, configure, daemon, running, shoe
from mqtt_table import listening, until
from tools import no_more

from controller.broker import EmbeddedBroker

READY_S = 5 * 3.0


async def replug(dealt: Process, journal: Journal) -> None:
    """Unplug the line, and plug it in again once the loss is on disk; ready within the deadline."""
    losses, readies = journal.count(kind="link", **{"from": "ready"}), journal.count(kind="link", to="ready")
    dealt.signal(signal.SIGUSR1)
    await until(lambda: journal.count(kind="link", **{"from": "ready"}) > losses)
    dealt.signal(signal.SIGUSR2)
    await until(lambda: journal.count(kind="link", to="ready") > readies, READY_S)


async def goes_on(journal: Journal) -> None:
    """Cards come."""
    cards = journal.count(kind="table")
    await until(lambda: journal.count(kind="table") > cards)


def check_lines(folder: Path, broker: EmbeddedBroker, times: int) -> None:
    async def scenario() -> None:
        config, journal = configure(folder, f"serial:{folder}/shoe", broker.url), Journal(folder)
        with running(shoe(folder, "--pace", "0.05")) as dealt, running(daemon(config)) as process:
            await goes_on(journal)
            await until(lambda: "connected" in process.log)
            descriptors, threads = process.descriptors(), process.threads()
            for number in range(times):
                await replug(dealt, journal)
                if number == times // 2:
                    broker.kill()
                    broker.start()
            await goes_on(journal)
            async with listening(broker.url) as late:
                await until(lambda: late.statuses == ["online"])
                await until(lambda: no_more(process.descriptors(), descriptors))
                await until(lambda: process.threads() <= threads)
                process.signal(signal.SIGTERM)
                assert await process.ended() == 0, process.log
                await until(lambda: late.statuses == ["online", "offline"])
        check_chain(journal.rows())
        assert journal.count(kind="link", to="ready") == times + 1
        assert "Traceback" not in process.log

    asyncio.run(scenario())


def test_twenty_replugs(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_lines(tmp_path, mosquitto, 20)


@pytest.mark.soak
def test_fifty_replugs_soak(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    check_lines(tmp_path, mosquitto, 50)
