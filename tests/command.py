"""The real command `shoewatch`, run inside the test's own process: quicker than a process for each log."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from controller.cli.main import app_for


@dataclass(frozen=True)
class Result:
    """How a command ended and what it printed."""

    status: int
    stdout: str
    stderr: str


def shoewatch(*arguments: str, given: bytes = b"") -> Result:
    """Run `shoewatch ARGUMENTS` with `given` on standard input."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(given))
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", stdin):
        try:
            app_for(arguments)(list(arguments))
        except SystemExit as end:
            return Result(int(end.code or 0), out.getvalue(), err.getvalue())
    return Result(0, out.getvalue(), err.getvalue())
