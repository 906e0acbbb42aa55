"""The USPC Bee-Tek shoe's line, sans I/O: lines of ASCII in, reports out, everything else counted.

    [Game]<Card:4S>   [Manual Burn Cards]<Card:TH>   [Game]<Game>   [GameAlarm]<Alarm:E3 Card Not Read>   <W0x01>

A line ends with CR LF. It has neither check nor number: a character that is damaged makes another card, a line that is
lost is not missed. In its game mode the shoe says the two characters of a card once more behind the first frame: they
are the same card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from protocols.cards import RANKS, Card
from protocols.hidden import Hidden, hide

LINE_MAX: Final = 128

_FRAME: Final = re.compile(r"\[([^\[\]<>]*)\]<([^\[\]<>]*)>|<W0x([0-9A-F]{1,8})>", re.IGNORECASE)
_CARD: Final = re.compile(rf"(10|[{RANKS}])([CDHS])", re.IGNORECASE)
_ALARM: Final = re.compile(r"alarm:\s*(E[0-9]+)?\s*([ -~]*)", re.IGNORECASE)
_MODES: Final = frozenset({"game", "manual burn cards"})


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card left the shoe, which was in this mode. None where its value was not read."""

    mode: str
    card: Hidden | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class AlarmRaised:
    """The shoe shows an alarm; `code` such as `E3`, None where it has none."""

    code: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """The shoe warns with this number."""

    code: int


@dataclass(frozen=True, slots=True)
class UnknownFrame:
    """A whole frame that says something not known here, in this many characters: nobody knows whether it is a card."""

    length: int


@dataclass(frozen=True, slots=True)
class Garbled:
    """Characters that are no frame, this many: there may have been a card among them."""

    length: int


Report = CardRead | AlarmRaised | Warned | UnknownFrame | Garbled


@dataclass(frozen=True, slots=True)
class Counters:
    """`discarded`: bytes in no frame; `overlong`: lines that did not end; `malformed`: frames that say nothing known;
    `echoes`: repetitions of a card."""

    discarded: int = 0
    overlong: int = 0
    malformed: int = 0
    echoes: int = 0


class BeeTekDecoder:
    """A stream of bytes, cut anywhere, to reports."""

    def __init__(self) -> None:
        self._rest = b""
        self._skips = False
        self._echo: str | None = None
        self._discarded = self._overlong = self._malformed = self._echoes = 0

    @property
    def counters(self) -> Counters:
        """What was not understood so far, and what was said twice."""
        return Counters(self._discarded, self._overlong, self._malformed, self._echoes)

    def feed(self, data: bytes) -> tuple[Report, ...]:
        """The reports of the lines that `data` ends; never raises."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        reports = [report for line in lines for report in self._line(line)]
        return (*reports, *self._cut())

    def _line(self, line: bytes) -> Iterator[Report]:
        if self._skips:
            self._skips = False
            self._discarded += len(line) + 1
        elif len(line) > LINE_MAX:
            yield self._too_long(len(line))
        else:
            yield from self._read(line.removesuffix(b"\r").decode("latin-1"))

    def _cut(self) -> Iterator[Report]:
        """Nothing is kept of a line that does not end."""
        if self._skips:
            self._discarded += len(self._rest)
            self._rest = b""
        elif len(self._rest) > LINE_MAX:
            self._skips = True
            yield self._too_long(len(self._rest))
            self._rest = b""

    def _too_long(self, length: int) -> Garbled:
        self._overlong += 1
        self._discarded += length
        self._echo = None
        return Garbled(length)

    def _read(self, line: str) -> Iterator[Report]:
        at = 0
        for frame in _FRAME.finditer(line):
            yield from self._between(line[at : frame.start()])
            yield self._framed(frame)
            at = frame.end()
        yield from self._between(line[at:])

    def _framed(self, frame: re.Match[str]) -> Report:
        self._echo = None
        mode, said, warning = frame.groups()
        if warning:
            return Warned(int(warning, 16))
        alarm = _ALARM.fullmatch(said)
        if alarm:
            return AlarmRaised(alarm[1] and alarm[1].upper(), alarm[2].strip())
        name, colon, value = said.partition(":")
        if mode.strip().lower() not in _MODES or name.strip().lower() not in ("card", "game"):
            self._malformed += 1
            return UnknownFrame(len(frame[0]))
        return CardRead(mode.strip(), self._value(value.strip()) if colon else None)

    def _value(self, text: str) -> Hidden | None:
        found = _CARD.fullmatch(text)
        if found is None:
            self._malformed += 1
            return None
        self._echo = text
        rank = "T" if found[1] == "10" else found[1].upper()
        return hide(Card(rank, found[2].lower()))

    def _between(self, text: str) -> Iterator[Report]:
        """What stands between two frames: blanks, the repetition of the card before, or garbage."""
        said = text.strip(" \t\r\0")
        if not said:
            return
        if said == self._echo:
            self._echo = None
            self._echoes += 1
            return
        self._echo = None
        self._discarded += len(said)
        yield Garbled(len(said))
