"""The bench of simulated USB ports as a test sees it, and what a process needs to stand at it."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from ctypes.util import find_library
from functools import cache
from pathlib import Path
from typing import Any, Final

from needs import missing

ROOT: Final = Path(__file__).parents[1]
DEBIANS_PYTHON: Final = "/usr/bin/python3"
UNDER_UMOCKDEV: Final = ("umockdev-wrapper", DEBIANS_PYTHON, "-m", "simulators.usb.bench")
IN_THE_KERNEL: Final = (sys.executable, "-m", "simulators.usb.vhci")
A_GADGET: Final = (sys.executable, "-m", "simulators.usb.gadget")
PRELOADED: Final = {**os.environ, "LD_PRELOAD": "libumockdev-preload.so.0"}
_ANSWER_S: Final = 10.0
_READ_MAX: Final = 1 << 16


_BINDING: Final = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"


@cache
def need_bench() -> None:
    """Skips, or fails in CI, where something that a bench needs is not installed."""
    if not shutil.which("umockdev-wrapper"):
        missing("umockdev (apt install umockdev)")
    if not find_library("usb-1.0"):
        missing("libusb (apt install libusb-1.0-0)")
    if subprocess.run([DEBIANS_PYTHON, "-c", _BINDING], capture_output=True).returncode:
        missing("umockdev for Python (apt install gir1.2-umockdev-1.0 python3-gi)")


class Bench:
    """Ports are named as in sysfs; `heard` is what hosts sent to each, `on_heard` is called with it too.

    It has no thread: what comes is read by whoever gives a command or calls `pump`."""

    def __init__(
        self,
        command: Sequence[str] = UNDER_UMOCKDEV,
        on_heard: Callable[[str, bytes], None] = lambda _port, _data: None,
    ) -> None:
        self.heard: defaultdict[str, bytearray] = defaultdict(bytearray)
        self.on_heard = on_heard
        self._answers: list[dict[str, Any]] = []
        self._rest = b""
        self._has_ended = False
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "UMOCKDEV_DIR")},
        )
        assert self._process.stdin
        assert self._process.stdout
        self._commands = self._process.stdin
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)
        self.root: str = self._answer()["root"]

    @property
    def environment(self) -> Mapping[str, str]:
        """Of a process that is to see these ports."""
        return {**PRELOADED, "UMOCKDEV_DIR": self.root}

    def do(self, command: str, **fields: Any) -> dict[str, Any]:
        """Give a command and wait until it is done."""
        self._commands.write(json.dumps({"do": command, **fields}).encode() + b"\n")
        self._commands.flush()
        return self._answer()

    def plug(self, port: str = "1-1", **says: Any) -> None:
        self.do("plug", port=port, **says)

    def unplug(self, port: str = "1-1", **how: int) -> None:
        self.do("unplug", port=port, **how)

    def send(self, *reports: bytes, port: str = "1-1") -> None:
        self.do("send", port=port, reports=[report.hex() for report in reports])

    def empty(self) -> None:
        """Nothing is plugged in, and nothing was heard."""
        self.do("empty")
        self.pump()
        self.heard.clear()

    def pump(self) -> None:
        """Take in what has come."""
        try:
            while data := os.read(self.output, _READ_MAX):
                self._take(data)
            self._has_ended = True
        except BlockingIOError:
            pass

    def has_heard(self, data: bytes, port: str = "1-1") -> bool:
        """Whether this, and nothing else, came to the port."""
        self.pump()
        return bytes(self.heard[port]) == data

    def close(self) -> None:
        """End it, after everybody who stands at it."""
        self._commands.close()
        try:
            self._process.wait(_ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()

    def _answer(self) -> dict[str, Any]:
        end = time.monotonic() + _ANSWER_S
        while not self._answers:
            assert time.monotonic() < end, "the bench does not answer"
            select.select([self.output], (), (), 0.1)
            self.pump()
            assert not self._has_ended, "the bench has ended"
        return self._answers.pop(0)

    def _take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for said in map(json.loads, lines):
            if "out" in said:
                sent = bytes.fromhex(said["out"])
                self.heard[said["port"]] += sent
                self.on_heard(said["port"], sent)
            else:
                self._answers.append(said)


Body = Callable[[Bench], Coroutine[Any, Any, None]]
"""Of a test that stands at a bench."""
