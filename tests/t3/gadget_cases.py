"""The reader as a gadget of the same kernel, whose pull shows as errno 5 before it shows as errno 19."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest.mock import patch

import transport_suite
import usb_cases
from guest import Case, load, set_up
from transport_suite import loss
from usb.core import USBError
from usb_bench import A_GADGET, Bench, Body
from usb_rig import SERIAL, UsbRig, opened

from firmware_bridge import usb_port
from firmware_bridge.udev_rules import rules

PULLS = 20


async def conform(name: str, bench: Bench) -> None:
    await transport_suite.run(UsbRig(Path(), bench), name)


CASES: dict[str, Case] = {f"transport: {name}": partial(conform, name) for name in transport_suite.CASES}
CASES["a_halted_endpoint_in_is_cleared_once"] = usb_cases.a_halted_endpoint_in_is_cleared_once


def case(body: Body) -> Body:
    CASES[body.__name__] = body
    return body


@case
async def a_pull_that_shows_as_a_fault_first_is_a_pull(bench: Bench) -> None:
    """Which comes first is a race within the kernel: it is run until the fault has won."""
    for _ in range(PULLS):
        bench.plug(serial=SERIAL)
        with faults_met() as met:
            transport = await opened()
            reading = asyncio.create_task(transport.read())
            await asyncio.sleep(0.05)
            bench.unplug()
            assert (await loss(reading)).kind == "gone"
        assert set(met) <= {errno.EIO, errno.ENODEV}
        assert (await loss(opened())).kind == "absent"
        if met[0] == errno.EIO:
            return
    raise AssertionError(f"{PULLS} pulls, and none showed as a fault first")


@contextmanager
def faults_met() -> Iterator[list[int | None]]:
    """The errnos of transfers that fail meanwhile."""
    met: list[int | None] = []
    forgive = usb_port._Line._forgive

    def noted(line: usb_port._Line, fault: USBError, endpoint: int) -> None:
        met.append(fault.errno)
        forgive(line, fault, endpoint)

    with patch.object(usb_port._Line, "_forgive", noted):
        yield met


@contextmanager
def machine() -> Iterator[Bench]:
    set_up(rules())
    load("dummy_hcd", "usb_f_fs")
    bench = Bench(A_GADGET)
    yield bench
    bench.close()


between = Bench.empty
