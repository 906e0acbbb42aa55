"""The device side of the Angel Eye II-EX protocol, sans-I/O: what happens at the shoe becomes the bytes that it sends.

A report is ENQ digit code payload ETX and two check characters, sent three times. Bytes of the payload have bit 7
set. The digit is 0 on the start report, then 1 to 9 and 1 again (devices 3.1, decisions 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import xor
from typing import Final

from protocols.cards import Card
from simulators import acts
from simulators.angel_host import ACK, BUSY, FORMAT, OTHER, Command, HostEar, Wrong, answer, nak

_ENQ: Final = b"\x05"
_ETX: Final = b"\x03"
_BIT_7: Final = 0x80
_ERROR_MODE: Final = 0x40
_SENDS: Final = 3
_TARGETS: Final[Mapping[acts.Side, int]] = {"player": 0, "banker": 1}
_BURN, _BURN_FIRST, _BURN_COUNTED = 2, 4, 5
_SUITS: Final = {"d": 1, "c": 2, "s": 3, "h": 4}
_RANKS: Final = {rank: number for number, rank in enumerate("A23456789TJQK", start=1)}
_WINNERS: Final[Mapping[acts.Winner, int]] = {"player": 1, "tie": 2, "banker": 4}
_WITHHELD: Final = bytes([_BIT_7])
_OVER_DRAW: Final = 2
_LOCK_MODE: Final = 0


def frame(digit: int, code: bytes, payload: bytes = b"") -> bytes:
    """One report as it stands on the line."""
    body = b"%d" % digit + code + payload + _ETX
    return _ENQ + body + b"%02X" % reduce(xor, body)


def slot(target: int, index: int) -> bytes:
    """Where a card went; ValueError where the shoe has no such slot."""
    return bytes([_BIT_7 | target << 4 | index])


def value(card: Card) -> bytes:
    """Suit and rank of a card; a suit that is not known is 0."""
    return bytes([_BIT_7 | _SUITS.get(card.suit or "", 0) << 4 | _RANKS[card.rank]])


def result(act: acts.Result) -> bytes:
    """Who won, and the pairs: bit 0 player, bit 1 banker."""
    return bytes([_BIT_7 | _WINNERS[act.winner] << 4 | act.banker_pair << 1 | act.player_pair])


class AngelShoe:
    """One shoe. With `withhold` the values of a coup come in reveals just before its result, else with each card.

    `locked`: whether it lets no card out into a game; `errors`: those that are set; `busy`: it takes no command."""

    def __init__(self, *, withhold: bool, check_covers_stx: bool = True) -> None:
        self._withhold = withhold
        self._ear = HostEar(check_covers_stx=check_covers_stx)
        self._digit = 0
        self._to_reveal: list[bytes] = []
        self.locked = False
        self.busy = False
        self.errors: set[int] = set()

    def sends(self, act: acts.Act | acts.Trouble) -> bytes:
        """What the shoe sends when `act` happens; nothing where it senses nothing."""
        return self._framed(self._reports(act))

    def hear(self, data: bytes) -> bytes:
        """What the shoe sends when its host says something: the reply, then what has changed."""
        return b"".join(self._obey(heard) for heard in self._ear.hear(data))

    def _framed(self, reports: Iterable[tuple[bytes, bytes]]) -> bytes:
        return b"".join(frame(self._next_digit(code), code, payload) * _SENDS for code, payload in reports)

    def _obey(self, heard: Command | Wrong) -> bytes:
        match heard:
            case Wrong(reason):
                return nak(reason)
            case _ if self.busy:
                return nak(BUSY)
            case Command("LK", 1 | 2 as number):
                return ACK + self._framed(self._lock(locked=number == 2))
            case Command("EC", number) if number in self.errors:
                return ACK + self._framed(self._clear(number))
            case Command("EC"):
                return nak(OTHER)
            case Command("GP", 0):
                return answer(b"GP00")
            case _:
                return nak(FORMAT)

    def _lock(self, *, locked: bool) -> Iterator[tuple[bytes, bytes]]:
        if locked != self.locked:
            self.locked = locked
            yield b"L", bytes([_BIT_7 | locked])

    def _clear(self, error: int) -> Iterator[tuple[bytes, bytes]]:
        if error in self.errors:
            self.errors.remove(error)
            yield b"e", bytes([_BIT_7 | error])

    def _next_digit(self, code: bytes) -> int:
        self._digit = 0 if code == b"S" else self._digit % 9 + 1
        return self._digit

    def _reports(self, act: acts.Act | acts.Trouble) -> Iterator[tuple[bytes, bytes]]:
        match act:
            case acts.Started():
                self.errors.clear()
                yield b"S", b""
            case acts.BurnFirst():
                yield b"D", slot(_BURN_FIRST, 0) + value(act.card)
            case acts.BurnCounted():
                yield b"D", slot(_BURN_COUNTED, act.left) + value(act.card)
            case acts.CuttingCard():
                yield b"C", b""
            case acts.StandBy():
                yield b"P", b""
            case acts.ErrorBegun():
                self.errors.add(act.code)
                yield b"E", bytes([_BIT_7 | _ERROR_MODE | act.code])
            case acts.ErrorOver():
                yield from self._clear(act.code)
            case _:
                yield from self._reports_of_coup(act)

    def _reports_of_coup(self, act: acts.Act | acts.Trouble) -> Iterator[tuple[bytes, bytes]]:
        match act:
            case acts.Dealt() | acts.Unread() if self.locked:
                yield b"d", slot(_LOCK_MODE, 0) + _WITHHELD
            case acts.Dealt():
                yield b"D", self._placed(slot(_TARGETS[act.side], act.index), act.card)
            case acts.Unread():
                yield b"D", slot(_TARGETS[act.side], act.index) + _WITHHELD
            case acts.Carried():
                yield b"R", self._placed(slot(_TARGETS["player"], 1), act.card)
            case acts.Surplus():
                self.errors.add(_OVER_DRAW)
                yield b"E", bytes([_BIT_7 | _OVER_DRAW])
                yield b"d", slot(_BURN, 0) + _WITHHELD
            case acts.SurplusShown():
                yield b"i", slot(_TARGETS["player"], 1) + value(act.card)
            case acts.SurplusCleared():
                yield from self._clear(_OVER_DRAW)
            case acts.Result():
                yield from ((b"I", revealed) for revealed in self._to_reveal)
                self._to_reveal = []
                yield b"G", result(act)

    def _placed(self, place: bytes, card: Card) -> bytes:
        if not self._withhold:
            return place + value(card)
        self._to_reveal.append(place + value(card))
        return place + _WITHHELD
