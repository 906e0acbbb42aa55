"""What a test needs of the system: without it the test is skipped, and in CI it fails."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(package: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{package} is not installed here, and CI must have it")
    pytest.skip(f"needs {package}")
