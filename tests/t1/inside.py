"""A test's body in a process of its own, which stands at a bench: only a process that is started with umockdev's
library sees what is plugged in there."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from usb_bench import PRELOADED, ROOT, Bench, need_bench

_HERE = Path(__file__).parent


def inside(module: str, body: str, *arguments: str, seconds: float = 120.0) -> None:
    """Run `module.body(bench, *arguments)`; what it says and fails with is this test's."""
    need_bench()
    paths = os.pathsep.join(map(str, (ROOT, _HERE.parent, _HERE)))
    done = subprocess.run(
        [sys.executable, __file__, module, body, *arguments],
        env={**PRELOADED, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, f"{body} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"


def main(module: str, body: str, *arguments: str) -> None:
    bench = Bench()
    os.environ["UMOCKDEV_DIR"] = bench.root
    try:
        asyncio.run(getattr(import_module(module), body)(bench, *arguments))
    finally:
        bench.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
