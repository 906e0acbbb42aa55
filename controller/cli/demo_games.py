"""The simulated tables of `shoewatch demo`: what the daemon is told, and what stands in for devices and people."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import run
from typing import Final

from protocols.floor.topics import Topics

TOPICS: Final = Topics("demo", "table-1")
_MISDEALS: Final = 0.2
_READER_FAULTS: Final = 0.15
_SHOE_FAULTS: Final = 0.1
_COMMON: Final = """\
site    = "{topics.site}"
table   = "{topics.table}"
profile = "bench"

[journal]
path = "journal.db"

[mqtt]
url = "{url}"

[game]
procedure = "{procedure}"
"""
_BACCARAT: Final = """
[shoe]
port     = "serial:{folder}/shoe"
protocol = "angel-eye"
"""
_AT_PANEL: Final = """\
observes = ["positions", "faces", "signals", "wagers", "collection", "cut", "shuffle", "stub", "calls"]

[shoe]
port     = "serial:{folder}/shoe"
protocol = "tdl"

[devices]
registry = "devices.toml"

[panel]
directory = "{folder}/panel"
"""
_BLACKJACK: Final = f"""{_AT_PANEL}
[reader]
port = "serial:{{folder}}/reader"
"""
_MONITOR: Final = "monitor --panel {folder}/panel"


@dataclass(frozen=True, slots=True)
class Game:
    """`simulated`: the arguments of `shoewatch sim`; `prepare` writes what else the daemon reads; `hint`: one more way
    to look at the table."""

    procedure: str
    config: str
    simulated: Callable[[Path], list[str]]
    seed: int
    pace: float
    prepare: Callable[[Path], None] = lambda _: None
    hint: str = ""

    def set_up(self, folder: Path, url: str) -> None:
        """Write the table's configuration into the folder."""
        text = (_COMMON + self.config).format(topics=TOPICS, procedure=self.procedure, folder=folder, url=url)
        (folder / "table.toml").write_text(text)
        self.prepare(folder)

    def simulator(self, folder: Path, rounds: int | None, seed: int | None, pace: float | None) -> list[str]:
        """The command line of the simulated table."""
        number = [] if rounds is None else ["--rounds", str(rounds)]
        chosen = {
            "--procedure": self.procedure,
            "--seed": self.seed if seed is None else seed,
            "--pace": self.pace if pace is None else pace,
            "--faults": _MISDEALS,
            "--truth": folder / "truth.jsonl",
        }
        options = [str(word) for pair in chosen.items() for word in pair]
        return ["sim", *self.simulated(folder), "--disclose", *number, *options]


def _shoe(folder: Path) -> list[str]:
    return ["shoe", "--link", str(folder / "shoe")]


def _table(folder: Path) -> list[str]:
    return ["table", "--shoe-link", str(folder / "shoe"), "--panel", str(folder / "panel")]


def _stud(folder: Path) -> list[str]:
    return [*_table(folder), "--shoe-faults", str(_SHOE_FAULTS)]


def _blackjack(folder: Path) -> list[str]:
    return [*_table(folder), "--reader-link", str(folder / "reader"), "--reader-faults", str(_READER_FAULTS)]


def _trust_simulators(folder: Path) -> None:
    """Simulators have keys like real devices."""
    keys = run([sys.executable, "-m", "controller", "sim", "registry"], check=True, capture_output=True)
    registry = folder / "devices.toml"
    registry.touch(mode=0o600)
    registry.write_bytes(keys.stdout)


GAMES: Final[Mapping[str, Game]] = {
    "blackjack": Game("nd-card-reader", _BLACKJACK, _blackjack, 1221, 0.2, _trust_simulators, _MONITOR),
    "stud": Game("nj-ms-shoe", _AT_PANEL, _stud, 33, 0.2, _trust_simulators, _MONITOR),
    "baccarat": Game("pb-nj", _BACCARAT, _shoe, 7, 0.4),
}
