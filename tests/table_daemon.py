"""A daemon that a test writes for a simulated table: a TDL/1 host on any transport, and the panel's two sockets.

Everything that comes in is told in one `story`, in the order in which it came."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from struct import pack, unpack_from
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from firmware_bridge.transport import LinkLost, Transport
from simulators.tdl.frames import cobs, frame
from simulators.tdl.identity import FIRMWARE, registry_entry

Opener = Callable[[], Awaitable[Transport]]
SILENT_S = 2.5


def derived(secret: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=info).derive(secret)


def tag(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


def decoded(coded: bytes) -> bytes:
    raw, place = b"", 0
    while place < len(coded):
        code = coded[place]
        raw += coded[place + 1 : place + code] + (b"\0" if code < 255 else b"")
        place += code
    return raw[:-1]


@dataclass
class TdlHost:
    """The host's end of one device; keeps every event once and acknowledges it at once."""

    opener: Opener
    serial: str
    on_event: Callable[[int, bytes], None]
    on_lost: Callable[[], None] = lambda: None
    events: dict[int, bytes] = field(default_factory=dict)
    repeated: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    orders: list[tuple[int, bytes]] = field(default_factory=list)
    _ctr: int = 0
    _cid: int = 0
    _hello: bytes = b"\x01\x01" + b"\x77" * 16 + b"HOST0001"

    async def run(self) -> None:
        """For ever, or until the line has ended."""
        while True:
            try:
                transport = await self.opener()
                await self._serve(transport)
            except LinkLost as lost:
                if lost.kind == "ended":
                    self.ended.set()
                    return
            except TimeoutError:
                await transport.close()
            if self.ready.is_set():
                self.ready.clear()
                self.on_lost()
            await asyncio.sleep(0.05)

    async def _serve(self, transport: Transport) -> None:
        buffer = b""
        await transport.write(frame(0x40, 0, self._hello))
        while True:
            async with asyncio.timeout(SILENT_S if self.ready.is_set() else 2.0):
                buffer += (await transport.read()).data
            *coded, buffer = buffer.split(b"\0")
            for part in coded:
                if part:
                    await self._take(transport, decoded(part))
            if self.ready.is_set():
                await self._order(transport)

    async def _order(self, transport: Transport) -> None:
        for op, args in self.orders:
            self._cid += 1
            await self._say(transport, 0x52, pack("<HB", self._cid, op) + args)
        self.orders.clear()

    async def _take(self, transport: Transport, raw: bytes) -> None:
        if len(raw) < 10 or raw[-4:] != pack("<I", zlib.crc32(raw[:-4])):
            return
        kind = raw[1]
        if kind == 0x02:
            await self._prove(transport, raw[6:-4])
        elif kind == 0x10:
            await self._event(transport, raw[6:-12])
        elif kind == 0x11:
            await self._say(transport, 0x53, bytes(8))

    async def _prove(self, transport: Transport, ident: bytes) -> None:
        key, nonces = bytes.fromhex(registry_entry(self.serial).key), self._hello[2:18] + ident[10:26]
        assert ident[26:42].rstrip(b"\0").decode() == self.serial
        assert ident[66:98] == FIRMWARE
        greeted = self._hello + ident[:-16]
        assert ident[-16:] == tag(key, b"TDL1-D" + greeted)
        self._h2d, self._ctr = derived(key, nonces, b"TDL1 h2d"), 0
        await transport.write(frame(0x41, 0, tag(key, b"TDL1-H" + greeted + ident[-16:])))
        await self._say(transport, 0x50, pack("<I", len(self.events)))
        await self._say(transport, 0x51, pack("<I", len(self.events) + 1))
        self.ready.set()

    async def _event(self, transport: Transport, body: bytes) -> None:
        [number] = unpack_from("<I", body)
        if number == len(self.events) + 1:
            self.events[number] = body
            self.on_event(body[12], body[13:])
        else:
            self.repeated += number <= len(self.events)
        await self._say(transport, 0x50, pack("<I", len(self.events)))

    async def _say(self, transport: Transport, kind: int, body: bytes) -> None:
        self._ctr += 1
        raw = pack("<BBI", 0x11, kind, self._ctr) + body
        raw += hmac.new(self._h2d, raw, hashlib.sha256).digest()[:8]
        await transport.write(b"\0" + cobs(raw + pack("<I", zlib.crc32(raw))) + b"\0")


@dataclass
class Daemon:
    """Takes what people say at `panel`, arms the reader for each round, and tells watchers of the reader's faults."""

    panel: Path
    shoe: TdlHost | None = None
    reader: TdlHost | None = None
    story: list[tuple[str, Any]] = field(default_factory=list)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    next_card: dict[str, str] = field(default_factory=dict)
    repeated: int = 0
    refuse: str | None = None
    drop_answers: int = 0
    reader_out: bool = False
    round: int = 0
    _watchers: set[asyncio.StreamWriter] = field(default_factory=set)

    def shoe_told(self, kind: int, data: bytes) -> None:
        if kind == 0x03:
            told = {"slot": data[6], "card": data[7], "flags": data[8], **self.next_card}
            self.next_card = {}
            self.story.append(("card", told))
        else:
            self.story.append(("shoe", kind))

    def reader_told(self, kind: int, data: bytes) -> None:
        if kind == 0x23:
            self.story.append(("verdict", data[4]))

    def reader_lost(self) -> None:
        self.put_out()

    def put_out(self) -> None:
        if not self.reader_out:
            self.reader_out = True
            self._record("reader.faulted")

    def _record(self, event: str) -> None:
        self.story.append((event, None))
        line = json.dumps({"data": {"event": {"type": event}}}).encode() + b"\n"
        for watcher in self._watchers:
            watcher.write(line)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Both sockets are there while the body runs."""
        self.panel.mkdir(exist_ok=True)
        paths = [self.panel / f"{role}.sock" for role in ("dealer", "supervisor")]
        writers: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}

        async def serve(role: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers[writer] = asyncio.current_task()
            with suppress(OSError):
                while line := await reader.readline():
                    self._hear(role, json.loads(line), writer)
            self._watchers.discard(writer)

        servers = [await asyncio.start_unix_server(partial(serve, path.stem), path) for path in paths]
        try:
            yield
        finally:
            for server in servers:
                server.close()
            for writer in writers:
                writer.transport.abort()
            await asyncio.gather(*(task for task in writers.values() if task))
            for path in paths:
                path.unlink()

    def _hear(self, role: str, said: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        if said == {"watch": True}:
            self._watchers.add(writer)
            writer.write(b'{"verdict":null,"due":[]}\n')
            return
        name = said.pop("id")
        if name in self.answers:
            self.repeated += 1
        else:
            self.answers[name] = self._answer(role, name, said)
        if self.drop_answers:
            self.drop_answers -= 1
            writer.transport.abort()
        else:
            writer.write(json.dumps(self.answers[name]).encode() + b"\n")

    def _answer(self, role: str, name: str, said: dict[str, Any]) -> dict[str, Any]:
        if "next" in said:
            self.next_card = said["next"]
            return {"id": name, "ok": True}
        if said["type"] == self.refuse:
            return {"id": name, "ok": False, "why": "not now"}
        self._enter(role, said)
        return {"id": name, "ok": True, "seq": len(self.story)}

    def _enter(self, role: str, said: dict[str, Any]) -> None:
        match said["type"]:
            case "reader.faulted":
                self.put_out()
            case "reader.restored":
                self.reader_out = False
                self._record("reader.restored")
            case _:
                self.story.append((role, said))
        if said["type"] == "round.opened" and self.reader and not self.reader_out:
            self.round += 1
            self.reader.orders.append((0x10, pack("<IBBB", self.round, 1, 0, 200)))
