"""The people of a simulated table at its panel: what they say is said until it is answered (decisions 5)."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from protocols.events import Event, written

Said = Mapping[str, Any]
_AGAIN_S: Final = 0.1
_LINE_MAX: Final = 1 << 20
_OUT: Final = "the reader is out of use"
_AWAY: Final = ("lost", "absent", "opening")
_NOT_INSPECTED: Final = "not-inspected"


class Speaker:
    """One person at one socket. An input keeps its id while the daemon is away and comes back: it counts once."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._run = secrets.token_hex(4)
        self._count = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def say(self, event: Event) -> Said:
        """The answer to an event: `ok`, and `why` where it was refused."""
        return await self._ask(written(event))

    async def announce(self, **fields: str) -> Said:
        """Tell of the next card where it goes (`to`) or how it lies (`face`)."""
        return await self._ask({"next": fields})

    async def inspect(self, inspected: Mapping[str, str]) -> Said:
        """Tell that the reader was inspected, and `by` whom."""
        return await self._ask({"inspected": inspected})

    def leave(self) -> None:
        """Hang up."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, fields: Mapping[str, Any]) -> Said:
        self._count += 1
        name = f"sim-{self._run}-{self._count}"
        line = json.dumps({"id": name, **fields}).encode() + b"\n"
        while True:
            try:
                return await self._exchanged(line, name)
            except (OSError, EOFError):
                self.leave()
                await asyncio.sleep(_AGAIN_S)

    async def _exchanged(self, line: bytes, name: str) -> Said:
        if self._streams is None:
            self._streams = await asyncio.open_unix_connection(self._socket, limit=_LINE_MAX)
        reader, writer = self._streams
        writer.write(line)
        await writer.drain()
        while (said := await _heard(reader)).get("id") != name:
            pass
        return said


class Watcher:
    """Somebody who reads the dealer's display: what is due, whether the reader is out of use (None: not told), and
    whether that may be because nobody has inspected it; `shoe_away`: no line to the shoe is open.

    `on_news` is called whenever something was shown, `watching` set once that was so for the first time."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.watching = asyncio.Event()
        self.due: tuple[str, ...] = ()
        self.reader_out: bool | None = None
        self.inspection_missing = False
        self.shoe_away = False
        self.on_news: Callable[[], None] = lambda: None

    async def run(self) -> None:
        """For ever: watch, and watch again when the daemon comes back."""
        while True:
            try:
                await self._watch()
            except (OSError, EOFError):
                await asyncio.sleep(_AGAIN_S)

    async def _watch(self) -> None:
        reader, writer = await asyncio.open_unix_connection(self._socket, limit=_LINE_MAX)
        try:
            writer.write(b'{"watch":true}\n')
            while True:
                self._take(await _heard(reader))
                self.watching.set()
                self.on_news()
        finally:
            writer.close()

    def _take(self, said: Said) -> None:
        if "due" in said:
            self.due = tuple(said["due"])
        if self.reader_out is None and any(_OUT in remark for remark in said.get("remarks", ())):
            self.reader_out = self.inspection_missing = True
        match said.get("data"):
            case {"kind": "link", "device": "shoe", "to": state}:
                self.shoe_away = state in _AWAY
            case {"event": {"type": "reader.faulted"} as event}:
                self.reader_out, self.inspection_missing = True, event.get("code") == _NOT_INSPECTED
            case {"event": {"type": "reader.restored"}}:
                self.reader_out = self.inspection_missing = False


@dataclass(frozen=True, slots=True)
class People:
    """Who speaks at a table's panel, and who watches it."""

    dealer: Speaker
    supervisor: Speaker
    watcher: Watcher


def people_at(panel: Path) -> People:
    """The people at the sockets in this folder."""
    dealer, supervisor = panel / "dealer.sock", panel / "supervisor.sock"
    return People(Speaker(dealer), Speaker(supervisor), Watcher(dealer))


async def _heard(reader: asyncio.StreamReader) -> Said:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    said: Said = json.loads(line)
    return said
