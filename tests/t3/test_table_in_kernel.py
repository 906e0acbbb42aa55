"""The daemon with both of its devices on USB, under a real kernel."""

from __future__ import annotations

import pytest
from ftdi import DEVICES
from machine import Told, ran_once
from table_cases import CASES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return ran_once(tmp_path_factory, "table_cases", DEVICES)


@pytest.mark.parametrize("case", CASES)
def test_table(told: Told, case: str) -> None:
    told.check(case)


def test_the_machine_ended_well(told: Told) -> None:
    told.check_end()
