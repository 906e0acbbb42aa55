"""The live table as a process of its own, its devices behind real ptys and TCP ports."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from device_lines import until
from table_daemon import Daemon, TdlHost
from tools import free_port

from firmware_bridge.serial_port import open_serial
from firmware_bridge.tcp_port import open_tcp
from firmware_bridge.transport import LineSettings
from simulators.live.play import READER_SERIAL, SHOE_SERIAL
from simulators.tdl.identity import registry_entry

DEADLINE_S = 60.0
SIM = [sys.executable, "-m", "controller", "sim"]
LINE = LineSettings(115200)
QUICK = ("--pace", "0", "--hurry", "100")


class Table:
    """The process, and the daemon of the test."""

    def __init__(self, process: asyncio.subprocess.Process, daemon: Daemon, truth: Path) -> None:
        self.process = process
        self.daemon = daemon
        self._truth = truth

    def truth(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._truth.read_text().split("\n")[:-1]]

    async def finished(self) -> None:
        await until(lambda: self._truth.exists() and '"finished": true' in self._truth.read_text(), DEADLINE_S)

    async def stopped(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()


@asynccontextmanager
async def table(folder: Path, *options: str, reader: bool = True) -> AsyncIterator[Table]:
    daemon, truth = Daemon(folder / "panel"), folder / "truth.jsonl"
    shoe_link, reader_link = folder / "shoe", folder / "reader"
    links = ["--shoe-link", str(shoe_link), *(["--reader-link", str(reader_link)] if reader else [])]
    process = await asyncio.create_subprocess_exec(
        *SIM, "table", *links, "--panel", str(daemon.panel), "--truth", str(truth), *options
    )
    daemon.shoe = TdlHost(lambda: open_serial(str(shoe_link), LINE), SHOE_SERIAL, daemon.shoe_told)
    daemon.reader = TdlHost(
        lambda: open_serial(str(reader_link), LINE), READER_SERIAL, daemon.reader_told, daemon.reader_lost
    )
    try:
        async with asyncio.timeout(DEADLINE_S), asyncio.TaskGroup() as group:
            await until(shoe_link.is_symlink, DEADLINE_S)
            tasks = [group.create_task(host.run()) for host in (daemon.shoe, daemon.reader)]
            async with daemon.open():
                yield Table(process, daemon, truth)
            for task in tasks:
                task.cancel()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def longer_than(story: list[Any], length: int) -> bool:
    return len(story) > length


def cards_told(daemon: Daemon) -> list[int]:
    assert daemon.shoe
    return [body[13 + 7] for body in daemon.shoe.events.values() if body[12] == 0x03]


def test_a_host_gets_every_card_of_the_truth_under_its_number(tmp_path: Path) -> None:
    async def play() -> None:
        async with table(tmp_path, "--rounds", "8", "--seed", "3", *QUICK, "--faults", "0.3") as played:
            await played.finished()
            acts = [line for line in played.truth() if "act" in line]
            shoe = played.daemon.shoe
            assert shoe
            for act in acts:
                if act["teller"] == "shoe":
                    assert act["event"] in shoe.events
            told = sum(act["act"] in ("drawn", "burned", "stray") for act in acts)
            assert len(cards_told(played.daemon)) == told
            assert {act["round"] for act in acts} == set(range(1, 9))
            assert any(entry[0] == "verdict" for entry in played.daemon.story)
            assert not any("refused" in line for line in played.truth())
            assert (tmp_path / "truth.jsonl").stat().st_mode & 0o777 == 0o600
            assert await played.stopped() == 0
            assert not (tmp_path / "shoe").is_symlink()

    asyncio.run(play())


@pytest.mark.parametrize("procedure", ["nd-no-peek", "nj-ms-shoe"])
def test_an_unplugged_shoe_loses_no_card(tmp_path: Path, procedure: str) -> None:
    async def play() -> None:
        options = ("--rounds", "12", "--seed", "4", *QUICK, "--procedure", procedure)
        async with table(tmp_path, *options, reader=procedure == "nd-no-peek") as played:
            for _ in range(3):
                seen = len(played.daemon.story)
                await until(partial(longer_than, played.daemon.story, seen + 5), DEADLINE_S)
                played.process.send_signal(signal.SIGUSR1)
                await until(lambda: not (tmp_path / "shoe").is_symlink(), DEADLINE_S)
                played.process.send_signal(signal.SIGUSR2)
            await played.finished()
            told = sum(line.get("act") in ("drawn", "burned", "stray") for line in played.truth())
            assert len(cards_told(played.daemon)) == told

    asyncio.run(play())


def test_devices_remember_over_a_restart_of_the_process(tmp_path: Path) -> None:
    memory = ("--memory", str(tmp_path / "memory"), "--procedure", "nd-no-peek", "--rounds", "2", *QUICK)

    async def play() -> dict[int, bytes]:
        async with table(tmp_path, *memory, reader=False) as played:
            await played.finished()
            assert await played.stopped() == 0
            assert played.daemon.shoe
            return dict(played.daemon.shoe.events)

    first, second = asyncio.run(play()), asyncio.run(play())
    assert len(second) > len(first)
    assert list(second.items())[: len(first)] == list(first.items())
    assert [body[12] for body in second.values()].count(0x01) == 2


def test_over_tcp(tmp_path: Path) -> None:
    async def play() -> None:
        port, daemon = free_port(), Daemon(tmp_path / "panel")
        options = ("--procedure", "nd-no-hole", "--rounds", "3", "--panel", str(daemon.panel))
        process = await asyncio.create_subprocess_exec(*SIM, "table", "--shoe-tcp", str(port), *options, *QUICK)
        daemon.shoe = TdlHost(lambda: open_tcp("127.0.0.1", port), SHOE_SERIAL, daemon.shoe_told)
        try:
            async with asyncio.timeout(DEADLINE_S), daemon.open():
                host = asyncio.create_task(daemon.shoe.run())
                closed = {"type": "round.closed"}
                await until(lambda: daemon.story.count(("dealer", closed)) == 3, DEADLINE_S)
                host.cancel()
            process.terminate()
            assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--shoe-link", "S", "--procedure", "pb-nj"], "is no blackjack and no stud"),
        (["--shoe-link", "S", "--procedure", "nj-ms-shoe", "--reader-tcp", "4001"], "dealt without a reader"),
        (["--shoe-link", "S", "--procedure", "nj-ms-shoe", "--option", "deal_pattern=passes"], "cannot be 'passes'"),
        (["--shoe-link", "S", "--option", "soft17=hit"], "soft_17"),
        (["--shoe-link", "S", "--option", "soft_17"], "NAME=VALUE"),
        (["--shoe-link", "S", "--shoe-tcp", "4001"], "one of the two"),
        ([], "where the shoe stands"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: list[str], complaint: str) -> None:
    found = [str(tmp_path / "shoe") if option == "S" else option for option in options]
    environment = {**os.environ, "COLUMNS": "200"}
    refused = subprocess.run(
        [*SIM, "table", *found], capture_output=True, timeout=DEADLINE_S, text=True, env=environment
    )
    assert refused.returncode == 2
    assert complaint in refused.stderr


def test_the_registry_names_both_devices_and_their_keys() -> None:
    printed = subprocess.run([*SIM, "registry"], capture_output=True, timeout=DEADLINE_S, check=True, text=True)
    devices = tomllib.loads(printed.stdout)
    assert set(devices) == {SHOE_SERIAL, READER_SERIAL}
    entry = registry_entry(SHOE_SERIAL)
    assert devices[SHOE_SERIAL] == {"firmware": {entry.firmware: entry.key}}
