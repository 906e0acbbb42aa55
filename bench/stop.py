"""From SIGTERM to the exit of the daemon: median and maximum over N stops, idle and with a dead line to the broker.

python bench/stop.py [N]"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.broker import EmbeddedBroker
from controller.journal_file import JournalError, read_all

CONFIG = """\
site    = "bench"
table   = "table-1"
profile = "bench"

[game]
procedure = "pb-nj"

[shoe]
port     = "serial:{shoe}"
protocol = "angel-eye"

[journal]
path = "journal.db"

[mqtt]
url = "{url}"
"""
READY_S = 30.0


def main() -> None:
    """Print the seconds."""
    stops = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with silent_shoe() as shoe, EmbeddedBroker() as broker, dead_broker() as dead:
        for situation, url in (("idle", broker.url), ("dead broker", dead)):
            seconds = [measured(shoe, url) for _ in range(stops)]
            print(f"stop, {situation}: median {statistics.median(seconds):.2f} s, max {max(seconds):.2f} s of {stops}")


def measured(shoe: str, url: str) -> float:
    """Seconds from SIGTERM to the exit of a daemon whose shoe is ready."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "table.toml")
        config.write_text(CONFIG.format(shoe=shoe, url=url))
        command = [sys.executable, "-m", "controller", "run", "--config", str(config), "--log-level", "error"]
        daemon = subprocess.Popen(command)
        wait_until_ready(Path(folder, "journal.db"))
        begun = time.monotonic()
        daemon.send_signal(signal.SIGTERM)
        status = daemon.wait()
        if status != 0:
            sys.exit(f"the daemon ended with status {status}")
        return time.monotonic() - begun


def wait_until_ready(journal: Path) -> None:
    """Return once the shoe's link is `ready` on disk."""
    end = time.monotonic() + READY_S
    while not is_ready(journal):
        if time.monotonic() > end:
            sys.exit("the daemon does not come up")
        time.sleep(0.02)


def is_ready(journal: Path) -> bool:
    """Whether the journal has the record of a ready link."""
    try:
        return any(b'"to":"ready"' in row.body for row in read_all(journal))
    except JournalError:
        return False


@contextmanager
def silent_shoe() -> Iterator[str]:
    """The path of a line on which nobody says anything."""
    device, line = os.openpty()
    tty.setraw(line)
    try:
        yield os.ttyname(line)
    finally:
        os.close(line)
        os.close(device)


@contextmanager
def dead_broker() -> Iterator[str]:
    """The URL of a broker that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"mqtt://127.0.0.1:{server.getsockname()[1]}"


if __name__ == "__main__":
    main()
