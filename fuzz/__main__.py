"""`python -m fuzz [--seconds 60] [TARGET...]`: each target is searched for so long, all of them where none is named.

What is found goes to `.fuzz/`. An input that breaks something belongs into the target's corpus, under a name that says
what it showed: the tests run everything that is there."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fuzz.seeds import SEEDS

FINDS: Final = Path(".fuzz")


def main(arguments: Sequence[str] | None = None) -> int:
    """1 where something broke."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {', '.join(SEEDS)}")
    given = parser.parse_args(arguments)
    for name in given.targets:
        if name not in SEEDS:
            parser.error(f"there is no target {name!r} (known: {', '.join(SEEDS)})")
    broken = [name for name in given.targets or SEEDS if not _holds(name, given.seconds)]
    print(f"broken: {', '.join(broken)}; look into {FINDS}/" if broken else "nothing broke")
    return bool(broken)


def _holds(name: str, seconds: int) -> bool:
    print(f"== {name}, {seconds} s", flush=True)
    return subprocess.run([sys.executable, "-m", "fuzz.search", name, f"{seconds}", str(FINDS)]).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
