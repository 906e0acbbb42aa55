"""A line that goes and comes again and again: every card once, and nothing grows."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from device_lines import descriptors, device_threads, until
from driven_table import Table, draw, opener, refs
from tdl_device import Device
from tdl_line import PtyDevice, TcpDevice

NUMBERS = [50, pytest.param(1000, marks=pytest.mark.soak)]
SETTLED = 5
"""After so many everything is there that stays."""


@pytest.mark.parametrize("times", NUMBERS)
@pytest.mark.parametrize("line", ["pty", "tcp"])
def test_replugs_leave_nothing_behind(line: str, times: int, tmp_path: Path) -> None:
    async def main() -> None:
        shoe = Device()
        served = PtyDevice(shoe, tmp_path / "shoe") if line == "pty" else TcpDevice(shoe)
        async with served.listening() as port, Table(opener(port)).running() as table:
            held = _held()
            for number in range(1, SETTLED + times + 1):
                await table.ready(number)
                draw(served, number)
                await until(lambda: shoe.acked == number)  # noqa: B023
                if number == SETTLED:
                    held = _held()
                served.hang_up()
                await until(lambda: table.states.count("lost") == number)  # noqa: B023
                served.plug_in()
                table.driver.hurry()
            await table.ready(SETTLED + times + 1)
            await until(lambda: all(now <= then for now, then in zip(_held(), held, strict=True)))
            assert table.draws == refs(1, SETTLED + times)
            assert table.alarms == []

    asyncio.run(main())


def _held() -> tuple[int, int, int, int]:
    """Descriptors, threads of ours and of the kernel's count, tasks."""
    return len(descriptors()), device_threads(), len(os.listdir("/proc/self/task")), len(asyncio.all_tasks())
