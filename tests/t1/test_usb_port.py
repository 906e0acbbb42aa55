"""The USB port and the real libusb: who is meant, who has it, and every way to lose it."""

from __future__ import annotations

import os

import pytest
from inside import inside
from usb_cases import CASES


@pytest.mark.parametrize("case", CASES)
def test_usb(case: str) -> None:
    if case == "nobody_is_let_in" and os.geteuid() != 0:
        pytest.skip("only root can become nobody")
    inside("usb_cases", case)
