"""The driver of a TDL/1 device on real lines: acknowledged when stored, resumed after anything, orders, refusals."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
import tdl_device as device
from device_lines import until
from driven_table import Table, draw, opener, refs
from tdl_device import Device
from tdl_host import EXPECTED
from tdl_line import PtyDevice, Served, TcpDevice

from firmware_bridge.transport import Chunk, LinkLost
from protocols.events import CardDrawn
from protocols.orders import Lock, PeekArm
from protocols.records import DeviceReported, Fact
from protocols.wire.tdl.handshake import Expected, Role


def on_pty(shoe: Device, folder: Path) -> PtyDevice:
    return PtyDevice(shoe, folder / "shoe")


def on_tcp(shoe: Device, folder: Path) -> TcpDevice:
    return TcpDevice(shoe)


@pytest.mark.parametrize("line", [on_pty, on_tcp])
def test_a_card_is_acknowledged_only_once_it_is_stored(line: type[Served], tmp_path: Path) -> None:
    async def main() -> None:
        shoe = Device()
        served = line(shoe, tmp_path)  # type: ignore[call-arg]
        assert isinstance(served, PtyDevice | TcpDevice)
        async with served.listening() as port, Table(opener(port), stores=False).running() as table:
            await table.ready()
            before = time.monotonic_ns()
            for number in (1, 2, 3):
                draw(served, number)
            await until(lambda: table.draws == refs(1, 3))
            events = [arrival for arrival in table.arrivals if arrival.stored]
            assert all(before < arrival.mono_ns < time.monotonic_ns() for arrival in events)
            await asyncio.sleep(0.1)
            assert shoe.acked == 0
            table.store(events[0])
            await until(lambda: shoe.acked == 1)
            table.store(events[2])
            await until(lambda: shoe.acked == 3)
            assert table.states == ["opening", "handshake", "ready"]

    asyncio.run(main())


def test_a_killed_daemon_finds_every_card_exactly_once() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        journal: list[Fact] = []
        async with served.listening() as port:
            for life in range(20):
                table = Table(opener(port), journal, stores=False)
                async with table.running():
                    await table.ready()
                    for _ in range(3):
                        draw(served, shoe.last + 1)
                    await until(lambda: len(table.draws) >= 3)  # noqa: B023
                    for arrival in table.arrivals[: life % 7]:
                        table.store(arrival)
                journal = table.journal
                served.hang_up()
            async with Table(opener(port), journal).running() as table:
                await until(lambda: len(table.draws) + drawn(journal) == 60)
                await until(lambda: shoe.acked == 60)
            stored = [fact.ref for fact in table.journal if isinstance(fact, CardDrawn)]
            assert stored == refs(1, 60)
            assert table.alarms == []

    def drawn(facts: list[Fact]) -> int:
        return sum(isinstance(fact, CardDrawn) for fact in facts)

    asyncio.run(main())


def test_a_lost_line_loses_and_repeats_nothing() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        async with served.listening() as port, Table(opener(port), stores=False).running() as table:
            await table.ready()
            draw(served, 1)
            await until(lambda: table.draws == refs(1, 1))
            served.hang_up()
            shoe.note(device.CARD, device.card(2, device.WITHHELD))
            await table.ready(2)
            draw(served, 3)
            await until(lambda: table.draws == refs(1, 3))
            events = [arrival for arrival in table.arrivals if arrival.stored]
            assert [arrival.replayed for arrival in events] == [False, True, False]
            for arrival in events:
                table.store(arrival)
            await until(lambda: shoe.acked == 3)
            assert table.states == ["opening", "handshake", "ready", "lost", "handshake", "ready"]

    asyncio.run(main())


class FailingLine:
    """A transport of a device whose line takes the greeting, and fails with whatever is sent after the first event."""

    def __init__(self, shoe: Device) -> None:
        self._shoe = shoe
        self._inbox = b""
        self._news = asyncio.Event()

    async def read(self) -> Chunk:
        await self._news.wait()
        self._news.clear()
        data, self._inbox = self._inbox, b""
        return Chunk(data, time.monotonic_ns())

    async def write(self, data: bytes) -> None:
        if self._shoe.to_host:
            events = [self._shoe.note(device.CARD, device.card(n, device.WITHHELD)) for n in (1, 2, 3)]
            self._inbox = self._shoe.status() + events[0] + events[2] + events[1]
            self._news.set()
            self._shoe.to_host = None
            return
        if self._shoe.events:
            raise LinkLost("gone", "no more")
        self._inbox += self._shoe.hear(data)
        self._news.set()

    async def close(self) -> None: ...


def test_a_line_that_fails_at_the_sending_takes_nothing_away_that_was_heard() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        async with served.listening() as port:
            lines = [FailingLine(shoe)]

            async def opening() -> FailingLine:
                return lines.pop() if lines else await opener(port)()  # type: ignore[return-value]

            async with Table(opening).running() as table:
                await table.ready(2)
                assert table.draws == refs(1, 3)
                await until(lambda: shoe.acked == 3)

    asyncio.run(main())


def test_a_full_queue_holds_the_device_up_and_loses_nothing() -> None:
    async def main() -> None:
        shoe = Device()
        for number in range(1, 201):
            shoe.note(device.CARD, device.card(number, device.WITHHELD))
        served = TcpDevice(shoe)
        async with served.listening() as port, Table(opener(port), room=1).running() as table:
            await until(lambda: shoe.acked == 200)
            assert table.draws == refs(1, 200)

    asyncio.run(main())


def test_a_cancellation_ends_a_driver_whose_queue_is_full() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port:
            table = Table(opener(port), room=1)
            running = asyncio.create_task(table.driver.run())
            await until(table.queue.full)
            running.cancel()
            async with asyncio.timeout(2):
                await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())


def test_events_that_are_gone_are_a_gap() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        async with served.listening() as port:
            async with Table(opener(port)).running() as table:
                await table.ready()
                draw(served, 1)
                await until(lambda: shoe.acked == 1)
            for number in range(2, 9):
                shoe.note(device.CARD, device.card(number, device.WITHHELD))
            shoe.forget(before=6)
            async with Table(opener(port), table.journal).running() as again:
                await until(lambda: again.draws == refs(6, 8))
            told = [fact for fact in again.facts if isinstance(fact, DeviceReported) and fact.report == "events-lost"]
            assert [(fact.data["eseq"], fact.data["lost"]) for fact in told] == [(5, 4)]
            async with Table(opener(port), again.journal).running() as third:
                await third.ready()
                assert third.draws == []

    asyncio.run(main())


def test_a_device_that_forgot_is_refused() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        journal: list[Fact] = [DeviceReported("shoe", "boot", {"eseq": 100})]
        async with served.listening() as port, Table(opener(port), journal).running() as table:
            await table.entered("refused")
            assert table.alarms == ["rollback"]
            assert table.links[-1].loss == "denied"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("shoe", "role", "code"),
    [
        (Device(key=b"\x99" * 32), "shoe", "auth_failed"),
        (Device(firmware=b"\x01" * 32), "shoe", "unapproved_firmware"),
        (Device(serial="SHOE-666"), "shoe", "unknown_serial"),
        (Device(), "reader", "wrong_role"),
    ],
)
def test_a_device_that_does_not_belong_here_is_refused_and_left_alone(shoe: Device, role: Role, code: str) -> None:
    async def main() -> None:
        served = TcpDevice(shoe)
        expected = Expected(EXPECTED.host_id, role, EXPECTED.registry)
        async with served.listening() as port, Table(opener(port), expected=expected).running() as table:
            await table.entered("refused")
            visits = served.visits
            assert table.alarms == [code]
            await asyncio.sleep(0.3)
            assert served.visits == visits == (3 if code == "auth_failed" else 1)
            assert table.draws == []
            assert len(table.states) == len(set(table.states))

    asyncio.run(main())


def test_a_half_open_line_is_stalled_then_lost_then_found_again() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port, Table(opener(port)).running() as table:
            await table.ready()
            served.silent = True
            await table.entered("stalled", 5 * 1.5)
            await table.entered("lost", 5 * 3.0)
            assert table.links[-1].loss == "wedged"
            assert await table.driver.command(Lock(True)) == "no_link"
            served.silent = False
            await table.ready(2)

    asyncio.run(main())


def test_an_order_is_carried_out() -> None:
    async def main() -> None:
        shoe = Device()
        served = TcpDevice(shoe)
        async with served.listening() as port, Table(opener(port)).running() as table:
            assert await table.driver.command(Lock(True)) == "no_link"
            await table.ready()
            assert await table.driver.command(Lock(True)) == "ok"
            assert shoe.commands == 1
            shoe.command_code = 5
            assert await table.driver.command(Lock(True)) == "denied"

    asyncio.run(main())


def test_a_reader_that_is_armed_already_is_armed() -> None:
    async def main() -> None:
        shoe = Device(command_code=4)
        served = TcpDevice(shoe)
        async with served.listening() as port:
            async with Table(opener(port)).running() as table:
                await table.ready()
                assert await table.driver.command(PeekArm(12, "ace")) == "wrong_state"
                served.say(shoe.note(device.ARMED, b"\x0c\0\0\0\1\1"))
                await until(lambda: shoe.acked == 1)
            async with Table(opener(port), table.journal).running() as again:
                await again.ready()
                assert await again.driver.command(PeekArm(12, "ace")) == "ok"
                assert await again.driver.command(PeekArm(13, "ace")) == "wrong_state"

    asyncio.run(main())


def test_an_order_on_a_line_that_falls_is_not_answered() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port, Table(opener(port)).running() as table:
            await table.ready()
            served.silent = True
            asked = asyncio.create_task(table.driver.command(Lock(True)))
            await asyncio.sleep(0.05)
            served.hang_up()
            assert await asked == "no_answer"

    asyncio.run(main())


def test_an_order_that_nobody_answers_is_given_up() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port, Table(opener(port)).running() as table:
            await table.ready()
            served.silent = True
            async with asyncio.timeout(5 * 0.9):
                assert await table.driver.command(Lock(True)) == "no_answer"

    asyncio.run(main())


def test_garbage_is_counted_when_the_line_is_lost() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port, Table(opener(port)).running() as table:
            await table.ready()
            served.say(b"\0noise\0")
            draw(served, 1)
            await until(lambda: table.draws == refs(1, 1))
            served.hang_up()
            await table.ready(2)
            counted = [fact for fact in table.facts if isinstance(fact, DeviceReported) and fact.report == "counters"]
            assert [(fact.data["discarded"], fact.data["damaged"]) for fact in counted] == [(5, 1)]

    asyncio.run(main())


def test_a_driver_answers_in_every_state_and_not_while_it_cannot_hand_on() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port:
            table = Table(opener(port))
            async with table.running():
                await table.ready()
                for silent in (False, True):
                    served.silent = silent
                    for _ in range(20):
                        async with asyncio.timeout(5):
                            await table.driver.answer()
                served.hang_up()
                async with asyncio.timeout(5):
                    await table.driver.answer()
            held_up = Table(opener(port), room=1)
            driving = asyncio.create_task(held_up.driver.run())
            await until(held_up.queue.full)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await held_up.driver.answer()
            driving.cancel()
            await asyncio.wait([driving])

    asyncio.run(main())
