"""The USB/IP server: import, transfers, unlinks and pulls, as a host on loopback sees them."""

from __future__ import annotations

import asyncio
import errno
import struct
import sys
from collections.abc import Awaitable, Callable

from device_lines import until
from usbip_host import UsbIpHost

from simulators.usb.descriptors import IN, OUT, Descriptors
from simulators.usb.device import UsbDevice
from simulators.usb.reader import UsbReader
from simulators.usb.usbip import UsbIpServer

Story = Callable[[UsbIpServer, int, list[bytes]], Awaitable[None]]


def served(story: Story) -> None:
    async def main() -> None:
        heard: list[bytes] = []
        server = UsbIpServer(UsbDevice(Descriptors(), heard.append))
        async with asyncio.timeout(10), server.serving() as port:
            await story(server, port, heard)

    asyncio.run(main())


def get_descriptor(kind: int, length: int) -> bytes:
    return struct.pack("<BBHHH", 0x80, 6, kind << 8, 0, length)


def test_the_device_is_listed_and_described() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(struct.pack(">HHI", 0x0111, 0x8005, 0))
        listed = await reader.read()
        assert struct.unpack(">HHII", listed[:12]) == (0x0111, 5, 0, 1)
        assert listed[-4:] == b"\xff\x00\x01\x00"
        assert len(listed) == 12 + 312 + 4
        host = await UsbIpHost.imported(port)
        assert host.device == listed[12:-4]
        assert host.device[300:306] == bytes.fromhex("1209ca4d0100")
        device = host.submit(0x80, 18, setup=get_descriptor(1, 18))
        string = host.submit(0x80, 255, setup=struct.pack("<BBHHH", 0x80, 6, 0x0309, 0, 255))
        await until(lambda: len(host.ended) == 2)
        assert host.ended[device] == (0, 18, Descriptors().device)
        assert host.ended[string] == (-errno.EPIPE, 0, b"")

    served(story)


def test_an_export_is_for_one_host_at_a_time() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        first = await UsbIpHost.imported(port)
        assert (await UsbIpHost.imported(port)).status == 2
        assert (await UsbIpHost.imported(port, b"9-9")).status == 4
        waiting = first.submit(IN, 64)
        server.device.send(b"still here")
        await until(lambda: first.ended.get(waiting) == (0, 10, b"still here"))
        first.close()
        await until(lambda: not server.is_imported)
        assert (await UsbIpHost.imported(port)).status == 0

    served(story)


def test_transfers_go_both_ways_and_overflow_and_stall() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        host = await UsbIpHost.imported(port)
        out = host.submit(OUT, 5, b"hello")
        await until(lambda: out in host.ended)
        assert (host.ended[out], heard) == ((0, 5, b""), [b"hello"])
        server.device.send(bytes(9))
        short = host.submit(IN, 8)
        await until(lambda: short in host.ended)
        assert host.ended[short] == (-errno.EOVERFLOW, 8, bytes(8))
        server.device.halt(IN)
        halted = host.submit(IN, 8)
        await until(lambda: halted in host.ended)
        assert host.ended[halted] == (-errno.EPIPE, 0, b"")
        host.submit(0x00, 0, setup=struct.pack("<BBHHH", 2, 1, 0, IN, 0))
        server.device.send(b"after")
        again = host.submit(IN, 8)
        await until(lambda: host.ended.get(again) == (0, 5, b"after"))

    served(story)


def test_an_unlink_tells_whether_the_transfer_was_still_waiting() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        host = await UsbIpHost.imported(port)
        waiting = host.submit(IN, 64)
        unlink = host.unlink(waiting)
        await until(lambda: unlink in host.unlinked)
        server.device.send(b"for the next one")
        following = host.submit(IN, 64)
        await until(lambda: following in host.ended)
        too_late = host.unlink(following)
        await until(lambda: too_late in host.unlinked)
        assert (host.unlinked[unlink], host.unlinked[too_late]) == (-errno.ECONNRESET, 0)
        assert host.ended == {following: (0, 16, b"for the next one")}

    served(story)


def test_a_pull_cuts_the_host_off_and_lets_nobody_in() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        host = await UsbIpHost.imported(port)
        host.submit(IN, 64)
        await until(lambda: server.device.unread == 0)
        server.unplug()
        server.unplug()
        await until(lambda: host.lost and not server.is_imported)
        assert (await UsbIpHost.imported(port)).status == 4
        server.plug_in()
        assert (await UsbIpHost.imported(port)).status == 0

    served(story)


def test_a_host_that_says_nonsense_is_left() -> None:
    async def story(server: UsbIpServer, port: int, heard: list[bytes]) -> None:
        for nonsense in (b"", b"GET / HTTP/1.0\r\n\r\n", struct.pack(">HHI", 0x0111, 0x8003, 0) + b"1-"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(nonsense)
            writer.write_eof()
            assert await reader.read() == b""
        assert (await UsbIpHost.imported(port)).status == 0

    served(story)


def test_the_reader_beacons_to_its_host_and_obeys_the_hand() -> None:
    async def main() -> None:
        reader = UsbReader()
        async with asyncio.timeout(10), reader.server.serving() as port:
            running = asyncio.create_task(reader.station.run())
            host = await UsbIpHost.imported(port)
            beacon = host.submit(IN, 64)
            await until(lambda: beacon in host.ended)
            status, actual, packet = host.ended[beacon]
            assert (status, actual, packet[0] & 0xC0, packet[2]) == (0, 64, 0xC0, 0x01)
            before = reader.station.device.last_event
            reader.obey("seat natural")
            assert reader.station.device.last_event > before
            reader.obey("unplug")
            await until(lambda: host.lost)
            reader.obey("plug")
            assert (await UsbIpHost.imported(port)).status == 0
            running.cancel()

    asyncio.run(main())


def test_the_reader_as_a_process_serves_until_its_input_ends() -> None:
    async def main() -> None:
        command = [sys.executable, "-m", "simulators.usb.reader", "0", "HCR-0009"]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe)
        assert process.stdin
        assert process.stdout
        async with asyncio.timeout(30):
            port = int(await process.stdout.readline())
            host = await UsbIpHost.imported(port)
            serial = host.submit(0x80, 255, setup=struct.pack("<BBHHH", 0x80, 6, 0x0303, 0, 255))
            await until(lambda: serial in host.ended)
            assert host.ended[serial][2][2:].decode("utf-16-le") == "HCR-0009"
            process.stdin.write(b"dance\nunplug\n")
            await until(lambda: host.lost)
            process.stdin.close()
            _, said = await process.communicate()
        assert (process.returncode, said.count(b"it is seat natural")) == (0, 1)

    asyncio.run(main())
