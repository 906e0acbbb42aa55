"""News that something was plugged in, so that nobody waits out a pause for it.

udev tells it once names and permissions are in place. Where udev cannot run or a message was lost, a slow look at what
is there finds it. A removal is no news here: the line that it cuts tells it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from firmware_bridge.usb_identity import plugged_in

RESCAN_S: Final = 2.0

_ARRIVALS: Final = ("add", "bind", "change", "move")
_log: Final = logging.getLogger(__name__)


class Hotplug:
    """Calls `arrived` after every arrival of a USB device, of a serial line, or of one of the `nodes`."""

    def __init__(self, arrived: Callable[[], None], nodes: Sequence[str] = (), rescan_s: float = RESCAN_S) -> None:
        self._arrived = arrived
        self._nodes = nodes
        self._rescan_s = rescan_s

    async def run(self) -> NoReturn:
        """Until cancelled; it listens before anything else of the loop gets its turn."""
        monitor = _monitor()
        if monitor is None:
            await self._look_again_and_again()
        loop = asyncio.get_running_loop()
        loop.add_reader(monitor.fileno(), self._hear, monitor)
        try:
            await self._look_again_and_again()
        finally:
            loop.remove_reader(monitor.fileno())

    def _hear(self, monitor: Any) -> None:
        try:
            heard = [device.action for device in iter(lambda: monitor.poll(timeout=0), None)]
        except OSError as fault:
            _log.debug("messages of udev were lost: %s", fault)
            heard = ["add"]
        if any(action in _ARRIVALS for action in heard):
            self._arrived()

    async def _look_again_and_again(self) -> NoReturn:
        seen = self._present()
        while True:
            await asyncio.sleep(self._rescan_s)
            before, seen = seen, self._present()
            if seen - before:
                self._arrived()

    def _present(self) -> frozenset[object]:
        """What is there; a device that was pulled and put back in between counts as another one."""
        return frozenset((*plugged_in(), *filter(None, map(_file, self._nodes))))


def _file(path: str) -> tuple[str, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return path, status.st_dev, status.st_ino


def _monitor() -> Any:
    """Listening, and None where there is no udev to listen to."""
    try:
        import pyudev

        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source="udev")
        monitor.filter_by("usb", "usb_device")
        monitor.filter_by("tty")
        monitor.start()
    except (ImportError, OSError) as fault:
        _log.info("udev does not tell of devices here (%s): they are looked for", fault)
        return None
    return monitor
