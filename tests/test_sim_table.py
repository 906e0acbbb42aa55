"""A table without any device: shoe, reader and people within the daemon, by `sim:` ports alone."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from command import shoewatch

from controller.broker import EmbeddedBroker
from protocols.tablelog import read_log

TABLE = """\
site    = "riverside"
table   = "bj-07"
profile = "bench"

[game]
procedure = "{procedure}"
observes  = {observes}

[shoe]
port     = "sim:try?{play}"
protocol = "tdl"

[devices]
registry = "devices.toml"

[panel]
directory = "panel"

[journal]
path = "journal.db"

[mqtt]
url = "{url}"
"""
READER = """
[reader]
port = "sim:try"
"""
OBSERVES = ["positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "calls"]


@dataclass(frozen=True)
class Game:
    """A table by its parameters, events that must come of it, and what nobody can tell there for sure."""

    procedure: str
    rounds: int
    play: str
    told: frozenset[str]
    unsure: frozenset[str] = frozenset()
    observes: tuple[str, ...] = ()
    sections: str = ""

    def table(self, url: str) -> str:
        observes = json.dumps([*OBSERVES, *self.observes])
        play = f"rounds={self.rounds}&{self.play}"
        return TABLE.format(procedure=self.procedure, play=play, observes=observes, url=url) + self.sections


STUD_TOLD = frozenset({"community.revealed", "shoe.emptied", "stub.counted", "hand.settled"})
COUNT_BEFORE_THE_LOG = frozenset({"stub_count_overdue"})
GAMES = [
    Game("nd-card-reader", 4, "pace=0&seed=5&hurry=20", frozenset({"reader.peeked"}), sections=READER),
    Game("nj-ms-shoe", 6, "pace=0&seed=5", STUD_TOLD, COUNT_BEFORE_THE_LOG, ("stub",)),
    Game(
        "nj-ms-shoe",
        6,
        "pace=0&seed=5&withhold=1",
        STUD_TOLD | {"card.revealed"},
        COUNT_BEFORE_THE_LOG | {"settlement_wrong"},
        ("stub",),
    ),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.procedure} {game.play}")
def test_it_is_dealt_to_the_end_and_in_order(tmp_path: Path, any_broker: EmbeddedBroker, game: Game) -> None:
    registry = tmp_path / "devices.toml"
    registry.touch(mode=0o600)
    registry.write_text(shoewatch("sim", "registry").stdout)
    (tmp_path / "table.toml").write_text(game.table(any_broker.url))
    command = [sys.executable, "-m", "controller", "run", "--config", str(tmp_path / "table.toml"), "--until-drained"]
    assert subprocess.run(command, timeout=100).returncode == 0
    log = tmp_path / "log.jsonl"
    log.write_text(shoewatch("journal", "export", str(tmp_path / "journal.db")).stdout)
    events = [event.name for event in read_log(log.read_text()).events]
    assert events.count("round.closed") == game.rounds
    assert {"card.drawn", *game.told} <= set(events)
    checked = shoewatch("check", str(log))
    verdicts = [json.loads(line) for line in checked.stdout.splitlines()]
    assert (checked.status, len(verdicts)) == (0, len(events))
    assert {verdict["outcome"] for verdict in verdicts} <= {"ok", "unobservable"}
    assert {verdict["code"] for verdict in verdicts if verdict["outcome"] == "unobservable"} == game.unsure
