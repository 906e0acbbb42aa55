"""What a test needs of the system: elsewhere it is skipped without it, on CI it fails."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """This cannot be tested here, for want of `what`."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing here, and CI must have it")
    pytest.skip(f"needs {what}")


def need_programs(**packages: str) -> None:
    """Programs by name, with the package that brings each."""
    for program, package in packages.items():
        if shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None:
            missing(f"{program} (apt install {package})")


def need_root() -> None:
    if os.geteuid() != 0:
        missing("root")
