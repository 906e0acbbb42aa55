"""Somebody at a table's panel: says things, hears answers, watches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Said = dict[str, Any]
_DEADLINE_S = 15.0


class Client:
    """One connection; `heard` keeps every line that came, as bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.heard: list[bytes] = []

    def send(self, line: bytes) -> None:
        self._writer.write(line)

    def tell(self, fields: Mapping[str, Any]) -> None:
        self.send(json.dumps(fields).encode() + b"\n")

    async def line(self) -> bytes:
        """The next line, b"" at the end."""
        async with asyncio.timeout(_DEADLINE_S):
            line = await self._reader.readline()
        self.heard.append(line)
        return line

    async def hear(self) -> Said:
        """The next line; EOFError at the end."""
        line = await self.line()
        if not line:
            raise EOFError
        fields: Said = json.loads(line)
        return fields

    async def hear_until(self, holds: Callable[[Said], bool]) -> Said:
        """The first line of which it holds."""
        while not holds(said := await self.hear()):
            pass
        return said

    async def ask(self, name: str, **fields: Any) -> Said:
        """The answer to an input; `type_` and `next_` stand for the fields of these names."""
        self.tell({"id": name, **{key.rstrip("_"): value for key, value in fields.items()}})
        return await self.hear_until(lambda said: said.get("id") == name and "ok" in said)


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[Client]:
    """A client of this socket; it is waited for."""
    async with asyncio.timeout(_DEADLINE_S):
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
                break
            except OSError:
                await asyncio.sleep(0.01)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


def record_of(event: str) -> Callable[[Said], bool]:
    """Whether a line is the record of such an event."""
    return lambda said: said.get("data", {}).get("event", {}).get("type") == event
