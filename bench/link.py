"""From the return of a serial line to `ready`: median and maximum over N replugs, away 0 to 3 s each.

python bench/link.py [N]"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from firmware_bridge.arrival import Arrival, Intake
from firmware_bridge.driver import SessionDriver
from firmware_bridge.ports import open_port, parse_port
from firmware_bridge.transport import LineSettings
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.line_session import LineSession
from protocols.records import LinkChanged
from protocols.wire.angel_eye import AngelEyeDecoder


def main() -> None:
    """Print the seconds."""
    replugs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        seconds = asyncio.run(measured(Path(folder, "shoe"), replugs))
    print(f"link ready again: median {statistics.median(seconds):.2f} s, max {max(seconds):.2f} s of {replugs} replugs")


async def measured(path: Path, replugs: int) -> list[float]:
    """Seconds from plugging in to ready, one a replug."""
    queue: Intake = asyncio.Queue()
    address = parse_port(f"serial:{path}")
    session = LineSession(AngelEyeDecoder)
    driver = SessionDriver(
        "shoe", lambda: open_port(address, LineSettings(4800)), session, AngelEyeIntake("shoe"), queue
    )
    running = asyncio.create_task(driver.run())
    device = plug(path)
    await ready(queue)
    seconds = []
    for _ in range(replugs):
        unplug(path, device)
        await asyncio.sleep(random.uniform(0, 3))
        device, start = plug(path), time.monotonic()
        await ready(queue)
        seconds.append(time.monotonic() - start)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return seconds


async def ready(queue: Intake) -> None:
    """Return with the next `ready` of the link."""
    while True:
        arrival = await queue.get()
        for fact in arrival.facts if isinstance(arrival, Arrival) else ():
            if isinstance(fact, LinkChanged) and fact.now == "ready":
                return


def plug(path: Path) -> int:
    """A new pty at `path`: the descriptor of the device's end."""
    device, line = os.openpty()
    path.symlink_to(os.ttyname(line))
    os.close(line)
    return device


def unplug(path: Path, device: int) -> None:
    """Take the node away, then hang up."""
    path.unlink()
    os.close(device)


if __name__ == "__main__":
    main()
