"""Arrivals where udev tells nothing, or less than there was."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import pyudev
from device_lines import PtyLine, until

from firmware_bridge import hotplug
from firmware_bridge.hotplug import Hotplug


class Monitor:
    """A monitor of udev that has a descriptor to wait for and a list of what it says."""

    def __init__(self, *says: str | OSError) -> None:
        self._says: Iterator[str | OSError] = iter(says)
        self._read, write = os.pipe()
        os.write(write, b"!")

    def fileno(self) -> int:
        return self._read

    def poll(self, timeout: int) -> SimpleNamespace | None:
        said = next(self._says, None)
        if isinstance(said, OSError):
            raise said
        if said is None:
            os.set_blocking(self._read, False)
            os.read(self._read, 1)
        return None if said is None else SimpleNamespace(action=said)


def arrivals(monkeypatch: pytest.MonkeyPatch, *says: str | OSError) -> int:
    """How often something arrived while udev said this."""
    told: list[int] = []
    monkeypatch.setattr(hotplug, "_monitor", lambda: Monitor(*says))

    async def main() -> None:
        task = asyncio.create_task(Hotplug(lambda: told.append(1)).run())
        await asyncio.sleep(0.1)
        task.cancel()

    asyncio.run(main())
    return len(told)


def test_several_messages_at_once_are_one_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arrivals(monkeypatch, "add", "remove", "bind", "add") == 1


def test_removals_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arrivals(monkeypatch, "remove", "unbind", "remove") == 0


def test_lost_messages_may_have_been_arrivals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert arrivals(monkeypatch, OSError(errno.ENOBUFS, "no buffer space")) >= 1


@pytest.mark.parametrize("fault", [ImportError("No library named udev"), OSError("Could not create udev monitor")])
def test_a_node_that_comes_is_found_without_udev(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: Exception
) -> None:
    def fails() -> None:
        raise fault

    monkeypatch.setattr(pyudev, "Context", fails)
    told: list[int] = []

    async def main() -> None:
        path = tmp_path / "shoe"
        task = asyncio.create_task(Hotplug(lambda: told.append(1), [str(path)], rescan_s=0.01).run())
        await asyncio.sleep(0.1)
        assert told == []
        line = PtyLine(path)
        await until(lambda: len(told) == 1)
        line.unplug()
        await asyncio.sleep(0.1)
        assert len(told) == 1
        task.cancel()

    asyncio.run(main())
