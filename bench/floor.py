"""What a floor of tables costs on one computer: `python bench/floor.py [TABLES ...]`, 10, 50 and 200 without any.

Every table is a real daemon with simulated devices and people, at two events a second. The delay is that from an
event's last byte, or a person's input, to its message at one subscriber of all tables. Beside it, at the same time and
on the same broker, what a message costs at least there: the payload appended to a file with fdatasync, then published
with QoS 1, until the same subscriber has it."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from controller.broker import EmbeddedBroker
from controller.cli.floor_run import COMING_UP
from controller.journal_file import Row, read_all
from controller.mqtt import Dialer, Session
from controller.mqtt_address import parse_address

_SECONDS = 20
_RATE = 2
_BARE = "bench/bare"
_BARE_EVERY_S = 0.1


@dataclass
class Heard:
    """The monotonic time at which each message came: of the tables by topic's table and body, bare ones by number."""

    records: dict[tuple[str, bytes], int] = field(default_factory=dict)
    bare: dict[bytes, int] = field(default_factory=dict)

    async def listen(self, session: Session) -> None:
        async for message in session.messages():
            now = time.monotonic_ns()
            if message.topic == _BARE:
                self.bare[message.payload[:8]] = now
            else:
                self.records[message.topic.split("/")[3], message.payload] = now


async def measured(tables: int) -> None:
    """Print one floor's numbers."""
    heard, (begun, ended) = Heard(), (0, 0)
    with tempfile.TemporaryDirectory(prefix="floor-") as name, EmbeddedBroker() as broker:
        async with Dialer(parse_address(broker.url)).connect() as session:
            await session.subscribe("casino/v1/+/+/evt/#", _BARE)
            listening = asyncio.create_task(heard.listen(session))
            floor = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "controller", "sim", "floor", "--tables", str(tables), "--rate", str(_RATE)),
                *("--seconds", str(_SECONDS), "--broker", broker.url, "--folder", name),
                stdout=asyncio.subprocess.PIPE,
            )
            await _line_of(floor, lambda line: "MiB" in line and not line.startswith(COMING_UP))
            begun = time.monotonic_ns()
            bare = asyncio.create_task(_bare(Path(name, "bare"), session))
            words = await _line_of(floor, lambda line: line.startswith("after"))
            ended = time.monotonic_ns()
            bare.cancel()
            sent, _ = await asyncio.gather(bare, floor.wait())
            listening.cancel()
        rows = _journals(Path(name))
    played = [(table, row) for table, row in rows if row.kind == "table" and begun < row.mono_ns < ended]
    delays = [
        heard.records[each] - row.mono_ns for table, row in played if (each := (table, row.body)) in heard.records
    ]
    bare_ones = [came - sent[key] for key, came in heard.bare.items()]
    missing = sum((table, row.body) not in heard.records for table, row in rows)
    print(f"== {tables} tables, {broker.engine.name}, {words}")
    print(f"last byte to the subscriber:                {_row(delays)}")
    print(f"bare fdatasync append + QoS 1, beside them: {_row(bare_ones)}")
    print(f"of {len(rows)} records {missing} have not come", flush=True)


def _journals(folder: Path) -> list[tuple[str, Row]]:
    """Every record, with its table."""
    return [(each.name, row) for each in folder.glob("t-*") for row in read_all(each / "journal.db")]


async def _line_of(floor: asyncio.subprocess.Process, wanted: Callable[[str], bool]) -> str:
    """The next line of the floor that is wanted."""
    assert floor.stdout is not None
    while line := (await floor.stdout.readline()).decode():
        if wanted(line):
            return line.strip()
    raise RuntimeError("the floor has ended too early")


async def _bare(log: Path, session: Session) -> dict[bytes, int]:
    """When each bare message was begun, until cancelled."""
    begun = dict[bytes, int]()
    try:
        while True:
            key = b"%08d" % len(begun)
            begun[key] = time.monotonic_ns()
            with log.open("ab") as file:
                file.write(key * 75)
                file.flush()
                os.fdatasync(file.fileno())
            await session.publish(_BARE, key * 75)
            await asyncio.sleep(_BARE_EVERY_S)
    except asyncio.CancelledError:
        return begun


def _row(nanoseconds: list[int]) -> str:
    """Milliseconds: p50, p99, the longest."""
    ordered = sorted(each / 1e6 for each in nanoseconds)
    late = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    middle, last = statistics.median(ordered), ordered[-1]
    return f"p50 {middle:7.1f} ms   p99 {late:7.1f} ms   longest {last:7.1f} ms   of {len(ordered)}"


if __name__ == "__main__":
    for number in sys.argv[1:] or ("10", "50", "200"):
        asyncio.run(measured(int(number)))
