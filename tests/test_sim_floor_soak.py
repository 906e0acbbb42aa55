"""Two hundred tables for five minutes while their broker is killed: what the journals hold is what was heard."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.broker import EmbeddedBroker
from controller.journal_file import Row, read_all
from controller.mqtt import Dialer, Disconnected
from controller.mqtt_address import parse_address
from protocols.floor.chain import START, Link
from protocols.floor.messages import digest

TABLES, SECONDS, KILLED_AFTER_S, AWAY_S = 200, 300, 120, 5
ON_THEIR_WAY_NS = 10_000_000_000
"""How old a record may be that the killed broker had taken and not yet passed on."""

LAST_WORDS = 40
"""As many records of a table may wait for the broker when it is stopped."""


@dataclass
class Ear:
    """One subscriber of all tables, which comes back after a lost connection; `back_ns`: when it last did."""

    url: str
    came: dict[str, dict[bytes, int]] = field(default_factory=dict)
    repeated: int = 0
    back_ns: int = 0

    async def listen(self) -> None:
        dialer = Dialer(parse_address(self.url))
        while True:
            try:
                async with dialer.connect() as session:
                    await session.subscribe("casino/v1/floor/+/evt/#")
                    self.back_ns = time.monotonic_ns()
                    async for message in session.messages():
                        self._take(message.topic.split("/")[3], message.payload)
            except Disconnected:
                await asyncio.sleep(0.05)

    def _take(self, table: str, payload: bytes) -> None:
        heard = self.came.setdefault(table, {})
        self.repeated += payload in heard
        heard.setdefault(payload, len(heard))


async def played(broker: EmbeddedBroker, folder: Path, ear: Ear) -> tuple[int, str, int]:
    """The floor's status and output, and when the broker was killed."""
    listening = asyncio.create_task(ear.listen())
    arguments = ["--tables", str(TABLES), "--rate", "2", "--seconds", str(SECONDS), "--broker", broker.url]
    floor = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "sim", "floor", *arguments, "--folder", str(folder)),
        stdout=asyncio.subprocess.PIPE,
    )
    telling = asyncio.create_task(floor.communicate())
    await asyncio.sleep(KILLED_AFTER_S)
    killed = time.monotonic_ns()
    broker.kill()
    await asyncio.sleep(AWAY_S)
    broker.start()
    out, _ = await telling
    await asyncio.sleep(2)
    listening.cancel()
    return floor.returncode or 0, out.decode(), killed


@pytest.mark.soak
def test_a_floor_of_two_hundred_tables_loses_nothing_when_its_broker_is_killed(
    mosquitto: EmbeddedBroker, tmp_path: Path
) -> None:
    ear = Ear(mosquitto.url)
    status, out, killed = asyncio.run(played(mosquitto, tmp_path, ear))
    print("\n".join(out.splitlines()[-4:]), f"\n{ear.repeated} records came twice")
    assert status == 0, out
    journals = {folder.name: list(read_all(folder / "journal.db")) for folder in sorted(tmp_path.glob("t-*"))}
    assert sorted(ear.came) == sorted(journals)
    assert len(journals) == TABLES
    for name, rows in journals.items():
        assert_is_told(name, rows, ear.came[name], killed, ear.back_ns)


def assert_is_told(name: str, rows: list[Row], heard: dict[bytes, int], killed: int, back: int) -> None:
    """The chain holds; all was heard in order but what the broker took with it, and what was left at the stop."""
    last = START
    for row in rows:
        assert last.break_before(row.seq, json.loads(row.body)["prev"]) is None, f"{name}: record {row.seq}"
        last = Link(row.seq, digest(row.body))
    assert heard.keys() <= {row.body for row in rows}, f"{name}: something was heard that nobody wrote"
    order = [heard[row.body] for row in rows if row.body in heard]
    assert order == sorted(order), f"{name}: out of order"
    missing = [row for row in rows[:-LAST_WORDS] if row.body not in heard]
    assert all(killed - ON_THEIR_WAY_NS < row.mono_ns < back for row in missing), f"{name}: {len(missing)} are lost"
