"""The hole-card reader under a real kernel and the real udevd."""

from __future__ import annotations

import pytest
from machine import Told, ran_once
from reader_cases import CASES


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return ran_once(tmp_path_factory, "reader_cases")


@pytest.mark.parametrize("case", CASES)
def test_reader(told: Told, case: str) -> None:
    told.check(case)


def test_the_machine_ended_well(told: Told) -> None:
    told.check_end()
