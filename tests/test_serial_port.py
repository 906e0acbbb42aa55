"""The serial line on real ptys: every way to lose it has its kind, and nothing stays open."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import termios
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import serial
from device_lines import PtyLine, descriptors, device_threads, until

from firmware_bridge.serial_port import open_serial
from firmware_bridge.transport import LineSettings, LinkLost, Transport
from protocols.errors import ShoewatchError

ANGEL = LineSettings(4800)
NOBODY = 65534


@pytest.fixture
def line(tmp_path: Path) -> Iterator[PtyLine]:
    made = PtyLine(tmp_path / "shoe")
    yield made
    if made.path.is_symlink():
        made.unplug()


async def lost_at_opening(path: Path) -> LinkLost:
    with pytest.raises(LinkLost) as caught:
        await open_serial(str(path), ANGEL)
    return caught.value


def test_a_second_opening_is_busy_and_names_the_holder(line: PtyLine) -> None:
    async def main() -> LinkLost:
        port = await open_serial(str(line.path), ANGEL)
        try:
            return await lost_at_opening(line.path)
        finally:
            await port.close()

    lost = asyncio.run(main())
    assert lost.kind == "busy"
    assert f"(pid {os.getpid()})" in lost.detail


def test_closing_frees_the_lock(line: PtyLine) -> None:
    async def main() -> None:
        for _ in range(3):
            port = await open_serial(str(line.path), ANGEL)
            await port.close()

    asyncio.run(main())


def test_a_node_of_another_owner_is_denied_with_the_way_out(line: PtyLine) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a node away and become nobody")
    node = os.path.realpath(line.path)
    os.chown(node, 0, 5)
    os.chmod(node, 0o660)
    said = subprocess.run([sys.executable, "-c", _OPEN_AS_NOBODY, node], capture_output=True, text=True, check=True)
    kind, detail = said.stdout.split(" ", 1)
    assert kind == "denied"
    assert f"{node} belongs to root:" in detail
    assert "mode 0660; nobody is not in the group" in detail


_OPEN_AS_NOBODY = f"""
import asyncio, os, sys
from firmware_bridge.serial_port import open_serial
from firmware_bridge.transport import LineSettings, LinkLost, Transport
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
try:
    asyncio.run(open_serial(sys.argv[1], LineSettings(4800)))
except LinkLost as lost:
    print(lost.kind, lost.detail)
"""


def test_a_file_is_no_serial_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    lost = asyncio.run(lost_at_opening(tmp_path / "file"))
    assert lost.kind == "absent"
    assert "is no serial line" in lost.detail


def test_the_protocol_sets_the_speed_and_closing_leaves_the_modem_lines_alone(line: PtyLine) -> None:
    async def main() -> tuple[int, int]:
        port = await open_serial(str(line.path), LineSettings(9600))
        descriptor = os.open(line.path, os.O_RDWR | os.O_NOCTTY)
        try:
            attributes = termios.tcgetattr(descriptor)
        finally:
            os.close(descriptor)
            await port.close()
        return attributes[4], attributes[2] & termios.HUPCL

    assert asyncio.run(main()) == (termios.B9600, 0)


def test_a_line_that_takes_no_bytes_is_wedged(line: PtyLine) -> None:
    async def main() -> None:
        port = await open_serial(str(line.path), ANGEL)
        before = time.monotonic()
        for call in (port.write(bytes(1_000_000)), port.read()):
            with pytest.raises(LinkLost) as caught:
                await call
            assert caught.value.kind == "wedged"
        assert time.monotonic() - before < 2.5
        await until(lambda: device_threads() == 0)

    asyncio.run(main())


def test_closing_is_quick_though_the_line_is_wedged(line: PtyLine) -> None:
    async def main() -> float:
        port = await open_serial(str(line.path), ANGEL)
        writing = asyncio.create_task(port.write(bytes(1_000_000)))
        await asyncio.sleep(0.05)
        before = time.monotonic()
        await port.close()
        taken = time.monotonic() - before
        with pytest.raises(LinkLost):
            await writing
        return taken

    assert asyncio.run(main()) < 2


FAULTS = [serial.SerialException("device reports readiness"), OSError(5, "Input/output error"), termios.error(5, "EIO")]


async def _fail_in_reading(port: Transport, line: PtyLine) -> None:
    line.send(b"\x05")
    await port.read()


async def _fail_in_writing(port: Transport, line: PtyLine) -> None:
    await port.write(b"\x06")


async def _fail_in_closing(port: Transport, line: PtyLine) -> None:
    line.unplug()
    await port.read()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    ("broken", "use"),
    [
        ("read", _fail_in_reading),
        ("write", _fail_in_writing),
        ("reset_output_buffer", _fail_in_closing),
        ("close", _fail_in_closing),
    ],
)
def test_each_family_of_faults_is_one_loss(
    line: PtyLine,
    monkeypatch: pytest.MonkeyPatch,
    broken: str,
    use: Callable[[Transport, PtyLine], Awaitable[None]],
    fault: Exception,
) -> None:
    async def main() -> None:
        before = open_lines()
        port = await open_serial(str(line.path), ANGEL)
        monkeypatch.setattr(serial.Serial, broken, _raising(fault, getattr(serial.Serial, broken)))
        with pytest.raises(LinkLost) as caught:
            await use(port, line)
        assert caught.value.kind == "gone"
        assert open_lines() == before
        with pytest.raises(LinkLost):
            await port.read()
        await port.close()

    asyncio.run(main())


def _raising(fault: Exception, real: Callable[..., object]) -> Callable[..., None]:
    """The real call, and then the fault: a close that fails has closed."""

    def call(*given: object) -> None:
        real(*given)
        raise fault

    return call


def open_lines() -> set[str]:
    return {name for name in descriptors() if "/dev/pts" in name or "eventfd" in name}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_while_opening_is_one_loss(line: PtyLine, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    before = open_lines()
    monkeypatch.setattr(serial.Serial, "_reset_input_buffer", _raising(fault, lambda *_: None))
    assert asyncio.run(lost_at_opening(line.path)).kind == "gone"
    assert open_lines() == before


def test_a_defect_of_ours_reaches_the_caller(line: PtyLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        port = await open_serial(str(line.path), ANGEL)
        monkeypatch.setattr(serial.Serial, "write", _raising(ZeroDivisionError(), lambda *_: None))
        for call in (port.write(b"\x06"), port.read()):
            with pytest.raises(ZeroDivisionError):
                await call

    asyncio.run(main())


def test_a_speed_that_the_line_cannot_have_is_for_a_person(line: PtyLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial.Serial, "_set_special_baudrate", _raising(ValueError("no such speed"), lambda *_: None))
    with pytest.raises(ShoewatchError, match="no such speed"):
        asyncio.run(open_serial(str(line.path), LineSettings(123_456)))


def test_a_slow_reader_holds_up_the_line_not_the_memory(line: PtyLine) -> None:
    async def main() -> None:
        port = await open_serial(str(line.path), ANGEL)
        sent = await asyncio.create_task(_flood(line))
        got = 0
        while got < sent:
            got += len((await port.read()).data)
        await port.close()
        assert got == sent

    async def _flood(line: PtyLine) -> int:
        """Write until the line takes no more for a while: what was taken."""
        sent, standing = 0, 0
        while standing < 20:
            taken = line.try_to_send(bytes(256))
            sent, standing = sent + taken, 0 if taken else standing + 1
            assert sent < 1_000_000
            await asyncio.sleep(0 if taken else 0.01)
        return sent

    asyncio.run(main())


@pytest.mark.parametrize("steps", range(4))
def test_an_opening_that_is_cancelled_leaves_nothing(line: PtyLine, steps: int) -> None:
    async def main() -> None:
        before = descriptors()
        opening = asyncio.create_task(open_serial(str(line.path), ANGEL))
        for _ in range(steps):
            await asyncio.sleep(0)
        opening.cancel()
        port = (await asyncio.gather(opening, return_exceptions=True))[0]
        if not isinstance(port, BaseException):
            await port.close()
        await until(lambda: descriptors() <= before and device_threads() == 0)

    asyncio.run(main())
