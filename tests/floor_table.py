"""A blackjack table with somebody on its floor, who speaks to it over a real broker."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from floor_console import Answer, Console, console, trust
from mqtt_table import until
from own_table import OwnTable, own_table

from controller.broker import EmbeddedBroker
from protocols.floor.contract.records import Record
from simulators.tdl import codes

CLOCKED = [sys.executable, str(Path(__file__).with_name("clocked_daemon.py"))]
KEYS_SECTION = '\n[keys]\nregistry = "keys.toml"\n'
CAPS = codes.CAP_LOCK | codes.CAP_SELF_TEST
DEADLINE_S = 120.0
Fields = dict[str, Any]


class Floor:
    """A table and one of its floor: `ask` knows the last record of the table, as a program on the floor would."""

    def __init__(self, table: OwnTable, said: Console) -> None:
        self.table = table
        self.said = said

    async def ask(self, name: str, by: str = "supervisor", /, **fields: Any) -> Answer:
        """The answer; `from_` stands for the field of that name."""
        self.said.seq = self.seq
        return await self.said.ask(name, by, **{key.rstrip("_"): value for key, value in fields.items()})

    async def ask_until_heard(self, name: str) -> Answer:
        """The answer to a command that is said again, as it is, for as long as there are too many others."""
        payload = self.payload(name)
        while True:
            self.said.put(name, payload)
            with suppress(TimeoutError):
                answer = await self.said.answer_to(payload, 1)
                if answer.get("code") not in ("too_many", "under_way"):
                    return answer

    def payload(self, name: str, by: str = "supervisor", fields: Mapping[str, Any] | None = None, **more: Any) -> bytes:
        self.said.seq = self.seq
        return self.said.payload(name, by, fields, **more)

    @property
    def seq(self) -> int:
        return self.table.journal.rows()[-1].seq

    def record(self, seq: int) -> Fields:
        return self.table.journal.records()[seq - 1]

    def of(self, name: str) -> list[Fields]:
        """The records of the command with this id."""
        records = self.table.journal.records()
        return [data for data in records if name in (data.get("id"), data.get("input", {}).get("id"))]

    async def starts(self) -> None:
        connections = self.connections
        await self.table.start()
        await until(lambda: self.connections > connections)

    @property
    def connections(self) -> int:
        return self.table.daemon.log.count(": connected (")


@asynccontextmanager
async def floor(folder: Path, broker: EmbeddedBroker) -> AsyncIterator[Floor]:
    trust(folder / "keys.toml", "dealer", "supervisor", "console", "archive", "table")
    at = own_table(
        folder, url=broker.url, command=CLOCKED, panel=KEYS_SECTION, devices="allow_commands = true", caps=CAPS
    )
    async with asyncio.timeout(DEADLINE_S), at as table:
        epoch = json.loads(table.journal.rows()[0].body)["epoch"]
        async with console(broker.url, epoch, 0) as said:
            made = Floor(table, said)
            await until(lambda: made.connections > 0)
            yield made
            for row in table.journal.rows():
                Record.read(row.body)
