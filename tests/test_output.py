"""A command whose reader goes away, as `head` does: it says nothing of that, and its status is what it would be."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from mqtt_table import TOPICS

from controller.broker import EmbeddedBroker
from controller.mqtt import Dialer
from controller.mqtt_address import parse_address

COMMAND = [sys.executable, "-m", "controller"]
LIMIT_S = 60.0
HEADER = json.dumps({"type": "log.header", "procedure": "pb-nj"})
LEGAL = f'{HEADER}\n{{"type":"round.opened","boxes":[]}}\n'
WRONG = f'{HEADER}\n{{"type":"card.drawn"}}\n'
LONG = HEADER + '\n{"type":"dealer.changed"}' * 3000


def unread() -> int:
    """The end to write at of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def ended(arguments: Sequence[str], given: str, *, both: bool) -> subprocess.CompletedProcess[str]:
    """The command with its output, or with that and its remarks, into a pipe that nobody reads."""
    writing = unread()
    remarks = writing if both else subprocess.PIPE
    try:
        return subprocess.run(
            [*COMMAND, *arguments], input=given, stdout=writing, stderr=remarks, text=True, timeout=LIMIT_S, check=False
        )
    finally:
        os.close(writing)


@pytest.mark.parametrize("both", [False, True], ids=["output", "output and remarks"])
@pytest.mark.parametrize(
    ("arguments", "given", "status", "remark"),
    [
        (["procedures", "list"], "", 0, ""),
        (["procedures", "show", "nd-card-reader"], "", 0, ""),
        (["procedures", "show", "nd-cardreader"], "", 2, "did you mean"),
        (["procedures", "diagram", "nj-ms-shoe"], "", 0, ""),
        (["check", "-"], LEGAL, 0, "1 events: 1 ok"),
        (["check", "-"], WRONG, 1, "1 violation"),
        (["check", "-"], LONG, 0, "3000 events: 3000 ok"),
        (["check", "-"], "{", 2, "line 1: no JSON object"),
        (["config", "check", "table.toml"], "", 78, "table.toml"),
        (["sim", "registry"], "", 0, ""),
        (["udev", "rules"], "", 0, ""),
        (["--help"], "", 0, ""),
        (["check", "--nope"], "", 2, "nope"),
    ],
)
def test_the_status_is_that_of_the_work(arguments: list[str], given: str, status: int, remark: str, both: bool) -> None:
    done = ended(arguments, given, both=both)
    assert done.returncode == status
    if not both:
        assert remark in done.stderr
        assert "BrokenPipe" not in done.stderr
        assert len(done.stderr.splitlines()) == bool(remark) or arguments == ["check", "--nope"]


def test_the_first_lines_come_all_the_same() -> None:
    command = f'"{sys.executable}" -m controller procedures show sl | head -n 2; echo "${{PIPESTATUS[@]}}"'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    first, second, statuses = done.stdout.splitlines()
    assert first.startswith("sl: ")
    assert second.startswith("jurisdiction")
    assert (statuses, done.stderr) == ("0 0", "")


def test_an_output_that_is_closed_from_the_first_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m controller procedures list >&-'],
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_monitor_ends_with_the_first_line_that_nobody_reads(tmp_path: Path) -> None:
    async def show(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'{"verdict":null,"due":[]}\n' * 3)

    async def scenario() -> tuple[int, bytes]:
        async with await asyncio.start_unix_server(show, tmp_path / "dealer.sock"):
            return await unattended("monitor", "--panel", str(tmp_path))

    status, remarks = asyncio.run(scenario())
    assert status == 0
    assert remarks.decode() == f"watching {tmp_path}; Ctrl-C stops\n"


def test_watch_ends_with_the_first_line_that_nobody_reads(any_broker: EmbeddedBroker) -> None:
    async def scenario() -> tuple[int, bytes]:
        async with Dialer(parse_address(any_broker.url)).connect() as session:
            await session.publish(TOPICS.status, b"{}", retain=True)
            return await unattended("watch", any_broker.url)

    status, remarks = asyncio.run(scenario())
    assert status == 0
    assert remarks.startswith(b"watching ")
    assert remarks.count(b"\n") == 1


async def unattended(*arguments: str) -> tuple[int, bytes]:
    """How an endless command ends by itself whose output nobody reads, and its remarks."""
    writing = unread()
    process = await asyncio.create_subprocess_exec(*COMMAND, *arguments, stdout=writing, stderr=asyncio.subprocess.PIPE)
    os.close(writing)
    async with asyncio.timeout(LIMIT_S):
        _, remarks = await process.communicate()
    assert process.returncode is not None
    return process.returncode, remarks
