"""What the USB port does with the real libusb, one body a test, in a process that stands at a bench of its own."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from device_lines import descriptors, device_threads, read_to_the_end, until
from transport_suite import loss
from usb_bench import Bench
from usb_rig import SERIAL, opened

from firmware_bridge import usb_port
from firmware_bridge.transport import Chunk, LinkLost, Transport

B = TypeVar("B", bound=Callable[..., Coroutine[Any, Any, None]])
NOBODY = 65534
CASES: list[str] = []
IN, OUT = 0x81, 0x01


def case(body: B) -> B:
    CASES.append(body.__name__)
    return body


async def data(transport: Transport) -> bytes:
    return (await transport.read()).data


async def refused(address: str) -> tuple[str, str]:
    lost = await loss(opened(address))
    return lost.kind, lost.detail


async def goes_on(bench: Bench, transport: Transport, port: str = "1-1") -> None:
    """The line carries packets both ways."""
    bench.heard[port].clear()
    bench.send(b"\x05", port=port)
    assert await data(transport) == b"\x05"
    await transport.write(b"\x06")
    await until(lambda: bench.has_heard(b"\x06", port))


@case
async def a_device_is_found_by_serial_number_and_by_port(bench: Bench) -> None:
    bench.plug("1-1", serial="HCR-0001")
    bench.plug("1-1.4", serial="HCR-0002")
    bench.plug("1-2", serial="")
    for address, port in (("usb:HCR-0002", "1-1.4"), ("usb:1-1", "1-1"), ("usb:1-2", "1-2")):
        transport = await opened(address)
        await goes_on(bench, transport, port)
        await transport.close()


@case
async def what_is_not_there_is_absent_with_what_is(bench: Bench) -> None:
    assert await refused("usb:HCR-0007") == ("absent", "no device 1209:ca4d with the serial number HCR-0007")
    bench.plug("1-1", serial="HCR-0008")
    bench.plug("1-2", serial="0000")
    bench.plug("1-3", serial="HCR-0007", product=0x0001)
    kind, detail = await refused("usb:HCR-0009")
    assert (kind, detail.partition("; ")[2]) == (
        "absent",
        "there is 1209:ca4d HCR-0008 at 1-1, 1209:ca4d without serial number at 1-2",
    )
    assert (await refused("usb:HCR-0007"))[1].endswith("there is 1209:0001 HCR-0007 at 1-3")
    assert (await refused("usb:1-9"))[1].startswith("no device 1209:ca4d at the port 1-9; there is 1209:ca4d HCR-0008")
    transport = await opened("usb:HCR-0007?usb_id=1209:0001")
    await goes_on(bench, transport, "1-3")
    await transport.close()


@case
async def a_device_with_another_interface_is_none(bench: Bench) -> None:
    bench.plug(serial=SERIAL, face=[3, 0, 0])
    assert await refused(f"usb:{SERIAL}") == ("protocol", "1209:ca4d at 1-1 has no interface ff0001 (it has 030000)")


@case
async def two_devices_of_one_serial_number_are_refused(bench: Bench) -> None:
    bench.plug("1-1", serial=SERIAL)
    bench.plug("1-4", serial=SERIAL)
    kind, detail = await refused(f"usb:{SERIAL}")
    assert kind == "denied"
    assert detail == f"2 devices have the serial number {SERIAL}, at the ports 1-1 and 1-4"
    await (await opened("usb:1-4")).close()
    bench.unplug("1-1")
    await (await opened()).close()


@case
async def two_readers_that_change_places_keep_their_names(bench: Bench) -> None:
    bench.plug("1-1", serial="HCR-0001")
    bench.plug("1-2", serial="HCR-0002")
    first = await opened("usb:HCR-0001")
    bench.unplug("1-1")
    bench.unplug("1-2")
    assert (await loss(first.read())).kind == "gone"
    bench.plug("1-2", serial="HCR-0001")
    bench.plug("1-1", serial="HCR-0002")
    first = await opened("usb:HCR-0001")
    await goes_on(bench, first, "1-2")
    await first.close()


_OPEN = """
import asyncio, os, sys
import firmware_bridge.usb_port
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings, LinkLost
if uid := int(sys.argv[1]):
    os.setgroups([]); os.setgid(uid); os.setuid(uid)
try:
    asyncio.run(open_port(parse_port(sys.argv[2]), LineSettings(9600)))
except LinkLost as lost:
    print(lost.kind, lost.detail)
"""


def _in_another_process(address: str, uid: int = 0) -> str:
    command = [sys.executable, "-c", _OPEN, str(uid), address]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@case
async def another_process_has_it(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    said = _in_another_process(f"usb:{SERIAL}")
    assert said.startswith("busy 1209:ca4d at 1-1 is held by ")
    assert f"(pid {os.getpid()})" in said
    await goes_on(bench, transport)
    await transport.close()


@case
async def a_process_that_ends_without_closing_ends_well(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    for _ in range(5):
        assert _in_another_process(f"usb:{SERIAL}") == ""


@case
async def a_driver_of_the_kernel_has_it(bench: Bench) -> None:
    bench.plug(serial=SERIAL, driver="usbhid")
    assert await refused(f"usb:{SERIAL}") == ("busy", "1209:ca4d at 1-1 is held by the kernel's driver usbhid")


@case
async def nobody_is_let_in(bench: Bench) -> None:
    bench.plug(serial=SERIAL, mode=0o660)
    said = _in_another_process(f"usb:{SERIAL}", NOBODY)
    assert said.startswith("denied 1209:ca4d at 1-1 is closed to us: /dev/bus/usb/001/002 belongs to root:")
    assert "mode 0660; nobody is not in the group " in said
    assert "62-shoewatch.rules" in said


@case
async def no_report_is_lost_at_the_end_of_a_read(bench: Bench) -> None:
    vars(usb_port)["_READ_MS"] = 10
    bench.plug(serial=SERIAL)
    transport = await opened()
    order = random.Random(3)
    sent = [f"{number}".encode() for number in range(300)]

    async def send() -> None:
        for report in sent:
            await asyncio.sleep(order.uniform(0.007, 0.013))
            bench.send(report)

    sending = asyncio.create_task(send())
    assert [await data(transport) for _ in sent] == sent
    await sending
    await transport.close()


@case
async def idleness_costs_nothing_and_is_no_fault(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    before = time.process_time()
    with suppress(TimeoutError):
        async with asyncio.timeout(1.5):
            await transport.read()
    assert time.process_time() - before < 0.5
    await goes_on(bench, transport)
    await transport.close()


async def _halted(bench: Bench, endpoint: int, use: str) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.do("halt", port="1-1", endpoint=endpoint)
    await asyncio.sleep(0.05)
    await goes_on(bench, transport)
    bench.do("halt", port="1-1", endpoint=endpoint)
    call: Awaitable[object] = transport.read() if use == "read" else transport.write(b"\x06")
    assert (await loss(call)).kind == "wedged"
    bench.do("halt", port="1-1", endpoint=endpoint)
    transport = await opened()
    await goes_on(bench, transport)
    await transport.close()


@case
async def a_halted_endpoint_in_is_cleared_once(bench: Bench) -> None:
    await _halted(bench, IN, "read")


@case
async def a_halted_endpoint_out_is_cleared_once(bench: Bench) -> None:
    await _halted(bench, OUT, "write")


@case
async def a_fault_without_reason_is_tried_once_more(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.do("fail", port="1-1", endpoint=IN, codes=[errno.EIO])
    bench.send(b"\x05")
    assert await data(transport) == b"\x05"
    bench.do("fail", port="1-1", endpoint=IN, codes=[errno.EIO])
    bench.send(b"\x05")
    assert (await loss(transport.read())).kind == "gone"


@case
async def a_pull_that_shows_as_a_fault_first_is_a_pull(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    reading = asyncio.create_task(transport.read())
    await asyncio.sleep(0.05)
    bench.unplug(first=errno.EPROTO, removes=1)
    lost = await loss(reading)
    assert lost.kind == "gone"
    assert "[Errno 19]" in lost.detail


@case
async def a_packet_that_is_too_long_is_against_the_protocol(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.send(bytes(65))
    assert (await loss(transport.read())).kind == "protocol"


@case
async def a_device_that_takes_nothing_is_wedged(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.do("deaf", port="1-1", is_deaf=True)
    for call in (transport.write(bytes(640)), transport.read(), transport.write(b"\x06")):
        assert (await loss(call)).kind == "wedged"
    bench.do("deaf", port="1-1", is_deaf=False)
    transport = await opened()
    await goes_on(bench, transport)
    bench.do("deaf", port="1-1", is_deaf=True)
    writing = asyncio.create_task(transport.write(bytes(640)))
    await asyncio.sleep(0.05)
    before = time.monotonic()
    await transport.close()
    assert time.monotonic() - before < 5 * 0.8
    await loss(writing)


@case
async def a_slow_reader_holds_up_the_device_not_the_memory(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    sent = [f"{number}".encode() for number in range(500)]
    bench.send(*sent)
    await asyncio.sleep(0.5)
    assert bench.do("unread", port="1-1")["unread"] > 400
    assert [await data(transport) for _ in sent] == sent
    await transport.close()


@case
async def an_opening_that_is_cancelled_leaves_nothing(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    await (await opened()).close()
    before = descriptors()
    for pause in (0, 0.001, 0.003, 0.01, 0.03):
        opening = asyncio.create_task(opened())
        await asyncio.sleep(pause)
        opening.cancel()
        transport = (await asyncio.gather(opening, return_exceptions=True))[0]
        if not isinstance(transport, BaseException):
            await transport.close()
        await until(lambda: descriptors() <= before and device_threads() == 0)
    await (await opened()).close()


@case
async def everything_that_was_read_before_a_pull_is_given(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.send(b"\x01", b"\x02", b"\x03")
    await until(lambda: bench.do("unread", port="1-1")["unread"] == 0)
    bench.unplug()
    await asyncio.sleep(0.2)
    came, lost = await read_to_the_end(transport)
    assert (came, lost.kind) == (b"\x01\x02\x03", "gone")


@case
async def a_chunk_never_shows_its_bytes(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    transport = await opened()
    bench.send(b"secret")
    chunk = await transport.read()
    assert isinstance(chunk, Chunk)
    assert "secret" not in repr(chunk)
    await transport.close()


@case
async def a_pull_between_look_and_claim_is_a_loss(bench: Bench, pulls: int = 30) -> None:
    """Pulled and put back as fast as it goes, while it is opened again and again: nothing but losses comes of it."""
    bench.plug(serial=SERIAL)
    await (await opened()).close()
    before = descriptors()
    stop = asyncio.Event()

    async def open_on_and_on() -> list[str]:
        kinds: list[str] = []
        while not stop.is_set():
            try:
                transport = await opened()
            except LinkLost as lost:
                kinds.append(lost.kind)
            else:
                await transport.close()
        return kinds

    opening = asyncio.create_task(open_on_and_on())
    order = random.Random(5)
    for _ in range(pulls):
        await asyncio.sleep(order.uniform(0, 0.03))
        bench.unplug()
        await asyncio.sleep(order.uniform(0, 0.01))
        bench.plug(serial=SERIAL)
    stop.set()
    assert set(await opening) <= {"absent", "gone"}
    await until(lambda: descriptors() <= before and device_threads() == 0)
