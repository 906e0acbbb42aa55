"""The demo as a person at a terminal sees it: it ends by itself, or by Ctrl-C, with a summary."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time
from dataclasses import dataclass

import pytest

CTRL_C = b"\x03"
PATIENCE_S = 60.0


@dataclass
class Terminal:
    """A command on a terminal of its own, of which it is the session's leader."""

    pid: int
    line: int
    text: str = ""

    @classmethod
    def running(cls, *arguments: str) -> Terminal:
        pid, line = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "controller", *arguments])
        return cls(pid, line)

    def read_until(self, wanted: str) -> None:
        """Read until `wanted` has come `PATIENCE_S` at most, or to the end."""
        until = time.monotonic() + PATIENCE_S
        while wanted not in self.text and time.monotonic() < until:
            if not select.select([self.line], [], [], 0.2)[0]:
                continue
            try:
                self.text += os.read(self.line, 65536).decode()
            except OSError:
                return

    def press(self, key: bytes) -> None:
        os.write(self.line, key)

    def status(self) -> int:
        """How it ended; it is killed where it does not."""
        self.read_until("\0never\0")
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"it does not end:\n{self.text}")


GAMES = ["blackjack", "stud", "baccarat"]


@pytest.mark.parametrize("game", GAMES)
def test_ctrl_c_ends_it_with_a_summary(game: str) -> None:
    demo = Terminal.running("demo", "--game", game, "--pace", "0.05")
    demo.read_until("card.drawn")
    demo.press(CTRL_C)
    assert demo.status() == 0, demo.text
    assert "violations that shoewatch told:" in demo.text
    assert "Traceback" not in demo.text


@pytest.mark.parametrize("game", GAMES)
def test_it_ends_by_itself_after_its_rounds_and_tells_the_misdeals_and_no_more(game: str) -> None:
    demo = Terminal.running("demo", "--game", game, "--rounds", "6", "--pace", "0")
    assert demo.status() == 0, demo.text
    made, told = re.findall(r"(?:dealer made|shoewatch told): +(.*)\r", demo.text)
    assert made == told != "none"
    assert "6 rounds" in demo.text
