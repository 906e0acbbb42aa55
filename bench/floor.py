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
from dataclasses import dataclass, field
from pathlib import Path

from controller.broker import EmbeddedBroker
from controller.cli.floor_run import COMING_UP
from controller.journal_file import read_all
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
    heard = Heard()
    with tempfile.TemporaryDirectory(prefix="floor-") as name, EmbeddedBroker() as broker:
        async with Dialer(parse_address(broker.url)).connect() as session:
            await session.subscribe("casino/v1/+/+/evt/#", _BARE)
            listening = asyncio.create_task(heard.listen(session))
            floor = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "controller", "sim", "floor", "--tables", str(tables), "--rate", str(_RATE)),
                *("--seconds", str(_SECONDS), "--broker", broker.url, "--folder", name),
                stdout=asyncio.subprocess.PIPE,
            )
            assert floor.stdout is not None
            while (line := await floor.stdout.readline()) and (
                b" of " not in line or line.startswith(COMING_UP.encode())
            ):
                pass
            begun = time.monotonic_ns()
            bare = asyncio.create_task(_bare(Path(name, "bare"), session))
            while line := await floor.stdout.readline():
                if line.startswith(b"after"):
                    ended, words = time.monotonic_ns(), line.decode().strip()
            bare.cancel()
            listening.cancel()
            sent, _ = await asyncio.gather(bare, floor.wait())
        rows = [(each.name, row) for each in Path(name).glob("t-*") for row in read_all(each / "journal.db")]
    events = [
        (heard.records.get((table, row.body)), row.mono_ns)
        for table, row in rows
        if row.kind == "table" and begun < row.mono_ns < ended
    ]
    print(f"== {tables} tables, {broker.engine.name}, {words}")
    print(f"last byte to the subscriber:                   {_row([came - at for came, at in events if came])}")
    print(
        f"bare fdatasync append + QoS 1, beside them:    {_row([heard.bare[key] - at for key, at in sent.items() if key in heard.bare])}"
    )
    print(
        f"of {len(rows)} records {len(rows) - sum((table, row.body) in heard.records for table, row in rows)} have not come"
    )


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
    return f"p50 {statistics.median(ordered):8.1f} ms   p99 {late:8.1f} ms   longest {ordered[-1]:8.1f} ms   of {len(ordered)}"


if __name__ == "__main__":
    for number in sys.argv[1:] or ("10", "50", "200"):
        asyncio.run(measured(int(number)))
