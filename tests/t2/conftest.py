"""One udevd for all tests of a module; each begins with nothing plugged in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from needed import need_programs, need_root
from stage import Stage, staged


@pytest.fixture(scope="module")
def udevd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    need_root()
    need_programs(udevadm="udev", unshare="util-linux")
    need_programs(**{"systemd-sysusers": "systemd"})
    with staged(tmp_path_factory.mktemp("users")) as stage:
        yield stage


@pytest.fixture
def stage(udevd: Stage) -> Iterator[Stage]:
    yield udevd
    udevd.empty()
