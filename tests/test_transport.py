"""One suite that every transport passes, over real lines, with its quirks declared."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from device_lines import PtyLine, TcpLine, descriptors, device_threads, read_to_the_end, until

from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings, LinkLost, Transport
from protocols.records import LossKind

WORDS = (b"\x05\x30\x53", b"\x03\x36\x30", bytes(range(256)))
ANGEL = LineSettings(4800)


class Rig(ABC):
    """A line with its device's end. Quirks: the `kind` of its end, whether it `listens`, and whether what the
    device says is `fixed` before the line opens. `before`: the descriptors of this process without the line."""

    kind: LossKind = "gone"
    listens = True
    fixed = False
    before: frozenset[str]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    async def open(self) -> Transport: ...

    @abstractmethod
    async def send(self, data: bytes) -> None: ...

    @abstractmethod
    async def hang_up(self) -> None: ...

    @abstractmethod
    async def heard(self, data: bytes) -> None: ...

    @abstractmethod
    async def stop(self) -> None: ...


class SerialRig(Rig):
    async def open(self) -> Transport:
        self.line = PtyLine(self.folder / "shoe")
        self.before = descriptors()
        return await open_port(parse_port(f"serial:{self.line.path}"), ANGEL)

    async def send(self, data: bytes) -> None:
        self.line.send(data)

    async def hang_up(self) -> None:
        self.line.unplug()

    async def heard(self, data: bytes) -> None:
        assert self.line.receive() == data

    async def stop(self) -> None:
        if self.line.path.is_symlink():
            self.line.unplug()


class TcpRig(Rig):
    async def open(self) -> Transport:
        self.line = TcpLine()
        port = await self.line.start()
        self.before = descriptors()
        transport = await open_port(parse_port(f"tcp:127.0.0.1:{port}"), ANGEL)
        await self.line.connected()
        return transport

    async def send(self, data: bytes) -> None:
        self.line.send(data)

    async def hang_up(self) -> None:
        self.line.hang_up()

    async def heard(self, data: bytes) -> None:
        await until(lambda: bytes(self.line.received) == data)

    async def stop(self) -> None:
        await self.line.stop()


class ReplayRig(Rig):
    kind: LossKind = "ended"
    listens = False
    fixed = True

    async def open(self) -> Transport:
        path = self.folder / "recording.txt"
        path.write_text("".join(f"0.01 {word.hex()}\n" for word in WORDS))
        self.before = descriptors()
        return await open_port(parse_port(f"replay:{path}"), ANGEL)

    async def send(self, data: bytes) -> None: ...

    async def hang_up(self) -> None: ...

    async def heard(self, data: bytes) -> None: ...

    async def stop(self) -> None: ...


RIGS = (SerialRig, TcpRig, ReplayRig)
Case = Callable[[Rig, Transport], Awaitable[None]]


@pytest.fixture(params=RIGS, ids=lambda rig: rig.__name__)
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Rig:
    made: Rig = request.param(tmp_path)
    return made


def run(rig: Rig, case: Case) -> None:
    async def main() -> None:
        try:
            async with asyncio.timeout(10):
                await case(rig, await rig.open())
        finally:
            await rig.stop()

    asyncio.run(main())


async def say(rig: Rig, transport: Transport) -> None:
    """All words, read before anything else happens, so that no hang-up overtakes them."""
    for word in () if rig.fixed else WORDS:
        await rig.send(word)
    got = b""
    while len(got) < len(b"".join(WORDS)):
        chunk = await transport.read()
        assert chunk.data
        got += chunk.data
    assert got == b"".join(WORDS)


async def loss(call: Awaitable[object]) -> LinkLost:
    with pytest.raises(LinkLost) as caught:
        await call
    return caught.value


def test_bytes_come_whole_and_in_order(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        await say(rig, transport)
        await transport.close()

    run(rig, case)


def test_times_never_go_back(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        times = []
        for word in WORDS:
            await rig.send(word)
            times.append((await transport.read()).mono_ns)
        assert times == sorted(times)
        await transport.close()

    run(rig, case)


def test_a_lost_line_is_closed_when_it_says_so_and_says_so_for_ever(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        await say(rig, transport)
        await rig.hang_up()
        lost = await loss(transport.read())
        assert descriptors() <= rig.before
        assert lost.kind == rig.kind
        assert (await loss(transport.read())).kind == rig.kind
        assert (await loss(transport.write(b"\x06"))).kind == rig.kind
        await transport.close()

    run(rig, case)


def test_nothing_is_left_after_close(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        await transport.close()
        await rig.hang_up()
        await until(lambda: descriptors() <= rig.before and device_threads() == 0)

    run(rig, case)


def test_closing_twice_is_harmless_and_use_after_it_is_a_loss(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        await transport.close()
        await transport.close()
        assert (await loss(transport.read())).kind == "gone"
        assert (await loss(transport.write(b"\x06"))).kind == "gone"

    run(rig, case)


def test_close_ends_a_read_that_waits(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        reading = asyncio.create_task(read_to_the_end(transport))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(1):
            await transport.close()
            await reading

    run(rig, case)


def test_a_cancelled_read_loses_nothing(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        for _ in range(5):
            reading = asyncio.create_task(transport.read())
            await asyncio.sleep(0)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
        await say(rig, transport)
        await transport.close()

    run(rig, case)


def test_writes_arrive(rig: Rig) -> None:
    async def case(rig: Rig, transport: Transport) -> None:
        await transport.write(b"\x02OPLK02\x031B")
        if rig.listens:
            await rig.heard(b"\x02OPLK02\x031B")
        await transport.close()

    run(rig, case)


@pytest.mark.parametrize("address", ["serial:{folder}/nothing", "tcp:127.0.0.1:1"])
def test_what_is_not_there_is_absent(address: str, tmp_path: Path) -> None:
    lost = asyncio.run(loss(open_port(parse_port(address.format(folder=tmp_path)), ANGEL)))
    assert lost.kind == "absent"
