"""A blackjack table without any device: shoe, reader and people within the daemon, by `sim:` ports alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from command import shoewatch

from controller.broker import EmbeddedBroker
from protocols.tablelog import read_log

TABLE = """\
site    = "riverside"
table   = "bj-07"
profile = "bench"

[game]
procedure = "nd-card-reader"

[shoe]
port     = "sim:try?rounds=4&pace=0&seed=5&hurry=20"
protocol = "tdl"

[reader]
port = "sim:try"

[devices]
registry = "devices.toml"

[panel]
directory = "panel"

[journal]
path = "journal.db"

[mqtt]
url = "{url}"
"""


def test_it_is_dealt_to_the_end_and_in_order(tmp_path: Path, any_broker: EmbeddedBroker) -> None:
    registry = tmp_path / "devices.toml"
    registry.touch(mode=0o600)
    registry.write_text(shoewatch("sim", "registry").stdout)
    (tmp_path / "table.toml").write_text(TABLE.format(url=any_broker.url))
    command = [sys.executable, "-m", "controller", "run", "--config", str(tmp_path / "table.toml"), "--until-drained"]
    assert subprocess.run(command, timeout=100).returncode == 0
    log = tmp_path / "log.jsonl"
    log.write_text(shoewatch("journal", "export", str(tmp_path / "journal.db")).stdout)
    events = [event.name for event in read_log(log.read_text()).events]
    assert events.count("round.closed") == 4
    assert {"card.drawn", "reader.peeked"} <= set(events)
    checked = shoewatch("check", str(log))
    assert (checked.status, checked.stderr) == (
        0,
        f"{len(events)} events: {len(events)} ok, 0 warning, 0 violation, 0 unobservable\n",
    )
