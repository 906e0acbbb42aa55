"""The suite of transports over serial lines, TCP, recordings and simulators; tests/t1 has it over USB."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import transport_suite
from device_lines import PtyLine, TcpLine, descriptors, until
from transport_suite import CASES, WORDS, Rig, loss

from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings, Transport
from protocols.records import LossKind
from simulators.live.lines import InnerLine
from simulators.table import Play, played

ANGEL = LineSettings(4800)


class SerialRig(Rig):
    second: LossKind | None = "busy"

    async def open(self) -> Transport:
        self.line = PtyLine(self.folder / "shoe")
        self.before = descriptors()
        return await self.again()

    async def again(self) -> Transport:
        return await open_port(parse_port(f"serial:{self.line.path}"), ANGEL)

    async def send(self, data: bytes) -> None:
        self.line.send(data)

    async def hang_up(self) -> None:
        self.line.unplug()

    async def heard(self, data: bytes) -> None:
        got = b""
        while len(got) < len(data):
            got += self.line.receive()
        assert got == data

    async def stop(self) -> None:
        if self.line.path.is_symlink():
            self.line.unplug()


class TcpRig(Rig):
    async def open(self) -> Transport:
        self.line = TcpLine()
        self.port = await self.line.start()
        self.before = descriptors()
        transport = await self.again()
        await self.line.connected()
        return transport

    async def again(self) -> Transport:
        return await open_port(parse_port(f"tcp:127.0.0.1:{self.port}"), ANGEL)

    async def send(self, data: bytes) -> None:
        self.line.send(data)

    async def hang_up(self) -> None:
        self.line.hang_up()

    async def heard(self, data: bytes) -> None:
        await until(lambda: bytes(self.line.received) == data)

    async def stop(self) -> None:
        await self.line.stop()


class InnerRig(Rig):
    """The line of a live simulated table; a second host takes the place of the first."""

    async def open(self) -> Transport:
        self.line = InnerLine()
        self.received = bytearray()
        self.before = descriptors()
        return await self.again()

    async def again(self) -> Transport:
        return self.line.opened(self.received.extend)

    async def send(self, data: bytes) -> None:
        await self.line.send(data)

    async def hang_up(self) -> None:
        self.line.unplug()

    async def heard(self, data: bytes) -> None:
        assert bytes(self.received) == data

    async def stop(self) -> None: ...


class FixedRig(Rig):
    """What the device says is known before, and the line ends after it."""

    kind: LossKind = "ended"
    listens = False
    fixed = True
    address: str

    async def open(self) -> Transport:
        self.before = descriptors()
        return await self.again()

    async def again(self) -> Transport:
        return await open_port(parse_port(self.address), ANGEL)

    async def send(self, data: bytes) -> None: ...

    async def hang_up(self) -> None: ...

    async def heard(self, data: bytes) -> None: ...

    async def stop(self) -> None: ...


class ReplayRig(FixedRig):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        path = folder / "recording.txt"
        path.write_text("".join(f"0.01 {word.hex()}\n" for word in WORDS))
        self.address = f"replay:{path}"


class SimRig(FixedRig):
    address = "sim:here?seed=7&rounds=1&pace=0.001"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.words = tuple(moment.sent for moment in played(Play(seed=7, rounds=1, pace=0.001)) if moment.sent)


RIGS = (SerialRig, TcpRig, InnerRig, ReplayRig, SimRig)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rig", RIGS, ids=lambda rig: rig.__name__)
def test_it_does_what_every_transport_does(rig: type[Rig], case: str, tmp_path: Path) -> None:
    asyncio.run(transport_suite.run(rig(tmp_path), case))


@pytest.mark.parametrize("address", ["serial:{folder}/nothing", "tcp:127.0.0.1:1"])
def test_what_is_not_there_is_absent(address: str, tmp_path: Path) -> None:
    lost = asyncio.run(loss(open_port(parse_port(address.format(folder=tmp_path)), ANGEL)))
    assert lost.kind == "absent"
