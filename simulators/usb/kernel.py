"""What benches of a real kernel's USB ports wait for."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

_DEVICES: Final = Path("/sys/bus/usb/devices")
_SECONDS: Final = 30.0


def plugged_in(port: str) -> None:
    """Return once the kernel and udev have seen to the device in this port; TimeoutError where they do not."""
    _wait(lambda: (_DEVICES / f"{port}:1.0").exists())
    settle()


def pulled(port: str) -> None:
    """Return once the kernel has forgotten what was in this port; TimeoutError where it does not."""
    _wait(lambda: not (_DEVICES / port).exists())


def settle() -> None:
    """Return once udev has nothing left to do."""
    subprocess.run(["udevadm", "settle"], check=True)


def _wait(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("the kernel does not see to it")
        time.sleep(0.005)
