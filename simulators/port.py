"""The simulated table inside the daemon's own process: the port `sim:NAME?seed=1&rounds=20&pace=0.2`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ProcedureError, ShoewatchError, did_you_mean
from simulators.dealer import is_blackjack, is_stud, refuse_undealt
from simulators.faults.menu import Fault, parse_faults
from simulators.faults.noise import NoisyLine, Part, Pause, Silence, Unplugged
from simulators.live.play import OF_READER, OF_SHOE, TablePlay
from simulators.live.shared import open_reader, open_table
from simulators.table import SHOE_FAULTS, SHOE_PROTOCOLS, Due, Moment, Play, set_out, shoe_protocol
from simulators.texts import at_least, between, one_of
from simulators.truth import TruthFile

_Parameter = tuple[str, Callable[[str], Any], str]
"""The field that it sets, how its text is read, what would be right."""


async def open_sim(target: str, params: Mapping[str, str]) -> Transport:
    """The line of a device at the table `target`; ShoewatchError for a bad parameter, LinkLost for a missing table.

    Parameters: `procedure`, `seed`, `rounds` (without: no end), `pace` (seconds a card), `faults` (share of rounds
    with a misdeal, 0-1), `withhold` (1: values come late, 0: at once), `protocol`, `misreads` (share of cards), `fault`
    (entries of the fault menu for the shoe and its line, with commas between them), `truth` (a file for what really
    happens).

    With a procedure of punto banco it is a new Angel Eye or Bee-Tek shoe, just switched on. With one of blackjack or
    stud it is the TDL/1 shoe of a table that stays, with more parameters: `panel` (the folder of the daemon's sockets),
    at blackjack `reader_faults` (share of the other rounds), `reader_fault` (of the menu, for the reader and its line)
    and `hurry` (divides the reader's delay), at stud `shoe_faults`.
    `device=reader` alone is the reader of a blackjack table."""
    match params.get("device", "shoe"):
        case "reader":
            _refuse_more(target, params)
            return open_reader(target)
        case device if device != "shoe":
            raise ShoewatchError(f"sim:{target}: device={device}: must be shoe or reader")
    procedure = params.get("procedure", Play().procedure)
    try:
        refuse_undealt(procedure)
    except ProcedureError as error:
        raise ShoewatchError(f"sim:{target}: {error}") from None
    known = _known(procedure, params.get("protocol"))
    settings = _settings(target, {name: text for name, text in params.items() if name != "device"}, known)
    truth = settings.pop("truth", None)
    if not _is_at_panel(procedure):
        return SimulatedShoe(Play(**settings), truth)
    panel = settings.pop("panel", None)
    return open_table(target, TablePlay(**settings), panel, truth or Path(os.devnull))


def _is_at_panel(procedure: str) -> bool:
    return is_blackjack(procedure) or is_stud(procedure)


def _known(procedure: str, protocol: str | None) -> Mapping[str, _Parameter]:
    if _is_at_panel(procedure):
        return _BLACKJACK if is_blackjack(procedure) else _STUD
    return _BEE_TEK if protocol == "bee-tek" else _PUNTO_BANCO


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

    Its shoe is there as long as its line: one that is unplugged is a new one when it is opened again. Line faults
    strike what it tells by itself; its replies come through unless nothing does."""

    def __init__(self, play: Play, truth: Path | None = None) -> None:
        schedule = play.schedule()
        self._shoe, dues = set_out(play, schedule)
        self._noise = NoisyLine(schedule, play.seed)
        self._truth = TruthFile(truth) if truth else None
        self._parts = _parts(dues, self._noise, self._truth)
        self._next: Part | None = None
        self._since = 0.0
        self._replies = bytearray()
        self._stirred = asyncio.Event()
        self._is_closed = self._has_ended = False

    async def read(self) -> Chunk:
        """The next report, three times over, when it is due, or a reply; a cancelled read loses nothing."""
        while not self._is_closed:
            if self._replies:
                return _chunk(self._take_replies())
            if sent := await self._comes():
                return _chunk(sent)
        raise self._lost()

    async def write(self, data: bytes) -> None:
        """The shoe hears it, unless it is deaf."""
        if self._is_closed:
            raise self._lost()
        match self._next:
            case Silence() | Pause(deaf=True):
                return
        self._replies += self._noise.replied(self._shoe.hear(self._noise.heard(data)))
        self._stirred.set()

    async def close(self) -> None:
        """Leave the table."""
        self._is_closed = True
        self._stirred.set()
        if self._truth:
            self._truth.close()

    async def _comes(self) -> bytes:
        """What comes over the line now; nothing where there was something to wait for."""
        if self._next is None:
            self._next, self._since = next(self._parts, None), asyncio.get_running_loop().time()
        match self._next:
            case None:
                self._has_ended = self._is_closed = True
            case Unplugged():
                self._is_closed = True
            case Silence():
                await self._stirs(None)
            case Pause(seconds=seconds):
                if not await self._stirs(self._since + seconds):
                    self._next = None
            case data:
                if not await self._stirs(self._since):
                    self._next = None
                    return data
        return b""

    async def _stirs(self, until: float | None) -> bool:
        """Whether something else happens before that time."""
        self._stirred.clear()
        try:
            async with asyncio.timeout_at(until):
                return await self._stirred.wait()
        except TimeoutError:
            return False

    def _take_replies(self) -> bytes:
        replies, self._replies = bytes(self._replies), bytearray()
        return replies

    def _lost(self) -> LinkLost:
        if self._has_ended:
            return LinkLost("ended", "the last round is dealt")
        return LinkLost("gone", "the simulated table was left")


def _chunk(data: bytes) -> Chunk:
    return Chunk(data, time.monotonic_ns())


def _parts(dues: Iterator[Due], noise: NoisyLine, truth: TruthFile | None) -> Iterator[Part]:
    """What comes over the line, one thing after the other, each in `truth` before."""
    for due in dues:
        match due:
            case Pause():
                yield due
            case Moment():
                if due.away:
                    yield Unplugged(due.away)
                line, parts = noise.carry(due.sent) if due.sent else (None, ())
                if truth:
                    truth.tell(due, heard=True, line=line)
                yield from (part for part in parts if part)
    if truth:
        truth.finished()
    if rest := noise.rest():
        yield rest


def _menu(names: Collection[str]) -> Callable[[str], tuple[Fault, ...]]:
    return lambda text: parse_faults(text.split(","), names)


def _yes_or_no(text: str) -> bool:
    return _zero_or_one(text) == "1"


_share: Final = between(0, 1)
_zero_or_one: Final = one_of("0", "1")
_OF_MENU: Final = "entries of the fault menu"
_EVERYWHERE: Final[Mapping[str, _Parameter]] = {
    "procedure": ("procedure", str, "a procedure"),
    "seed": ("seed", int, "a whole number"),
    "rounds": ("rounds", at_least(1), "a whole number from 1"),
    "pace": ("pace", between(0, 3600), "seconds, 0 to 3600"),
    "faults": ("misdeals", _share, "a share, 0 to 1"),
    "withhold": ("withhold", _yes_or_no, "0 or 1"),
    "truth": ("truth", Path, "a file"),
}
_PUNTO_BANCO: Final[Mapping[str, _Parameter]] = {
    **_EVERYWHERE,
    "protocol": ("protocol", shoe_protocol, " or ".join(SHOE_PROTOCOLS)),
    "misreads": ("misreads", _share, "a share, 0 to 1"),
    "fault": ("faults", _menu(SHOE_FAULTS["angel-eye"]), _OF_MENU),
}
_BEE_TEK: Final[Mapping[str, _Parameter]] = {
    **_PUNTO_BANCO,
    "fault": ("faults", _menu(SHOE_FAULTS["bee-tek"]), _OF_MENU),
}
_AT_PANEL: Final[Mapping[str, _Parameter]] = {
    **_EVERYWHERE,
    "panel": ("panel", Path, "a folder"),
    "fault": ("faults", _menu(OF_SHOE), _OF_MENU),
}
_BLACKJACK: Final[Mapping[str, _Parameter]] = {
    **_AT_PANEL,
    "reader_faults": ("reader_faults", _share, "a share, 0 to 1"),
    "reader_fault": ("reader_faulty", _menu(OF_READER), _OF_MENU),
    "hurry": ("hurry", between(1, 1000), "a number from 1"),
}
_STUD: Final[Mapping[str, _Parameter]] = {**_AT_PANEL, "shoe_faults": ("shoe_faults", _share, "a share, 0 to 1")}
