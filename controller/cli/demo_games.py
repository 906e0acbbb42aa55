"""The simulated tables of `shoewatch demo`: what the daemon is told, and what stands in for devices and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from controller.cli.simulated_table import Devices, table_toml, trust_simulators
from protocols.floor.topics import Topics

TOPICS: Final = Topics("demo", "table-1")
_MISDEALS: Final = 0.2
_READER_FAULTS: Final = 0.15
_SHOE_FAULTS: Final = 0.1
_MONITOR: Final = "monitor --panel {folder}/panel"


@dataclass(frozen=True, slots=True)
class Game:
    """`devices`: where the daemon finds what; `simulated`: the arguments of `shoewatch sim`; `hint`: one more way to
    look at the table."""

    procedure: str
    devices: Callable[[Path], Devices]
    simulated: Callable[[Path], list[str]]
    seed: int
    pace: float
    hint: str = ""

    def set_up(self, folder: Path, url: str) -> None:
        """Write the table's configuration into the folder."""
        devices = self.devices(folder)
        (folder / "table.toml").write_text(table_toml(TOPICS, self.procedure, devices, url))
        if devices.registry:
            trust_simulators(devices.registry)

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


def _at_shoe(folder: Path) -> Devices:
    return Devices(f"serial:{folder}/shoe")


def _at_panel(folder: Path) -> Devices:
    return Devices(f"serial:{folder}/shoe", panel=folder / "panel", registry=folder / "devices.toml")


def _with_reader(folder: Path) -> Devices:
    return replace(_at_panel(folder), reader=f"serial:{folder}/reader")


GAMES: Final[Mapping[str, Game]] = {
    "blackjack": Game("nd-card-reader", _with_reader, _blackjack, 1221, 0.2, _MONITOR),
    "stud": Game("nj-ms-shoe", _at_panel, _stud, 33, 0.2, _MONITOR),
    "baccarat": Game("pb-nj", _at_shoe, _shoe, 7, 0.4),
}
