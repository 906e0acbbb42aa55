"""A scenario: what is played, which faults strike at which device, and, for whoever tests it, what has to follow."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from protocols.errors import ShoewatchError, did_you_mean
from protocols.texts import TextError, read_toml
from simulators.faults.menu import Fault, parse_faults
from simulators.live.play import OF_READER, OF_SHOE, ByHand, TablePlay
from simulators.table import SHOE_FAULTS, Play, ShoeProtocol, shoe_protocol

_TABLES: Final = ("play", "shoe", "reader", "expect")
_NUMBER: Final = (int, float)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Of a value: its types, and for a number from where to where it may go."""

    types: type | tuple[type, ...]
    least: float = -math.inf
    most: float = math.inf

    def refusal(self, value: Any) -> str | None:
        """Why it is none of this kind."""
        if not isinstance(value, self.types) or (isinstance(value, bool) and self.types is not bool):
            return "is of the wrong kind"
        if isinstance(value, _NUMBER) and not self.least <= value <= self.most:
            return (
                f"must be {self.least:g} to {self.most:g}" if self.most < math.inf else f"must be from {self.least:g}"
            )
        return None


_EVERYWHERE: Final[Mapping[str, _Kind]] = {
    "procedure": _Kind(str),
    "seed": _Kind(int),
    "rounds": _Kind(int, 1),
    "pace": _Kind(_NUMBER, 0, 3600),
    "withhold": _Kind(bool),
}
_AT_SHOE: Final = {**_EVERYWHERE, "protocol": _Kind(str), "misreads": _Kind(_NUMBER, 0, 1)}
_OF_TABLE: Final = {"options": _Kind(dict), "hurry": _Kind(_NUMBER, 1, 1000), "by_hand": _Kind(str)}
_AT_TABLE: Final = {**_EVERYWHERE, **_OF_TABLE}


@dataclass(frozen=True, slots=True)
class Scenario:
    """`expect` is left to who plays it."""

    where: str
    about: str
    play: Mapping[str, Any]
    shoe: tuple[str, ...] = ()
    reader: tuple[str, ...] = ()
    expect: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_punto_banco(self) -> bool:
        """Whether it is played at a shoe alone; else with TDL/1 devices."""
        return _is_punto_banco(self.play)

    @property
    def protocol(self) -> ShoeProtocol:
        """What a shoe alone speaks; ShoewatchError where no shoe speaks that."""
        try:
            return shoe_protocol(self.play.get("protocol", Play().protocol))
        except ShoewatchError as error:
            raise ShoewatchError(f"{self.where}: [play] {error}") from None

    def of_shoe(self) -> Play:
        """The play of a punto banco shoe; ShoewatchError where the scenario is none of these."""
        if not self.is_punto_banco:
            raise ShoewatchError(f"{self.where}: {self.play['procedure']} is played at a whole table (sim table)")
        spoken = self.protocol
        return Play(**{**self.play, "protocol": spoken}, faults=self._faults("shoe", self.shoe, SHOE_FAULTS[spoken]))

    def of_table(self) -> TablePlay:
        """The play of a table of blackjack or stud; ShoewatchError where the scenario is none of these."""
        if self.is_punto_banco:
            raise ShoewatchError(f"{self.where}: {self.play['procedure']} is played at a shoe alone (sim shoe)")
        shoe, reader = self._faults("shoe", self.shoe, OF_SHOE), self._faults("reader", self.reader, OF_READER)
        return TablePlay(**self.play, faults=shoe, reader_faulty=reader)

    def _faults(self, device: str, texts: Collection[str], names: Collection[str]) -> tuple[Fault, ...]:
        try:
            return parse_faults(texts, names)
        except ShoewatchError as error:
            raise ShoewatchError(f"{self.where}: [{device}] {error}") from None


def read_scenario(path: Path) -> Scenario:
    """A scenario's file; ShoewatchError names what is wrong in it."""
    try:
        told = read_toml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ShoewatchError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ShoewatchError(f"{path}: no UTF-8 at byte {error.start}") from None
    except TextError as error:
        raise ShoewatchError(f"{path}: is no TOML: {error}") from None
    for name in told.keys() - {"about", *_TABLES}:
        raise ShoewatchError(f"{path}: unknown {name!r}{did_you_mean(name, _TABLES)}")
    for name in _TABLES:
        if not isinstance(told.get(name, {}), dict):
            raise ShoewatchError(f"{path}: {name} is no section (right would be a line [{name}])")
    play = told.get("play", {})
    _check_play(path, play)
    shoe, reader = (_texts(path, device, told.get(device, {})) for device in ("shoe", "reader"))
    return Scenario(str(path), str(told.get("about", "")), play, shoe, reader, told.get("expect", {}))


def _is_punto_banco(play: Mapping[str, Any]) -> bool:
    return str(play["procedure"]).startswith("pb-")


def _check_play(path: Path, play: Mapping[str, Any]) -> None:
    if "procedure" not in play:
        raise ShoewatchError(f"{path}: [play] names no procedure")
    known = _AT_SHOE if _is_punto_banco(play) else _AT_TABLE
    for name, value in play.items():
        if name not in known:
            raise ShoewatchError(f"{path}: [play] unknown {name!r}{did_you_mean(name, known)}")
        if why := known[name].refusal(value):
            raise ShoewatchError(f"{path}: [play] {name} = {value!r} {why}")
    if play.get("by_hand", "nothing") not in get_args(ByHand):
        raise ShoewatchError(f"{path}: [play] by_hand is one of {', '.join(get_args(ByHand))}")


def _texts(path: Path, device: str, told: Mapping[str, Any]) -> tuple[str, ...]:
    faults = told.get("faults", [])
    if told.keys() - {"faults"} or not (isinstance(faults, list) and all(isinstance(text, str) for text in faults)):
        raise ShoewatchError(f'{path}: [{device}] holds faults = ["NAME[:VALUE][@WHEN]", ...] and nothing else')
    return tuple(faults)
