"""A shoe behind a USB converter under a real kernel and the real udevd."""

from __future__ import annotations

import pytest
from ftdi import DEVICES
from machine import Told, ran_once
from shoe_cases import CASES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return ran_once(tmp_path_factory, "shoe_cases", DEVICES)


@pytest.mark.parametrize("case", CASES)
def test_shoe(told: Told, case: str) -> None:
    told.check(case)


def test_the_machine_ended_well(told: Told) -> None:
    told.check_end()
