"""The reader on the USB of a real kernel: what every transport does, what this kernel has a say in of all that is asked
at the bench under umockdev, and the names and rights that udevd gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import transport_suite
import usb_cases
from as_nobody import in_the_group
from guest import Case, do, load, set_up
from transport_suite import loss
from usb_bench import IN_THE_KERNEL, Bench, Body
from usb_rig import SERIAL, UsbRig, opened

from firmware_bridge.udev_rules import rules

PULLS = 3


async def conform(name: str, bench: Bench) -> None:
    await transport_suite.run(UsbRig(Path(), bench), name)


CASES: dict[str, Case] = {f"transport: {name}": partial(conform, name) for name in transport_suite.CASES}

for _body in (
    usb_cases.no_report_is_lost_at_the_end_of_a_read,
    usb_cases.idleness_costs_nothing_and_is_no_fault,
    usb_cases.a_halted_endpoint_in_is_cleared_once,
    usb_cases.a_halted_endpoint_out_is_cleared_once,
    usb_cases.a_fault_without_reason_is_tried_once_more,
    usb_cases.a_packet_that_is_too_long_is_against_the_protocol,
    usb_cases.a_device_that_takes_nothing_is_wedged,
    usb_cases.a_slow_reader_holds_up_the_device_not_the_memory,
    usb_cases.an_opening_that_is_cancelled_leaves_nothing,
    usb_cases.everything_that_was_read_before_a_pull_is_given,
):
    CASES[_body.__name__] = _body


def case(body: Body) -> Body:
    CASES[body.__name__] = body
    return body


def names() -> dict[str, str]:
    """Of all readers, with the nodes that they stand for."""
    links = (path for path in Path("/dev/shoewatch").rglob("reader-*"))
    return {str(path.relative_to("/dev/shoewatch")): str(path.resolve()) for path in links}


@case
async def only_the_group_may_open_it(bench: Bench) -> None:
    bench.plug(serial=SERIAL)
    node = names()[f"reader-{SERIAL}"]
    assert do("stat", "--format", "%A %U %G", node).strip() == "crw-rw---- root shoewatch"
    with in_the_group(None):
        lost = await loss(opened())
    assert lost.kind == "denied"
    assert f"{node} belongs to root:shoewatch, mode 0660; nobody is not in the group shoewatch" in lost.detail
    with in_the_group("shoewatch"):
        transport = await opened()
        await usb_cases.goes_on(bench, transport)
        await transport.close()


@case
async def its_names_go_with_it_and_come_back(bench: Bench) -> None:
    bench.plug("1-2", serial=SERIAL)
    first = names()
    assert first.keys() == {f"reader-{SERIAL}", "by-path/reader-1-2"}
    bench.unplug("1-2")
    assert names() == {}
    bench.plug("1-4", serial=SERIAL)
    assert names().keys() == {f"reader-{SERIAL}", "by-path/reader-1-4"}
    assert names()[f"reader-{SERIAL}"] not in first.values()


@case
async def another_device_gets_no_name(bench: Bench) -> None:
    bench.plug(serial=SERIAL, product=0xCA4E)
    bench.plug("1-2", serial=SERIAL, face=[0xFF, 0, 2])
    assert names() == {}


@case
async def a_pull_between_look_and_claim_is_a_loss(bench: Bench) -> None:
    await usb_cases.a_pull_between_look_and_claim_is_a_loss(bench, PULLS)


@contextmanager
def machine() -> Iterator[Bench]:
    set_up(rules())
    load("vhci-hcd")
    bench = Bench(IN_THE_KERNEL)
    yield bench
    bench.close()


between = Bench.empty
