"""Simulated devices with faults as a person runs them: a reader alone, a shoe on TCP, a table, and the printed menu."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from struct import pack

import pytest
from command import shoewatch
from device_lines import until
from table_daemon import Daemon, TdlHost
from tools import free_port

from firmware_bridge.serial_port import open_serial
from firmware_bridge.tcp_port import open_tcp
from firmware_bridge.transport import LineSettings
from simulators.faults.menu import MENU
from simulators.live.play import READER_SERIAL, SHOE_SERIAL

SIM = [sys.executable, "-m", "controller", "sim"]
DEADLINE_S = 60.0
ARM = 0x10
NOT_SEATED, VERDICT = 3, 0x23


@asynccontextmanager
async def sim(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """It ends with 0 when it is asked to."""
    process = await asyncio.create_subprocess_exec(*SIM, *arguments)
    try:
        async with asyncio.timeout(DEADLINE_S):
            yield process
            process.terminate()
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()


async def verdicts(folder: Path, count: int, *options: str) -> list[int]:
    """What a reader that is shown naturals only says of so many rounds for which it is armed."""
    link, told = folder / "reader", list[int]()

    def on_event(kind: int, data: bytes) -> None:
        if kind == VERDICT:
            told.append(data[4])

    quick = ("--pace", "0", "--hurry", "100", "--naturals", "1")
    async with sim("reader", "--link", str(link), *quick, *options):
        await until(link.is_symlink, DEADLINE_S)
        host = TdlHost(lambda: open_serial(str(link), LineSettings(115200)), READER_SERIAL, on_event)
        running = asyncio.create_task(host.run())
        for number in range(1, count + 1):
            host.orders.append((ARM, pack("<IBBB", number, 1, 0, 200)))
            await until(lambda: len(told) - told.count(NOT_SEATED) == number, DEADLINE_S)  # noqa: B023
        running.cancel()
    return told


@pytest.mark.parametrize(
    ("fault", "told"),
    [(None, [1, 1, 1]), ("wrong-result@round=2", [1, 0, 1]), ("removed-early@round=2", [1, NOT_SEATED, 1, 1])],
)
def test_a_reader_alone_answers_whoever_arms_it(tmp_path: Path, fault: str | None, told: list[int]) -> None:
    options = ("--fault", fault) if fault else ()
    assert asyncio.run(verdicts(tmp_path, 3, *options)) == told


def test_a_shoe_on_tcp_with_a_fault(tmp_path: Path) -> None:
    async def heard() -> bytes:
        port, got = free_port(), b""
        options = ("--rounds", "2", "--pace", "0", "--no-baud-real", "--truth", str(tmp_path / "truth"))
        async with sim("shoe", "--tcp", str(port), *options, "--fault", "reverse@card=12") as shoe:
            await until(lambda: shoe.returncode is None and is_open(port), DEADLINE_S)
            line = await open_tcp("127.0.0.1", port)
            while b"G" not in got or b"E\xc4" not in got:
                got += (await line.read()).data
            await line.close()
        return got

    got = asyncio.run(heard())
    assert got.count(b"E\xc4\x03") == 3
    assert got.count(b"e\x84\x03") == 3


def is_open(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


def test_a_table_with_a_fault_at_its_shoe(tmp_path: Path) -> None:
    async def played() -> Daemon:
        link, daemon = tmp_path / "shoe", Daemon(tmp_path / "panel")
        options = ("--procedure", "nd-no-hole", "--rounds", "2", "--pace", "0", "--panel", str(daemon.panel))
        async with sim("table", "--shoe-link", str(link), *options, "--fault", "misread@card=5"), daemon.open():
            await until(link.is_symlink, DEADLINE_S)
            line = LineSettings(115200)
            daemon.shoe = TdlHost(lambda: open_serial(str(link), line), SHOE_SERIAL, daemon.shoe_told)
            running = asyncio.create_task(daemon.shoe.run())
            closed = ("dealer", {"type": "round.closed"})
            await until(lambda: daemon.story.count(closed) == 2, DEADLINE_S)
            running.cancel()
        return daemon

    cards = [told["card"] for kind, told in asyncio.run(played()).story if kind == "card"]
    assert [number for number, card in enumerate(cards, start=1) if card == 0x7F] == [5]


def test_the_menu_is_printed_with_every_entry() -> None:
    printed = subprocess.run([*SIM, "faults"], capture_output=True, timeout=DEADLINE_S, check=True, text=True).stdout
    first = {line.split(" ")[0] for line in printed.splitlines() if line}
    assert first >= set(MENU)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["shoe", "--link", "a" * 300], "File name too long"),
        (["shoe", "--link", "/dev/null"], "name a path for the"),
        (["shoe", "--link", "line", "--truth", "nowhere/truth"], "nowhere/truth: cannot be written"),
        (["shoe", "--tcp", "TAKEN"], "is not to be had"),
        (["reader", "--tcp", "TAKEN"], "is not to be had"),
        (["table", "--shoe-link", "line", "--reader-tcp", "TAKEN"], "is not to be had"),
        (["table", "--shoe-link", "line", "--reader-link", "line"], "cannot stand where the shoe does"),
        (["table", "--shoe-link", "line", "--memory", "plain"], "plain/shoe: cannot be written"),
        (["shoe", "--link", "line", "--pace", "inf"], "--pace"),
        (["table", "--shoe-link", "line", "--hurry", "inf"], "--hurry"),
    ],
)
def test_where_a_device_cannot_stand_is_told(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = shoewatch("sim", *(port if argument == "TAKEN" else argument for argument in arguments))
    assert (told.status, "Traceback" in told.stderr) == (2, False)
    assert why in " ".join(told.stderr.split())
    assert not (tmp_path / "line").is_symlink()
