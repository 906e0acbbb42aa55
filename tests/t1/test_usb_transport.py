"""The USB port passes the suite that every transport passes."""

from __future__ import annotations

import pytest
from inside import inside
from transport_suite import CASES


@pytest.mark.parametrize("case", CASES)
def test_it_does_what_every_transport_does(case: str) -> None:
    inside("usb_rig", "conform", case)
