"""A host that imports a USB/IP device, in a few lines of the protocol's own terms."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass
class UsbIpHost:
    """After `imported`; `ended` are the answered submissions and `unlinked` the answered unlinks, by number."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    status: int
    device: bytes
    ended: dict[int, tuple[int, int, bytes]] = field(default_factory=dict)
    unlinked: dict[int, int] = field(default_factory=dict)
    lost: bool = False
    _to_host: set[int] = field(default_factory=set)
    _number: int = 0

    @classmethod
    async def imported(cls, port: int, bus_id: bytes = b"1-1") -> UsbIpHost:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(struct.pack(">HHI32s", 0x0111, 0x8003, 0, bus_id))
        version, code, status = struct.unpack(">HHI", await reader.readexactly(8))
        assert (version, code) == (0x0111, 3)
        host = cls(reader, writer, status, b"" if status else await reader.readexactly(312))
        host._task = asyncio.create_task(host._listen())  # type: ignore[attr-defined]
        return host

    def submit(self, endpoint: int, length: int, data: bytes = b"", setup: bytes = bytes(8)) -> int:
        """The number of a new transfer; `endpoint` with bit 7 where it goes to the host."""
        self._number += 1
        direction, number = endpoint >> 7, endpoint & 0x7F
        if direction:
            self._to_host.add(self._number)
        head = struct.pack(">IIIIIIiiii8s", 1, self._number, 0, direction, number, 0, length, 0, 0, 0, setup)
        self.writer.write(head + data)
        return self._number

    def unlink(self, victim: int) -> int:
        self._number += 1
        self.writer.write(struct.pack(">IIIIII24x", 2, self._number, 0, 0, 0, victim))
        return self._number

    def close(self) -> None:
        self.writer.close()

    async def _listen(self) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                command, number, *_ = struct.unpack(">IIIII", await self.reader.readexactly(20))
                status, actual = struct.unpack(">ii20x", await self.reader.readexactly(28))
                if command == 4:
                    self.unlinked[number] = status
                else:
                    came = await self.reader.readexactly(actual) if number in self._to_host else b""
                    self.ended[number] = (status, actual, came)
        self.lost = True
