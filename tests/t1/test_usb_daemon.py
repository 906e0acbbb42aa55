"""The whole daemon with a hole-card reader on USB, dealt at by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from daemon import HASTY
from mqtt_table import until
from own_table import DeviceAt, OwnTable, own_table
from tools import no_more
from usb_bench import Bench, need_bench
from usb_line import UsbLine

from simulators.live.play import READER_SERIAL

DEADLINE_S = 100.0
STOP_S = 5 * 2.0
BOTH = f"2 devices have the serial number {READER_SERIAL}, at the ports 1-1 and 1-2"
STAND = ["player.acted box:1"]

Story = Callable[[OwnTable, Bench], Awaitable[None]]


def at_table(folder: Path, story: Story, port: str = f"usb:{READER_SERIAL}") -> None:
    async def told(bench: Bench) -> None:
        at = own_table(folder, command=HASTY, reader_at=DeviceAt(port, UsbLine(bench)), environment=bench.environment)
        async with asyncio.timeout(DEADLINE_S), at as table:
            await story(table, bench)
            async with asyncio.timeout(STOP_S):
                assert await table.stop() == 0

    need_bench()
    bench = Bench()
    try:
        asyncio.run(told(bench))
    finally:
        bench.close()


def test_rounds_are_dealt_through_peeks(tmp_path: Path) -> None:
    async def story(table: OwnTable, bench: Bench) -> None:
        for number in range(1, 4):
            await table.deal()
            assert await table.due() == ["reader.peeked"]
            await table.peek(natural=False)
            assert len(table.events("reader.peeked")) == number
            await table.finish()
        assert table.codes() == []
        assert table.orders() == [("peek_arm", number, "ok") for number in range(1, 4)]

    at_table(tmp_path, story)


def test_a_reader_that_is_pulled_in_mid_round_means_no_peek_until_it_is_trusted_again(tmp_path: Path) -> None:
    async def story(table: OwnTable, bench: Bench) -> None:
        await table.deal()
        assert await table.ordered(1) == [("peek_arm", 1, "ok")]
        assert (await table.lose_reader())["event"]["code"] == "link-lost"
        assert await table.due() == STAND
        await table.reader_links_up()
        await table.finish()
        assert await table.restore_reader() is None
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        await table.peek(natural=False)
        await table.finish()
        assert table.codes() == []
        [lost] = [data for data in table.journal.records() if data["kind"] == "link" and data["to"] == "lost"]
        assert lost["device"] == "reader"
        assert lost["loss"] == "gone"

    at_table(tmp_path, story)


def test_a_reader_in_another_port_is_found_by_its_serial_number(tmp_path: Path) -> None:
    async def story(table: OwnTable, bench: Bench) -> None:
        await table.lose_reader()
        line = table.reader.line
        assert isinstance(line, UsbLine)
        line.port = "1-2.3"
        await table.reader_links_up()
        assert await table.restore_reader() is None
        await table.deal()
        await table.peek(natural=False)
        await table.finish()
        assert table.codes() == []

    at_table(tmp_path, story)


def test_nothing_grows_while_a_reader_comes_and_goes(tmp_path: Path) -> None:
    async def story(table: OwnTable, bench: Bench) -> None:
        for _ in range(3):
            table.reader.line.unplug()
            await table.reader_links_up()
        descriptors, threads = table.daemon.descriptors(), table.daemon.threads()
        for _ in range(10):
            table.reader.line.unplug()
            await table.reader_links_up()
        await until(lambda: no_more(table.daemon.descriptors(), descriptors) and table.daemon.threads() <= threads)

    at_table(tmp_path, story)


def test_a_clone_is_told_with_both_ports_and_cuts_nobody_off(tmp_path: Path) -> None:
    def alarms(table: OwnTable) -> list[tuple[str, str, str]]:
        records = [data for data in table.journal.records() if data["kind"] == "security"]
        return [(data["device"], data["code"], data["detail"]) for data in records]

    async def story(table: OwnTable, bench: Bench) -> None:
        bench.plug("1-2", serial=READER_SERIAL)
        await until(lambda: alarms(table) == [("reader", "double_identity", BOTH)])
        bench.plug("1-3", serial="HCR-0099")
        await table.deal()
        assert await table.due() == ["reader.peeked"]
        await table.peek(natural=False)
        await table.finish()
        assert (table.links("reader", "ready"), table.links("reader", "lost"), len(alarms(table))) == (1, 0, 1)
        bench.unplug("1-2")
        bench.plug("1-2", serial=READER_SERIAL)
        await until(lambda: len(alarms(table)) == 2)

    at_table(tmp_path, story)


def test_of_two_that_are_alike_neither_is_opened(tmp_path: Path) -> None:
    async def story(table: OwnTable, bench: Bench) -> None:
        await table.lose_reader()
        bench.plug("1-2", serial=READER_SERIAL)
        table.reader.line.plug_in()
        await until(lambda: table.journal.count(device="reader", to="refused", loss="denied", detail=BOTH) == 1)
        assert table.journal.count(kind="security", code="double_identity", detail=BOTH) == 1
        bench.unplug("1-2")
        ready = table.links("reader", "ready")
        await until(lambda: table.links("reader", "ready") > ready)

    at_table(tmp_path, story)
