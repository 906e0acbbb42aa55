"""A whole table under one kernel: the daemon as the user that the service runs as, its shoe behind a converter, its
reader a gadget, whose pull shows as a transfer that failed; both are found by the names that never change."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from daemon import Journal
from ftdi import LINK, MODULES, NAME, SERIAL, FtdiLine, Hand
from guest import ROOT, Case, do, load, set_up
from mqtt_table import Patience, until
from own_table import DeviceAt, OwnTable, own_table
from usb_bench import A_GADGET, Bench
from usb_line import UsbLine

from firmware_bridge.panel import ROLES, socket_path
from firmware_bridge.udev_rules import Shoe, rules
from simulators.live.play import READER_SERIAL

DEADLINE_S = 90.0
AS_SERVICE = ("setpriv", "--reuid=shoewatch", "--regid=shoewatch", "--init-groups")
HASTY = (sys.executable, str(ROOT / "tests" / "hasty_daemon.py"), "0.5")
GROUPS = 'dealer_group = "shoewatch-dealer"\nsupervisor_group = "shoewatch-supervisor"'
CASES: dict[str, Case] = {}

Story = Callable[[OwnTable], Coroutine[Any, Any, None]]


def case(story: Story) -> Case:
    async def at_table(devices: tuple[Bench, Hand]) -> None:
        bench, hand = devices
        folder = Path(mkdtemp(dir="/run"))
        hand_over = ("sh", "-c", f'chown -R shoewatch: {folder} && exec "$@"', "sh")
        shoe = DeviceAt(f"serial:{LINK}", FtdiLine(hand))
        reader = DeviceAt(f"usb:{READER_SERIAL}", UsbLine(bench))
        command = (*hand_over, *AS_SERVICE, *HASTY)
        at = own_table(folder, command=command, shoe_at=shoe, reader_at=reader, panel=GROUPS)
        try:
            async with asyncio.timeout(DEADLINE_S), at as table:
                await story(table)
                assert await table.stop() == 0
        except Exception as wrong:
            told = [data for data in Journal(folder).records() if data["kind"] in ("link", "device", "security")]
            log = (folder / "daemon.log").read_text()[-4000:]
            raise AssertionError("\n".join((*map(str, told[-20:]), log))) from wrong

    CASES[story.__name__] = at_table
    return at_table


@case
async def a_round_is_dealt_and_both_devices_are_pulled_and_put_back(table: OwnTable) -> None:
    assert do("stat", "--format", "%U", f"/proc/{table.daemon.pid}").strip() == "shoewatch"
    for role in ROLES:
        told = do("stat", "--format", "%A %U %G", str(socket_path(table.folder / "panel", role)))
        assert told.strip() == f"srw-rw---- shoewatch shoewatch-{role}"
    await table.deal()
    assert await table.due() == ["reader.peeked"]
    await table.peek(natural=False)
    await table.finish()
    assert table.codes() == []
    assert (await table.lose_reader())["event"]["code"] == "link-lost"
    assert f"reader-{READER_SERIAL}" not in os.listdir("/dev/shoewatch")
    await table.reader_links_up()
    assert await table.restore_reader() is None
    ready = table.links("shoe", "ready")
    table.shoe.line.unplug()
    await until(lambda: table.links("shoe", "lost") > 0)
    table.shoe.line.plug_in()
    await until(lambda: table.links("shoe", "ready") > ready)
    lost = [data for data in table.journal.records() if data["kind"] == "link" and data["to"] == "lost"]
    assert [(data["device"], data["loss"]) for data in lost] == [("reader", "gone"), ("shoe", "gone")]


@contextmanager
def machine() -> Iterator[tuple[Bench, Hand]]:
    set_up(rules([Shoe(SERIAL, NAME)]))
    load("dummy_hcd", "usb_f_fs")
    load(*MODULES)
    do("udevadm", "settle")
    Patience.seconds = DEADLINE_S
    bench = Bench(A_GADGET)
    yield bench, Hand()
    bench.close()


def between(_: tuple[Bench, Hand]) -> None:
    """A table takes its devices away when it ends."""
