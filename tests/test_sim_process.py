"""The simulated shoe as a process of its own, read through its pty as a host would, with plain system calls."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from line_noise import SPOILERS

DEADLINE_S = 20.0
READ_MAX = 65536
SHOE = [sys.executable, "-c", "from controller.cli.sim import app; app()", "shoe"]


def until(happens: Callable[[], Any], what: str) -> Any:
    """What `happens` gives once it is true; AssertionError where that takes too long."""
    deadline = time.monotonic() + DEADLINE_S
    while not (seen := happens()):
        assert time.monotonic() < deadline, what
        time.sleep(0.01)
    return seen


class Table:
    """One simulated shoe, running."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.link, self.truth_file = folder / "shoe", folder / "truth.jsonl"
        self.process = subprocess.Popen(
            [*SHOE, "--link", str(self.link), "--truth", str(self.truth_file), *options], stderr=subprocess.PIPE
        )
        until(self.link.exists, "the line is there")

    def truth(self) -> list[dict[str, Any]]:
        whole_lines = self.truth_file.read_text().split("\n")[:-1]
        return [json.loads(line) for line in whole_lines]

    def acts(self) -> list[dict[str, Any]]:
        return [line for line in self.truth() if "act" in line]

    def is_finished(self) -> bool:
        return {"finished": True} in self.truth()

    def sent(self) -> bytes:
        return b"".join(bytes.fromhex(act["sent"]) for act in self.acts())

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(DEADLINE_S)


class Host:
    """Somebody who has the line open."""

    def __init__(self, link: Path) -> None:
        self.descriptor = os.open(link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.got = b""

    def read(self, patience_s: float = 0.0) -> bytes:
        """All that is there; EOFError where the line is closed."""
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN)
        while poller.poll(patience_s * 1000):
            data = os.read(self.descriptor, READ_MAX)
            if not data:
                raise EOFError
            self.got += data
        return self.got

    def is_cut_off(self) -> bool:
        try:
            self.read()
        except (EOFError, OSError):
            return True
        return False

    def close(self) -> None:
        os.close(self.descriptor)


@contextmanager
def table(folder: Path, *options: str) -> Iterator[Table]:
    running = Table(folder, *options)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.communicate()


@contextmanager
def host(link: Path) -> Iterator[Host]:
    listening = Host(link)
    try:
        yield listening
    finally:
        listening.close()


def test_a_host_reads_what_the_truth_says(tmp_path: Path) -> None:
    with table(tmp_path, "--rounds", "5", "--pace", "0", "--no-baud-real", "--faults", "0.5") as shoe:
        with host(shoe.link) as listening:
            until(lambda: listening.read() and shoe.is_finished(), "all rounds are dealt")
            assert listening.read(0.1) == shoe.sent()
        assert all(act["heard"] for act in shoe.acts())
        assert [act["n"] for act in shoe.acts()] == list(range(1, len(shoe.acts()) + 1))
        assert {act["round"] for act in shoe.acts()} == {1, 2, 3, 4, 5}
        assert sum(act["act"] == "result" for act in shoe.acts()) == 5
        assert any("code" in act for act in shoe.acts())
        assert shoe.truth_file.stat().st_mode & 0o777 == 0o600
        assert shoe.stop() == 0


def test_nothing_is_dealt_before_a_host_comes(tmp_path: Path) -> None:
    with table(tmp_path, "--pace", "0", "--no-baud-real") as shoe:
        time.sleep(0.6)
        assert shoe.truth() == []
        assert shoe.stop() == 0
        assert not shoe.link.is_symlink()


def test_an_act_is_in_the_truth_before_its_bytes_are_on_the_line(tmp_path: Path) -> None:
    with table(tmp_path, "--rounds", "2", "--pace", "0.01") as shoe, host(shoe.link) as listening:
        while not shoe.is_finished():
            got = listening.read()
            assert shoe.sent().startswith(got)


def test_what_is_sent_while_nobody_listens_is_lost(tmp_path: Path) -> None:
    with table(tmp_path, "--pace", "0.02", "--no-baud-real") as shoe:
        with host(shoe.link):
            until(lambda: len(shoe.acts()) > 20, "some acts are on the line, unread")
        until(lambda: sum(not act["heard"] for act in shoe.acts()) > 20, "the dealer goes on")
        with host(shoe.link) as second:
            until(lambda: len(second.read()) > 600, "the second host reads")
            got = second.got[: len(second.got) // 24 * 24]
        heard = [act["heard"] for act in shoe.acts()]
        back = heard.index(True, heard.index(False))
        since = b"".join(bytes.fromhex(act["sent"]) for act in shoe.acts()[back:])
        just_before = b"".join(bytes.fromhex(act["sent"]) for act in shoe.acts()[back - 1 :])
        assert since.startswith(got) or just_before.startswith(got)


def test_what_a_host_sends_is_taken_and_ignored(tmp_path: Path) -> None:
    with table(tmp_path, "--rounds", "2", "--pace", "0", "--no-baud-real") as shoe, host(shoe.link) as listening:
        deadline = time.monotonic() + DEADLINE_S
        left = b"\x06" * 200_000
        while left and time.monotonic() < deadline:
            try:
                left = left[os.write(listening.descriptor, left) :]
            except BlockingIOError:
                time.sleep(0.01)
        assert not left
        until(lambda: listening.read() and shoe.is_finished(), "all rounds are dealt")
        assert listening.read(0.1) == shoe.sent()


def test_a_host_that_does_not_read_stops_nobody(tmp_path: Path) -> None:
    with table(tmp_path, "--pace", "0", "--no-baud-real") as shoe, host(shoe.link):
        until(lambda: any("lost" in line for line in shoe.truth()), "the line is full")
        dealt = len(shoe.acts())
        until(lambda: len(shoe.acts()) > dealt, "the dealer goes on")
        begun = time.monotonic()
        assert shoe.stop() == 0
        assert time.monotonic() - begun < 5


def test_the_line_is_unplugged_and_plugged_in_again_twenty_times(tmp_path: Path) -> None:
    with table(tmp_path, "--pace", "0.01", "--no-baud-real") as shoe:
        with host(shoe.link) as listening:
            until(listening.read, "the first bytes")
        descriptors = shoe.descriptors()
        for _ in range(20):
            replug(shoe)
        assert shoe.descriptors() == descriptors
        assert shoe.stop() == 0


def replug(shoe: Table) -> None:
    with host(shoe.link) as listening:
        until(listening.read, "bytes before")
        shoe.process.send_signal(signal.SIGUSR1)
        until(listening.is_cut_off, "the host is cut off")
    assert not shoe.link.is_symlink()
    shoe.process.send_signal(signal.SIGUSR2)
    until(shoe.link.exists, "the line is there again")


def test_it_sends_no_faster_than_a_real_line(tmp_path: Path) -> None:
    with table(tmp_path, "--rounds", "3", "--pace", "0") as shoe, host(shoe.link) as listening:
        until(lambda: listening.read() and shoe.is_finished(), "all rounds are dealt")
        acts = shoe.acts()
        took_s = (acts[-1]["mono_ns"] - acts[0]["mono_ns"]) / 1e9
        before_last = sum(len(act["sent"]) // 2 for act in acts[:-1])
        assert took_s >= before_last / 480


FAULTS = [f"--fault={text}@card={8 + 3 * number}" for number, text in enumerate(SPOILERS)]


def test_a_noisy_line_spoils_bytes_and_comes_back(tmp_path: Path) -> None:
    options = ("--rounds", "8", "--seed", "23", "--pace", "0.02", "--no-baud-real", *FAULTS)
    with table(tmp_path, *options) as shoe:
        got = [read_until_cut_off(shoe)]
        while not shoe.is_finished():
            until(lambda: shoe.link.exists() or shoe.is_finished(), "the line is there again")
            got.append(read_until_cut_off(shoe))
        unplugged = [act for act in shoe.acts() if act.get("line") == "unplug"]
        kinds = {act["line"] for act in shoe.acts() if "line" in act}
    assert kinds == {text.partition(":")[0] for text in SPOILERS}
    assert 2 <= len([part for part in got if part]) <= len(unplugged) + 1


def read_until_cut_off(shoe: Table) -> bytes:
    """What one host gets until the line is closed or all is over."""
    with host(shoe.link) as listening:
        until(lambda: listening.is_cut_off() or shoe.is_finished(), "the line is closed, or all rounds are dealt")
        return listening.got


def test_a_scenario_is_played_by_hand(tmp_path: Path) -> None:
    scenario = Path(__file__).with_name("scenarios") / "angel-drop.toml"
    with table(tmp_path, "--scenario", str(scenario), "--no-baud-real") as shoe, host(shoe.link) as listening:
        until(lambda: listening.read() and shoe.is_finished(), "all rounds are dealt")
        dropped = [act for act in shoe.acts() if act.get("line") == "drop"]
        assert [act["act"] for act in dropped] == ["dealt"]
        assert bytes.fromhex(dropped[0]["sent"]) not in listening.read()


def test_sigterm_ends_it_at_once_with_0(tmp_path: Path) -> None:
    with table(tmp_path, "--pace", "3600") as shoe, host(shoe.link) as listening:
        until(listening.read, "the shoe is switched on")
        begun = time.monotonic()
        assert shoe.stop() == 0
        assert time.monotonic() - begun < 5
        assert shoe.process.stderr
        assert shoe.process.stderr.read() == b""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--procedure", "pb-nk"], b"pb-nj"),
        (["--protocol", "angel-eyes"], b"angel-eye"),
        (["--fault", "lid"], b"no "),
        (["--fault", "unplugged"], b"unplug"),
        (["--tcp", "4001"], b"one of the two"),
        ([], b"no symbolic link"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: list[str], complaint: bytes) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    refused = subprocess.run([*SHOE, "--link", str(there), *options], capture_output=True, timeout=DEADLINE_S)
    assert refused.returncode == 2
    assert complaint in refused.stderr
    assert there.read_text() == "mine"


@pytest.mark.parametrize(("command", "option"), [("shoe", "--link"), ("table", "--shoe-link"), ("reader", "--link")])
def test_a_link_in_no_folder_is_refused(tmp_path: Path, command: str, option: str) -> None:
    line = [*SHOE[:-1], command, option, str(tmp_path / "none" / "shoe")]
    refused = subprocess.run(line, capture_output=True, timeout=DEADLINE_S)
    assert refused.returncode == 2
    assert b"there is no folder" in b" ".join(refused.stderr.split())
    assert b"Traceback" not in refused.stderr
