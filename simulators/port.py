"""The simulated table inside the daemon's own process: the port `sim:NAME?seed=1&rounds=20&pace=0.2`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from firmware_bridge.transport import Chunk, LinkLost, Transport
from protocols.errors import ShoewatchError, did_you_mean
from simulators.dealer import is_blackjack, is_stud
from simulators.live.play import TablePlay
from simulators.live.shared import open_reader, open_table
from simulators.table import SHOE_PROTOCOLS, Due, Play, Shoe, ShoeProtocol, set_out

_Parameter = tuple[str, Callable[[str], Any], str]
"""The field that it sets, how its text is read, what would be right."""


async def open_sim(target: str, params: Mapping[str, str]) -> Transport:
    """The line of a device at the table `target`; ShoewatchError for a bad parameter, LinkLost for a missing table.

    Parameters: `procedure`, `seed`, `rounds` (without: no end), `pace` (seconds a card), `faults` (share of rounds
    with a misdeal, 0-1), `withhold` (1: values come late, 0: at once), `protocol`, `misreads` (share of cards).

    With a procedure of punto banco it is a new Angel Eye or Bee-Tek shoe, just switched on. With one of blackjack or
    stud it is the TDL/1 shoe of a table that stays, with more parameters: `panel` (the folder of the daemon's sockets),
    at blackjack `reader_faults` (share of the other rounds) and `hurry` (divides the reader's delay), at stud
    `shoe_faults`.
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
        return SimulatedShoe(*set_out(Play(**settings)))
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
    """The transport to a simulated shoe; it ends, kind `ended`, after the last report of the last round."""

    def __init__(self, shoe: Shoe, dues: Iterator[Due]) -> None:
        self._shoe = shoe
        self._dues = dues
        self._next = next(dues, None)
        self._due = asyncio.get_running_loop().time()
        self._replies = bytearray()
        self._stirred = asyncio.Event()
        self._is_closed = False

    async def read(self) -> Chunk:
        """The next report, three times over, when it is due, or a reply; a cancelled read loses nothing."""
        while not self._is_closed:
            if self._replies:
                return self._chunk(self._take_replies())
            if self._next is None:
                self._is_closed = True
                break
            if await self._is_due() and (sent := self._happens(self._next)):
                return self._chunk(sent)
        raise self._lost()

    async def write(self, data: bytes) -> None:
        """The shoe hears it."""
        if self._is_closed:
            raise self._lost()
        self._replies += self._shoe.hear(data)
        self._stirred.set()

    async def close(self) -> None:
        """Leave the table."""
        self._is_closed = True
        self._stirred.set()

    async def _is_due(self) -> bool:
        """Wait for the next act, unless something else happens."""
        self._stirred.clear()
        try:
            async with asyncio.timeout_at(self._due):
                await self._stirred.wait()
        except TimeoutError:
            return True
        return False

    def _happens(self, due: Due) -> bytes:
        self._next = next(self._dues, None)
        self._due = asyncio.get_running_loop().time() + (self._next.pause if self._next else 0.0)
        return due.happens(self._shoe).sent

    def _take_replies(self) -> bytes:
        replies, self._replies = bytes(self._replies), bytearray()
        return replies

    def _chunk(self, data: bytes) -> Chunk:
        return Chunk(data, time.monotonic_ns())

    def _lost(self) -> LinkLost:
        if self._next is None:
            return LinkLost("ended", "the last round is dealt")
        return LinkLost("gone", "the simulated table was left")


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


_share: Final = _between(0, 1)


def _yes_or_no(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError
    return text == "1"


def _protocol(text: str) -> ShoeProtocol:
    for known in SHOE_PROTOCOLS:
        if text == known:
            return known
    raise ValueError


_EVERYWHERE: Final[Mapping[str, _Parameter]] = {
    "procedure": ("procedure", str, "a procedure"),
    "seed": ("seed", int, "a whole number"),
    "rounds": ("rounds", _at_least(1), "a whole number from 1"),
    "pace": ("pace", _between(0, 3600), "seconds, 0 to 3600"),
    "faults": ("misdeals", _share, "a share, 0 to 1"),
    "withhold": ("withhold", _yes_or_no, "0 or 1"),
}
_PUNTO_BANCO: Final[Mapping[str, _Parameter]] = {
    **_EVERYWHERE,
    "protocol": ("protocol", _protocol, " or ".join(SHOE_PROTOCOLS)),
    "misreads": ("misreads", _share, "a share, 0 to 1"),
}
_AT_PANEL: Final[Mapping[str, _Parameter]] = {**_EVERYWHERE, "panel": ("panel", Path, "a folder")}
_BLACKJACK: Final[Mapping[str, _Parameter]] = {
    **_AT_PANEL,
    "reader_faults": ("reader_faults", _share, "a share, 0 to 1"),
    "hurry": ("hurry", _between(1, 1000), "a number from 1"),
}
_STUD: Final[Mapping[str, _Parameter]] = {**_AT_PANEL, "shoe_faults": ("shoe_faults", _share, "a share, 0 to 1")}
