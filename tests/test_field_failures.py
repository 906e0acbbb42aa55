"""What has failed in the field at other programs that serve devices, each with the test here that shows it does not.

| failure | shown by |
| --- | --- |
| never ready again after a replug | `test_shoe_driver` a_line_closed, `test_daemon_lines`, `t1/test_replug` |
| an unplug's second error swallows the loss | here: one_loss_for_each_fault; `test_serial_port` each_family |
| lost is told while the line is still held | here: when_lost_is_told_the_line_can_be_had; the suite of transports |
| a fault at the opening ends all retries | `test_link` a_fault_at_any_point; here: wherever_a_handshake |
| two programs share a port | `test_serial_port` a_second_opening_is_busy; the suite of transports |
| the device resets when its port is opened | `test_serial_port` closing_leaves_the_modem_lines; `test_angel_intake` |
| a modem manager talks to the device | `t2/test_rules_in_udevd` no_modem_probing; here: a_shoe_that_is_probed |
| a rule's group and mode are undone | `test_udev_rules`, `t2/test_rules_in_udevd` a_later_file |
| at boot the service fails and stays so | `test_notify` ready_without_any_device, `test_service` the_unit_waits |
| two devices of one model are swapped | `test_usb_identity`, `t1/test_usb_port`, `test_config_devices` two_devices |
| old values go on as current | `test_table_freshness`, `test_freshness` |
| a stalled device, and all looks well | `test_tdl_driver` stalled_then_lost; here: three_things_are_told_apart |
| a read that cannot be ended holds up the exit | `test_daemon_stop` (idle); `test_arrows` (no executor) |
| a denied device under another name | `test_serial_port` denied_with_the_way_out, `t1/test_usb_port` |
| use after close | the suite of transports: use_after_it_is_a_loss, any_order_of_calls |
| one listener that raises ends the reception | `test_bus` one_that_raises, `test_heartbeat` work_that_ends |
| a cancelled task goes on | `test_arrows` (no wait_for), `test_link`; here: a_daemon_that_is_cancelled |
| the clock is set and all timers fire | `test_clock`, `test_inspection` |
"""

from __future__ import annotations

import asyncio
import json
import os
import termios
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
import serial
import tdl_device as device
from daemon import HASTY, Journal, configure_table
from device_lines import PtyLine, descriptors, until
from driven_table import Table, draw, opener, refs
from mqtt_table import listening
from own_table import own_table
from tdl_device import Device
from tdl_line import TcpDevice

from controller.app import run_table
from controller.broker import EmbeddedBroker
from controller.config_reading import load_config
from firmware_bridge.link import Backoff, LinkSupervisor
from firmware_bridge.serial_port import open_serial
from firmware_bridge.transport import Chunk, LineSettings, LinkLost, Transport
from protocols.cards import Card
from protocols.records import LinkChanged, LossKind
from simulators.tdl.identity import simulated
from simulators.tdl.memory import Memory
from simulators.tdl.shoe import TdlShoe

QUICK = Backoff(first_s=0.01, cap_s=0.05)
LINE = LineSettings(4800)
STOP_S = 5 * 2.0
FAULTS = [serial.SerialException("no data"), OSError(5, "Input/output error"), termios.error(5, "Input/output error")]
PROBES = b"AT\r\nAT+GCAP\r\n~\x00x\xf0~\x7e\x00\xff\x03\xc0\x21AT\r\n"


@asynccontextmanager
async def linked(line: PtyLine, told: Callable[[LinkChanged], Awaitable[None]]) -> AsyncIterator[LinkSupervisor]:
    """A supervisor of a serial line on which the host speaks and listens all the time."""

    async def session(transport: Transport) -> NoReturn:
        await link.enter("ready")
        while True:
            await transport.write(b"\x06")
            await transport.read()

    link = LinkSupervisor("shoe", lambda: open_serial(str(line.path), LINE), told, QUICK)
    task = asyncio.create_task(link.run(session))
    try:
        await until(lambda: link.state == "ready")
        yield link
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("broken", ["read", "write", "in_waiting", "flush", "close", "reset_output_buffer"])
def test_one_loss_for_each_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, fault: Exception
) -> None:
    """Whatever raises when the line is pulled, or instead of it."""
    changes: list[LinkChanged] = []
    line = PtyLine(tmp_path / "shoe")

    async def told(change: LinkChanged) -> None:
        changes.append(change)

    def raises(*_: object) -> None:
        raise fault

    async def main() -> None:
        async with linked(line, told) as link:
            with monkeypatch.context() as broken_library:
                whole = raises if broken != "in_waiting" else property(raises)
                broken_library.setattr(serial.Serial, broken, whole)
                line.send(b"\x05")
                line.unplug()
                await until(lambda: len(changes) >= 3)
            line.plug()
            await until(lambda: link.state == "ready")

    asyncio.run(main())
    line.unplug()
    lost = [change.loss for change in changes if change.was == "ready"]
    assert lost == ["gone"]
    assert [change.now for change in changes if change.now == "ready"] == ["ready"] * 2


def test_when_lost_is_told_the_line_can_be_had(tmp_path: Path) -> None:
    line = PtyLine(tmp_path / "shoe")
    node = os.path.realpath(line.path)
    had: list[bool] = []

    async def told(change: LinkChanged) -> None:
        if change.was != "ready":
            return
        assert not [name for name in descriptors() if name.endswith(node)]
        line.plug()
        again = await open_serial(str(line.path), LINE)
        await again.close()
        had.append(True)

    async def main() -> None:
        async with linked(line, told) as link:
            line.unplug()
            await until(lambda: bool(had) and link.state == "ready")

    asyncio.run(main())
    line.unplug()


class CutLine:
    """A line that falls, as `fault` says, at the use number `cut`, before anything happens."""

    def __init__(self, whole: Transport, cut: int, fault: Exception) -> None:
        self._whole = whole
        self._left = cut
        self._fault = fault

    async def read(self) -> Chunk:
        self._use()
        return await self._whole.read()

    async def write(self, data: bytes) -> None:
        self._use()
        await self._whole.write(data)

    async def close(self) -> None:
        await self._whole.close()

    def _use(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise self._fault


@pytest.mark.parametrize("kind", ["gone", "wedged", "protocol", "busy", None])
def test_wherever_a_handshake_is_cut_the_link_is_ready_in_the_end(kind: LossKind | None) -> None:
    """Each opening is cut one use of the line later than the one before, from the first on."""
    fault = LinkLost(kind, "cut") if kind else OSError(5, "Input/output error")
    cuts: list[int] = []

    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port:
            whole = opener(port)

            async def cut_open() -> Transport:
                cuts.append(len(cuts))
                return CutLine(await whole(), cuts[-1], fault)

            async with Table(cut_open).running() as table:
                await until(lambda: len(cuts) > 12, 30.0)
                draw(served, 1)
                await until(lambda: table.draws == refs(1, 1), 30.0)
                assert "ready" in table.states

    asyncio.run(main())


def test_a_shoe_that_is_probed_for_a_modem_loses_no_card() -> None:
    async def main() -> None:
        served = TcpDevice(Device())
        async with served.listening() as port, Table(opener(port)).running() as table:
            await table.ready()
            for number in range(1, 6):
                served.device.hear(PROBES)
                draw(served, number)
            await until(lambda: table.draws == refs(1, 5))
            assert table.alarms == []

    asyncio.run(main())
    now = 0.0
    shoe = TdlShoe(simulated("shoe", device.SERIAL), Memory(), now)
    before = shoe.last_event
    for number in range(1, 6):
        shoe.hear(PROBES, now)
        shoe.draw(Card("9", "s"), now)
        assert shoe.last_event == before + number


def test_three_things_are_told_apart(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    """A reader that says nothing while it stays plugged in: the daemon lives, the line stalls, the data grows old."""

    async def scenario() -> None:
        async with (
            asyncio.timeout(120),
            listening(mosquitto.url) as listener,
            own_table(tmp_path, url=mosquitto.url, command=HASTY) as table,
        ):
            await until(lambda: listener.statuses[-1:] == ["online"])
            table.reader.is_mute = True
            assert (await table.recorded("reader.faulted"))["event"]["code"] == "link-stalled"
            await until(lambda: table.journal.count(report="stale") == 1)
            seen = len(table.journal.rows())
            await until(lambda: max(listener.ids) >= seen)
            payloads = [each.payload for each in listener.messages if "/evt/" in each.topic]
            told = [json.loads(payload)["data"] for payload in payloads]
            states = [data["to"] for data in told if data["kind"] == "link" and data["device"] == "reader"]
            assert states[:4] == ["opening", "handshake", "ready", "stalled"]
            assert [data["report"] for data in told if data.get("report") in ("stale", "fresh")] == ["stale"]
            assert listener.statuses[-1] == "online"
            assert await table.stop() == 0

    asyncio.run(scenario())


@pytest.mark.parametrize("steps", [0, 20, 40, 80, 160, 320])
def test_a_daemon_that_is_cancelled_at_any_await_of_its_start_ends(tmp_path: Path, steps: int) -> None:
    """So many turns of the loop after its launch, and at each of the next twenty."""
    line = PtyLine(tmp_path / "shoe")
    config = configure_table(tmp_path, f"serial:{line.path}", "tcp:127.0.0.1:1", "mqtt://127.0.0.1:1")

    async def turns(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    async def main() -> None:
        before = descriptors()
        await _ends_when_cancelled(config, [turns(steps + turn) for turn in range(20)])
        await until(lambda: descriptors() <= before)

    asyncio.run(main())
    line.unplug()


def test_a_daemon_that_is_cancelled_at_work_ends(mosquitto: EmbeddedBroker, tmp_path: Path) -> None:
    """At a simulated table, where both devices, the panel, the journal and the broker are in use."""
    ports = ("sim:try?rounds=1000&pace=0.01", "sim:try", mosquitto.url)
    config = configure_table(tmp_path, *ports)
    asyncio.run(_ends_when_cancelled(config, [asyncio.sleep(0.15 * life) for life in range(1, 16)]))
    events = [data["event"]["type"] for data in Journal(tmp_path).records() if data["kind"] == "table"]
    assert {"card.drawn", "round.opened", "round.closed"} <= set(events)


async def _ends_when_cancelled(config: Path, moments: list[Coroutine[Any, Any, None]]) -> None:
    """One life of the daemon for each moment, cancelled then: nothing of it is left."""
    for moment in moments:
        running = asyncio.create_task(run_table(load_config(config), lambda *_: None, until_drained=False))
        await moment
        assert not running.done()
        running.cancel()
        async with asyncio.timeout(STOP_S):
            await asyncio.wait([running])
        assert running.cancelled()
        assert _tasks_of_the_daemon() == []
        assert not [name for name in descriptors() if str(config.parent) in name]


def _tasks_of_the_daemon() -> list[str]:
    """What still runs; a simulated table lives as long as the loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return [text for text in map(repr, others) if "/simulators/" not in text]
