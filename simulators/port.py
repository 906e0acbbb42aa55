"""The simulated table inside the daemon's own process: the port `sim:NAME?seed=1&rounds=20&pace=0.2`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ShoewatchError, did_you_mean
from simulators.angel_faults import KNOWN
from simulators.dealer import is_blackjack, is_stud
from simulators.faults.menu import Fault, parse_faults
from simulators.faults.noise import NoisyLine, Part, Pause, Silence, Unplugged
from simulators.live.play import OF_READER, OF_SHOE, TablePlay
from simulators.live.shared import open_reader, open_table
from simulators.table import Moment, Play, played

_Parameter = tuple[str, Callable[[str], Any], str]
"""The field that it sets, how its text is read, what would be right."""


async def open_sim(target: str, params: Mapping[str, str]) -> Transport:
    """The line of a device at the table `target`; ShoewatchError for a bad parameter, LinkLost for a missing table.

    Parameters: `procedure`, `seed`, `rounds` (without: no end), `pace` (seconds a card), `faults` (share of rounds
    with a misdeal, 0-1), `withhold` (1: values come late, 0: at once), `fault` (entries of the fault menu for the shoe
    and its line, with commas between them).

    With a procedure of punto banco it is a new Angel Eye shoe, just switched on. With one of blackjack or stud it is
    the TDL/1 shoe of a table that stays, with more parameters: `panel` (the folder of the daemon's sockets), at
    blackjack `reader_faults` (share of the other rounds), `reader_fault` (of the menu, for the reader and its line) and
    `hurry` (divides the reader's delay), at stud `shoe_faults`.
    `device=reader` alone is the reader of a blackjack table."""
    match params.get("device", "shoe"):
        case "reader":
            _refuse_more(target, params)
            return open_reader(target)
        case device if device != "shoe":
            raise ShoewatchError(f"sim:{target}: device={device}: must be shoe or reader")
    procedure = params.get("procedure", Play().procedure)
    known = _known(procedure)
    settings = _settings(target, {name: text for name, text in params.items() if name != "device"}, known)
    if known is _PUNTO_BANCO:
        return SimulatedShoe(Play(**settings))
    panel = settings.pop("panel", None)
    return open_table(target, TablePlay(**settings), panel)


def _known(procedure: str) -> Mapping[str, _Parameter]:
    if is_blackjack(procedure):
        return _BLACKJACK
    return _STUD if is_stud(procedure) else _PUNTO_BANCO


def _refuse_more(target: str, params: Mapping[str, str]) -> None:
    for name in params.keys() - {"device"}:
        raise ShoewatchError(f"sim:{target}: {name} belongs to the shoe's port; the reader's takes device=reader alone")


def _settings(target: str, params: Mapping[str, str], known: Mapping[str, _Parameter]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for name, text in params.items():
        if name not in known:
            raise ShoewatchError(f"sim:{target}: unknown parameter {name!r}{did_you_mean(name, known)}")
        field, read, right = known[name]
        try:
            settings[field] = read(text)
        except ValueError:
            raise ShoewatchError(f"sim:{target}: {name}={text}: must be {right}") from None
    return settings


class SimulatedShoe:
    """The transport to a simulated shoe; it ends, kind `ended`, after the last report of the last round.

    Its shoe is there as long as its line: one that is unplugged is a new one when it is opened again."""

    def __init__(self, play: Play) -> None:
        schedule = play.schedule()
        self._parts = _parts(played(play, schedule), NoisyLine(schedule, play.seed))
        self._next: Part | None = None
        self._due = asyncio.get_running_loop().time()
        self._closed = asyncio.Event()
        self._ended = False

    async def read(self) -> Chunk:
        """The next report, three times over, when it is due; a cancelled read loses nothing."""
        while not self._closed.is_set():
            self._next = self._next or next(self._parts, None)
            match self._next:
                case None:
                    self._ended = True
                    self._closed.set()
                case Unplugged():
                    self._closed.set()
                case Silence():
                    await self._closed.wait()
                case Pause(seconds=seconds):
                    self._due, self._next = self._due + seconds, None
                case bytes() as data:
                    if await self._is_time():
                        self._due, self._next = asyncio.get_running_loop().time(), None
                        return Chunk(data, time.monotonic_ns())
        raise self._lost()

    async def write(self, data: bytes) -> None:  # noqa: ARG002
        """This shoe obeys no host: `data` goes nowhere."""
        if self._closed.is_set():
            raise self._lost()

    async def close(self) -> None:
        """Leave the table."""
        self._closed.set()

    def _lost(self) -> LinkLost:
        if self._ended:
            return LinkLost("ended", "the last round is dealt")
        return LinkLost("gone", "the simulated table was left")

    async def _is_time(self) -> bool:
        """Once it is; False where the table was left before."""
        try:
            async with asyncio.timeout_at(self._due):
                await self._closed.wait()
        except TimeoutError:
            return True
        return False


def _parts(moments: Iterator[Moment], noise: NoisyLine) -> Iterator[Part]:
    """What comes over the line, one thing after the other."""
    for moment in moments:
        if moment.away:
            yield Unplugged(moment.away)
        if moment.sent:
            yield Pause(moment.pause)
            yield from (part for part in noise.carry(moment.sent)[1] if part)
    if rest := noise.rest():
        yield rest


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if number < least:
            raise ValueError
        return number

    return read


def _between(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return read


def _menu(names: Collection[str]) -> Callable[[str], tuple[Fault, ...]]:
    return lambda text: parse_faults(text.split(","), names)


_share: Final = _between(0, 1)


def _yes_or_no(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


_PUNTO_BANCO: Final[Mapping[str, _Parameter]] = {
    "procedure": ("procedure", str, "a procedure"),
    "seed": ("seed", int, "a whole number"),
    "rounds": ("rounds", _at_least(1), "a whole number from 1"),
    "pace": ("pace", _between(0, 3600), "seconds, 0 to 3600"),
    "faults": ("misdeals", _share, "a share, 0 to 1"),
    "withhold": ("withhold", _yes_or_no, "0 or 1"),
    "fault": ("faults", _menu(KNOWN), "entries of the fault menu"),
}
_AT_PANEL: Final[Mapping[str, _Parameter]] = {
    **_PUNTO_BANCO,
    "panel": ("panel", Path, "a folder"),
    "fault": ("faults", _menu(OF_SHOE), "entries of the fault menu"),
}
_BLACKJACK: Final[Mapping[str, _Parameter]] = {
    **_AT_PANEL,
    "reader_faults": ("reader_faults", _share, "a share, 0 to 1"),
    "reader_fault": ("reader_faulty", _menu(OF_READER), "entries of the fault menu"),
    "hurry": ("hurry", _between(1, 1000), "a number from 1"),
}
_STUD: Final[Mapping[str, _Parameter]] = {**_AT_PANEL, "shoe_faults": ("shoe_faults", _share, "a share, 0 to 1")}
