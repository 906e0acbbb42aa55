"""Child processes that end with the one that started them, however that ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

_TETHER: Final = """
import ctypes, os, sys
PR_SET_PDEATHSIG, SIGKILL = 1, 9
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL)
if os.getppid() != int(sys.argv[1]):
    sys.exit("the process that wanted this one is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""


def tethered(command: Sequence[str]) -> list[str]:
    """The command line that runs `command`, a program's path and its arguments, tied to the calling thread's life."""
    return [sys.executable, "-I", "-S", "-c", _TETHER, str(os.getpid()), *command]
