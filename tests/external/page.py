"""What a person sees: a page in a real Chromium, driven by playwright-core of npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controller.tether import tethered

_SCRIPT = Path(__file__).with_name("browser.js")


class Page:
    """One page; AssertionError where it does not come to what is waited for."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def open(self, url: str, storage: Mapping[str, str] | None = None) -> None:
        """`storage`: what the page finds in its local storage."""
        self._do(storage=storage or {}, goto=url)

    def until(self, expression: str) -> str:
        """The page's text, once this JavaScript is true in it."""
        return self._do(until=expression)

    def see(self, text: str) -> None:
        """Wait for this text, also in web components, which `until` does not look into."""
        self._do(see=text)

    def picture(self, path: Path) -> None:
        self._do(wait=800, picture=str(path))

    def _do(self, **told: Any) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "the browser is gone"}')
        assert "error" not in answer, f"{told}: {answer['error']}"
        return str(answer["text"])


@contextmanager
def browsing(modules: Path, width: int, height: int) -> Iterator[Page]:
    """`modules`: the node_modules that have playwright-core."""
    node, chromium = shutil.which("node"), shutil.which("chromium")
    assert node, "node is missing (apt install nodejs npm)"
    assert chromium, "chromium is missing (apt install chromium)"
    process = subprocess.Popen(
        tethered([node, str(_SCRIPT), chromium, str(width), str(height)]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "NODE_PATH": str(modules)},
    )
    try:
        yield Page(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
