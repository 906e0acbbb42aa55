"""Hot-plug with the real libudev, and many replugs."""

from __future__ import annotations

import pytest
from inside import inside
from replug_cases import CASES


@pytest.mark.parametrize("case", CASES)
def test_hotplug(case: str) -> None:
    inside("replug_cases", case)


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.soak)])
def test_replugs_leave_nothing_behind(count: int) -> None:
    inside("replug_cases", "replugs", str(count), seconds=900)
