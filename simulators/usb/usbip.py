"""A simulated USB device exported by USB/IP on loopback, for the vhci of a real kernel: one device, one host at a time.

A transfer that is unlinked before it ended is told so (-ECONNRESET), and never answered besides; one that had ended is
told 0. A pull cuts the host's connection, which is how USB/IP tells that a device is gone."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from struct import Struct
from typing import Final

from simulators.usb.device import Setup, Stall, Transfer, UsbDevice

BUS_ID: Final = "1-1"

_VERSION: Final = 0x0111
_LIST, _IMPORT = 0x8005, 0x8003
_ANSWER: Final = 0x7FFF
_FREE, _BUSY, _NO_DEVICE = 0, 2, 4
_SUBMIT, _UNLINK, _SUBMITTED, _UNLINKED = 1, 2, 3, 4
_FULL_SPEED: Final = 2
_TO_HOST: Final = 1
_OPERATION: Final = Struct(">HHI")
_DEVICE: Final = Struct(">256s32sIIIHHHBBBBBB")
_HEADER: Final = Struct(">IIIII")
_REQUEST: Final = Struct(">IIIIIIi12s8s")
_ENDED: Final = Struct(">iiiii8x")
_UNLINK_ENDED: Final = Struct(">i24x")
_SETUP: Final = Struct("<BBHHH")


@dataclass(slots=True)
class _Host:
    """Whoever has imported the device, with its transfers that have not ended."""

    writer: asyncio.StreamWriter
    transfers: dict[int, Transfer]


class UsbIpServer:
    """Serves `device`, a pull of which is `unplug`; everything happens in the loop."""

    def __init__(self, device: UsbDevice, port: int = 0) -> None:
        self.device = device
        self._port = port
        self._is_in = True
        self._host: _Host | None = None

    @property
    def is_imported(self) -> bool:
        return self._host is not None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        """Its TCP port on loopback, while it serves."""
        async with await asyncio.start_server(self._serve, "127.0.0.1", self._port) as server:
            yield int(server.sockets[0].getsockname()[1])
            self.unplug()

    def plug_in(self) -> None:
        """Hosts can import it again; harmless when they can already."""
        self._is_in = True

    def unplug(self) -> None:
        """The host loses it; harmless when done already."""
        self._is_in = False
        if self._host:
            self._host.writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            _, operation, _ = _OPERATION.unpack(await reader.readexactly(_OPERATION.size))
            if operation == _LIST:
                writer.write(self._listed())
                await writer.drain()
            elif operation == _IMPORT:
                bus_id = (await reader.readexactly(32)).rstrip(b"\0").decode(errors="replace")
                await self._import(bus_id, reader, writer)
        writer.close()

    def _listed(self) -> bytes:
        face = bytes([*self.device.descriptors.face, 0])
        listed = self._described() + face if self._is_in else b""
        return _OPERATION.pack(_VERSION, _LIST & _ANSWER, 0) + self._is_in.to_bytes(4, "big") + listed

    async def _import(self, bus_id: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        status = _NO_DEVICE if bus_id != BUS_ID or not self._is_in else _BUSY if self._host else _FREE
        described = self._described() if status == _FREE else b""
        writer.write(_OPERATION.pack(_VERSION, _IMPORT & _ANSWER, status) + described)
        if status != _FREE:
            await writer.drain()
            return
        host = self._host = _Host(writer, {})
        self.device.reset()
        try:
            while True:
                await self._take(host, reader)
        finally:
            for transfer in host.transfers.values():
                self.device.cancel(transfer)
            self._host = None

    async def _take(self, host: _Host, reader: asyncio.StreamReader) -> None:
        header = await reader.readexactly(_REQUEST.size)
        command, number, _, direction, endpoint, flags, length, _, setup = _REQUEST.unpack(header)
        if command == _UNLINK:
            # The number of the transfer stands where a submission has its flags.
            self._unlink(host, number, flags)
            return
        to_host = direction == _TO_HOST
        data = await reader.readexactly(length) if not to_host and length > 0 else b""
        if endpoint == 0:
            self._control(host, number, Setup(*_SETUP.unpack(setup)))
        else:
            self._submit(host, number, Transfer(endpoint | to_host << 7, length, _unset, data))

    def _submit(self, host: _Host, number: int, transfer: Transfer) -> None:
        to_host = bool(transfer.endpoint & 0x80)

        def finish(code: int, came: bytes) -> None:
            host.transfers.pop(number, None)
            self._end(host, number, code, came, len(came) if to_host else 0 if code else transfer.length)

        transfer.finish = finish
        host.transfers[number] = transfer
        self.device.submit(transfer)

    def _control(self, host: _Host, number: int, setup: Setup) -> None:
        try:
            answer = self.device.control(setup)[: setup.length]
        except Stall:
            self._end(host, number, errno.EPIPE, b"", 0)
            return
        self._end(host, number, 0, answer, len(answer) if setup.request_type & 0x80 else setup.length)

    def _unlink(self, host: _Host, number: int, victim: int) -> None:
        transfer = host.transfers.pop(victim, None)
        was_waiting = transfer is not None and self.device.cancel(transfer)
        status = _UNLINK_ENDED.pack(-errno.ECONNRESET if was_waiting else 0)
        host.writer.write(_HEADER.pack(_UNLINKED, number, 0, 0, 0) + status)

    def _end(self, host: _Host, number: int, code: int, came: bytes, actual: int) -> None:
        host.writer.write(_HEADER.pack(_SUBMITTED, number, 0, 0, 0) + _ENDED.pack(-code, actual, 0, 0, 0) + came)

    def _described(self) -> bytes:
        says = self.device.descriptors
        ids = (says.vendor, says.product, 0x0100)
        return _DEVICE.pack(b"/sim/1-1", BUS_ID.encode(), 1, 2, _FULL_SPEED, *ids, 0, 0, 0, 1, 1, 1)


def _unset(_code: int, _came: bytes) -> None:
    raise AssertionError("a transfer without an end")
