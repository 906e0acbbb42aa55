"""The reader on the USB of a real kernel: what the bench under umockdev shows of it, and what only udevd shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import transport_suite
import usb_cases
from guest import Case, load, set_up
from usb_bench import IN_THE_KERNEL, Bench
from usb_rig import UsbRig

from firmware_bridge.udev_rules import rules

OF_A_BENCH_ALONE = {
    "a_device_is_found_by_serial_number_and_by_port": "a hub",
    "a_driver_of_the_kernel_has_it": "a driver that is only a name",
    "nobody_is_let_in": "a mode without udev",
    "a_pull_that_shows_as_a_fault_first_is_a_pull": "how a pull shows",
}
"""What they need that this kernel does not have."""
MANY_PROCESSES = {"a_process_that_ends_without_closing_ends_well"}
PULLS = 5


async def conform(name: str, bench: Bench) -> None:
    await transport_suite.run(UsbRig(Path(), bench), name)


CASES: dict[str, Case] = {
    **{f"transport: {name}": partial(conform, name) for name in transport_suite.CASES},
    **{name: getattr(usb_cases, name) for name in usb_cases.CASES if name not in {*OF_A_BENCH_ALONE, *MANY_PROCESSES}},
}
CASES["a_pull_between_look_and_claim_is_a_loss"] = partial(
    usb_cases.a_pull_between_look_and_claim_is_a_loss, pulls=PULLS
)


@contextmanager
def machine() -> Iterator[Bench]:
    set_up(rules())
    load("vhci-hcd")
    bench = Bench(IN_THE_KERNEL)
    yield bench
    bench.close()


def between(bench: Bench) -> None:
    bench.do("empty")
    bench.pump()
    bench.heard.clear()
