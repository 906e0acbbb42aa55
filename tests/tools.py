"""Programs, rights and ports of the system that a test needs."""

from __future__ import annotations

import os
import shutil
import socket
from collections import Counter
from collections.abc import Iterable

from needs import missing

_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def need_programs(**packages: str) -> None:
    """Programs by name, with the package that brings each."""
    for program, package in packages.items():
        if shutil.which(program, path=_PATH) is None:
            missing(f"{package} (apt install {package})")


def need_root() -> None:
    if os.geteuid() != 0:
        missing("the right to do this (root)")


def free_port() -> int:
    """A TCP port of loopback on which nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def no_more(now: Iterable[str], before: Iterable[str]) -> bool:
    """Whether nothing is open that was not before; what has been let go since is no growth."""
    return not Counter(now) - Counter(before)
