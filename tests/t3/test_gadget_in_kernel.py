"""The hole-card reader as a gadget under a real kernel."""

from __future__ import annotations

import pytest
from gadget_cases import CASES
from machine import Told, ran_once


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return ran_once(tmp_path_factory, "gadget_cases")


@pytest.mark.parametrize("case", CASES)
def test_gadget(told: Told, case: str) -> None:
    told.check(case)


def test_the_machine_ended_well(told: Told) -> None:
    told.check_end()
