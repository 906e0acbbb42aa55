"""The search for one target, in a process of its own: it ends with the first input that breaks something."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import atheris

OURS: Final = ["protocols", "firmware_bridge", "controller", "simulators", "fuzz"]


def search(name: str, seconds: int, finds: Path) -> None:
    """Never returns. `finds`: where inputs that reach new code are kept, for the next search too, and where one that
    breaks something is written to, as `crash-DIGEST`."""
    with atheris.instrument_imports(include=OURS):
        from fuzz.targets import TARGETS

    target = TARGETS[name]
    kept = finds / name
    kept.mkdir(parents=True, exist_ok=True)
    options = {
        "max_total_time": seconds,
        "max_len": target.longest,
        "timeout": 10,
        "rss_limit_mb": 2048,
        "print_final_stats": 1,
        "verbosity": 0,
        "artifact_prefix": f"{finds}/{name}-",
    }
    arguments = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], *arguments, str(kept), str(target.corpus)], target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    search(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
