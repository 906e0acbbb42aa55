"""What every transport must do, whatever carries it: cases over a rig, a line with its device's end."""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from device_lines import descriptors, device_threads, read_to_the_end, until

from firmware_bridge.transport import LinkLost, Transport
from protocols.records import LossKind

WORDS: Final = (b"\x05\x30\x53", b"\x03\x36\x30", bytes(range(1, 60)))
_FLOOD: Final = 300
_DEADLINE_S: Final = 20.0
_HURRIES_S: Final = 5.0


class Rig(ABC):
    """A line with its device's end. Quirks: the `kind` of its end, whether it `listens`, whether what the device says
    is `fixed` before the line opens, and what a `second` opening is told. `words`: what the device says.

    `before` are the descriptors of this process without the line, `threads` its threads."""

    kind: LossKind = "gone"
    listens = True
    fixed = False
    second: LossKind | None = None
    words: tuple[bytes, ...] = WORDS
    before: frozenset[str]
    threads = 0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    async def open(self) -> Transport:
        """Make the line and open it."""

    @abstractmethod
    async def again(self) -> Transport:
        """Open the line that is there."""

    @abstractmethod
    async def send(self, data: bytes) -> None: ...

    @abstractmethod
    async def hang_up(self) -> None: ...

    @abstractmethod
    async def heard(self, data: bytes) -> None:
        """Return once the device has heard this and nothing else."""

    @abstractmethod
    async def stop(self) -> None: ...


Case = Callable[[Rig, Transport], Awaitable[None]]
CASES: dict[str, Case] = {}


def case(body: Case) -> Case:
    CASES[body.__name__] = body
    return body


async def run(rig: Rig, name: str) -> None:
    """One case, within its deadline."""
    try:
        async with asyncio.timeout(_DEADLINE_S):
            await CASES[name](rig, await rig.open())
    finally:
        await rig.stop()


async def say(rig: Rig, transport: Transport) -> None:
    """All words, read before anything else happens, so that no hang-up overtakes them."""
    for word in () if rig.fixed else rig.words:
        await rig.send(word)
    got = b""
    while len(got) < len(b"".join(rig.words)):
        chunk = await transport.read()
        assert chunk.data
        got += chunk.data
    assert got == b"".join(rig.words)


async def loss(call: Awaitable[object]) -> LinkLost:
    try:
        await call
    except LinkLost as lost:
        return lost
    raise AssertionError("the line was not lost")


async def nothing_left(rig: Rig) -> None:
    await until(lambda: descriptors() <= rig.before and device_threads() <= rig.threads)


@case
async def bytes_come_whole_and_in_order(rig: Rig, transport: Transport) -> None:
    await say(rig, transport)
    await transport.close()


@case
async def times_never_go_back(rig: Rig, transport: Transport) -> None:
    times = []
    for word in rig.words:
        await rig.send(word)
        times.append((await transport.read()).mono_ns)
    assert times == sorted(times)
    await transport.close()


@case
async def a_flood_comes_in_order_though_nobody_reads_for_a_while(rig: Rig, transport: Transport) -> None:
    if rig.fixed:
        return
    flood = [bytes([1 + number % 255, 1 + number // 255]) for number in range(_FLOOD)]
    sending = asyncio.create_task(_send_all(rig, flood))
    await asyncio.sleep(0.2)
    got = b""
    while len(got) < 2 * _FLOOD:
        got += (await transport.read()).data
    await sending
    assert got == b"".join(flood)
    await transport.close()


async def _send_all(rig: Rig, words: list[bytes]) -> None:
    for word in words:
        await rig.send(word)
        await asyncio.sleep(0)


@case
async def a_lost_line_is_closed_when_it_says_so_and_says_so_for_ever(rig: Rig, transport: Transport) -> None:
    await say(rig, transport)
    await rig.hang_up()
    lost = await loss(transport.read())
    assert descriptors() <= rig.before
    assert lost.kind == rig.kind
    assert (await loss(transport.read())).kind == rig.kind
    assert (await loss(transport.write(b"\x06"))).kind == rig.kind
    await transport.close()


@case
async def a_pull_while_reading_is_told_at_once(rig: Rig, transport: Transport) -> None:
    await say(rig, transport)
    reading = asyncio.create_task(transport.read())
    await asyncio.sleep(0.05)
    await rig.hang_up()
    assert (await loss(reading)).kind == rig.kind
    assert descriptors() <= rig.before


@case
async def a_pull_while_idle_is_told_at_the_next_use(rig: Rig, transport: Transport) -> None:
    await say(rig, transport)
    await rig.hang_up()
    await asyncio.sleep(0.3)
    assert (await loss(transport.read())).kind == rig.kind
    await nothing_left(rig)


@case
async def a_pull_while_writing_is_told_to_the_writer(rig: Rig, transport: Transport) -> None:
    await say(rig, transport)
    writing = asyncio.create_task(_write_for_ever(transport))
    await asyncio.sleep(0.05)
    await rig.hang_up()
    reading = asyncio.create_task(transport.read())
    assert (await loss(reading)).kind == rig.kind
    assert (await loss(writing)).kind == rig.kind
    await nothing_left(rig)


async def _write_for_ever(transport: Transport) -> None:
    while True:
        await transport.write(b"\x06")
        await asyncio.sleep(0.001)


@case
async def nothing_is_left_after_close(rig: Rig, transport: Transport) -> None:
    await transport.close()
    await rig.hang_up()
    await nothing_left(rig)


@case
async def closing_twice_is_harmless_and_use_after_it_is_a_loss(rig: Rig, transport: Transport) -> None:
    await transport.close()
    await transport.close()
    assert (await loss(transport.read())).kind == "gone"
    assert (await loss(transport.write(b"\x06"))).kind == "gone"


@case
async def close_ends_a_read_that_waits(rig: Rig, transport: Transport) -> None:
    reading = asyncio.create_task(read_to_the_end(transport))
    await asyncio.sleep(0.05)
    async with asyncio.timeout(_HURRIES_S):
        await transport.close()
        await reading


@case
async def a_cancelled_read_loses_nothing(rig: Rig, transport: Transport) -> None:
    for _ in range(5):
        reading = asyncio.create_task(transport.read())
        await asyncio.sleep(0)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            raise AssertionError(f"{await reading} came out of nowhere")
    await say(rig, transport)
    await transport.close()


@case
async def writes_arrive_in_order(rig: Rig, transport: Transport) -> None:
    words = [b"\x02OPLK02\x031B", b"\x06" * 150, b"\x15"]
    await asyncio.gather(*(transport.write(word) for word in words))
    if rig.listens:
        await rig.heard(b"".join(words))
    await transport.close()


@case
async def a_second_opening_is_told_so_and_does_no_harm(rig: Rig, transport: Transport) -> None:
    if rig.second is None:
        return
    lost = await loss(rig.again())
    assert lost.kind == rig.second
    await say(rig, transport)
    await transport.close()
    after = await rig.again()
    await after.close()


@case
async def any_order_of_calls_ends_in_losses_only(rig: Rig, transport: Transport) -> None:
    order = random.Random(7)
    acts = {"read": transport.read, "write": lambda: transport.write(b"\x06\x15"), "send": lambda: rig.send(b"\x05")}
    is_lost = False
    for _ in range(40):
        match order.choice(["read", "write", "send", "read", "write", "close" if order.random() < 0.1 else "read"]):
            case "close":
                await transport.close()
                is_lost = True
            case "send" if rig.fixed:
                pass
            case act:
                is_lost = await _does(acts[act], is_lost, is_ours=act != "send")
    await transport.close()
    await nothing_left(rig)


async def _does(act: Callable[[], Awaitable[object]], is_lost: bool, *, is_ours: bool) -> bool:
    """Whether the line is lost afterwards, which it stays."""
    with suppress(TimeoutError):
        try:
            async with asyncio.timeout(0.02):
                await act()
        except LinkLost:
            return True
        else:
            assert not (is_lost and is_ours)
    return is_lost
