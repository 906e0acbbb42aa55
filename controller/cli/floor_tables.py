"""The tables of a simulated floor: their names, what is played at each, and the folders of their daemons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from controller.cli.simulated_table import Devices, table_toml, trust_simulators
from protocols.dealing.catalog import procedures
from protocols.errors import ShoewatchError
from protocols.floor.topics import Topics

TRUTH: Final = "truth.jsonl"
_REGISTRY: Final = "devices.toml"


@dataclass(frozen=True, slots=True)
class FloorPlay:
    """What is played: `procedures` in turn, table after table, at `rate` events a second each; `rounds` None is without
    end, `misdeals` the share of rounds (0-1) with one; `seed` is that of the first table, the next has the next."""

    procedures: Sequence[str]
    rate: float
    rounds: int | None = None
    misdeals: float = 0.0
    seed: int = 1


def dealt_procedures() -> tuple[str, ...]:
    """Those that the simulated dealers deal."""
    from simulators.dealer import refuse_undealt

    def is_dealt(name: str) -> bool:
        try:
            refuse_undealt(name)
        except ShoewatchError:
            return False
        return True

    return tuple(name for name in procedures() if is_dealt(name))


def set_up_floor(folder: Path, site: str, tables: int, play: FloorPlay, url: str) -> list[Path]:
    """Write every table's configuration into a folder of its own, `t-001` and so on; the files.

    ShoewatchError where such a folder is there, for the journal in it knows devices that a new floor does not have."""
    trust_simulators(folder / _REGISTRY)
    return [_set_up_table(folder, Topics(site, f"t-{number:03}"), number, play, url) for number in range(1, tables + 1)]


def _set_up_table(floor: Path, topics: Topics, number: int, play: FloorPlay, url: str) -> Path:
    folder = floor / topics.table
    try:
        folder.mkdir()
    except FileExistsError:
        raise ShoewatchError(f"{folder} is there already: name a folder without tables of an earlier floor") from None
    file = folder / "table.toml"
    procedure = play.procedures[(number - 1) % len(play.procedures)]
    file.write_text(table_toml(topics, procedure, _devices(folder, topics.table, procedure, number, play), url))
    return file


def _devices(folder: Path, name: str, procedure: str, number: int, play: FloorPlay) -> Devices:
    shoe = f"sim:{name}?{_parameters(folder, procedure, number, play)}"
    document = procedures().named(procedure)
    if document.family == "baccarat":
        return Devices(shoe)
    reader = f"sim:{name}" if document.deal is not None and document.deal.method == "peek" else None
    return Devices(shoe, reader, folder / "panel", folder.parent / _REGISTRY)


def _parameters(folder: Path, procedure: str, number: int, play: FloorPlay) -> str:
    from simulators.tempo import pace_of

    told: dict[str, object] = {
        "seed": play.seed + number - 1,
        "pace": round(pace_of(procedure, play.rate), 4),
        "withhold": 0,
    }
    if play.rounds is not None:
        told["rounds"] = play.rounds
    if play.misdeals:
        told |= {"faults": play.misdeals, "truth": folder / TRUTH}
    return urlencode(told, safe="/", quote_via=lambda text, *_: _plain(text))


def _plain(text: str) -> str:
    """A port's parameters are written as they are."""
    if "&" in text:
        raise ShoewatchError(f"{text}: a floor's folder can have no & in its name")
    return text
