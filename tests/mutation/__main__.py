"""Changes the rules that pyproject.toml names in one place at a time and runs its stories.

`PYTHONPATH=tests python -m mutation`"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mutation.making import Mutant, mutants_of
from mutation.running import Result, Run

RESULTS = Path("build/mutants.jsonl")
NOTICED = ("killed", "timeout")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--left", action="store_true", help="only those that no story has killed yet")
    parser.add_argument("--show", action="store_true", help="run nothing, print what earlier runs left")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--most", type=int, help="stories that a mutant meets at most; all, where not given")
    parser.add_argument("--stories", action="append", help="a file of stories, in place of all")
    parser.add_argument("files", nargs="*", help="only these files")
    given = parser.parse_args()
    config = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["mutation"]
    files = given.files or [str(path) for glob in config["mutate"] for path in sorted(Path().glob(glob))]
    mutants = [mutant for file in files for mutant in mutants_of(file, Path(file).read_text())]
    if not given.show:
        earlier = _earlier() if given.left else {}
        run = [mutant for mutant in mutants if earlier.get(mutant.name) not in NOTICED]
        _run(run, given.workers, given.most, config | ({"tests": given.stories} if given.stories else {}))
    _print(mutants, _earlier())


def _run(mutants: list[Mutant], workers: int, most: int | None, config: Mapping[str, Any]) -> None:
    print(f"{len(mutants)} mutants", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as results:

        def report(result: Result) -> None:
            told = {"name": result.mutant.name} | asdict(result)
            del told["mutant"]
            results.write(json.dumps(told) + "\n")
            results.flush()

        plugin = Run(Path.cwd(), mutants, workers, most, report)
        chosen = ["-m", "not soak", "-k", config["but"], *config["tests"]]
        pytest.main(["--quiet", "-p", "no:cacheprovider", *chosen], plugins=[plugin])


def _earlier() -> dict[str, str]:
    """What became of each mutant when stories last met it, by its name."""
    found: dict[str, str] = {}
    for told in map(json.loads, RESULTS.read_text().splitlines() if RESULTS.exists() else ()):
        if told["state"] != "untested" or told["name"] not in found:
            found[told["name"]] = told["state"]
    return found


def _print(mutants: list[Mutant], states: Mapping[str, str]) -> None:
    for mutant in mutants:
        if (state := states.get(mutant.name, "not run")) not in NOTICED:
            print(f"{state}: {mutant.name}")
    for file in dict.fromkeys(mutant.file for mutant in mutants):
        print(f"{file}: {_counted(mutants, states, file)}")
    print(f"all: {_counted(mutants, states)}")


def _counted(mutants: list[Mutant], states: Mapping[str, str], file: str | None = None) -> str:
    found = [states.get(mutant.name, "not run") for mutant in mutants if file in (None, mutant.file)]
    return f"{len(found)} mutants, " + ", ".join(f"{number} {state}" for state, number in Counter(found).most_common())


if __name__ == "__main__":
    main()
