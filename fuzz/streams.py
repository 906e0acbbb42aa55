"""What must hold of a decoder of a stream, sans-I/O: it never raises, how the stream was cut does not matter, it keeps
little, and what is whole behind garbage is found: of two at least the second."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from protocols.device_session import Heard
from protocols.hidden import Hidden, opened_text
from protocols.line_session import Decoder

_LONGEST_CUT: Final = 300


def in_full(report: Any) -> object:
    """A report with all that it tells, also what lies face down."""
    told = (getattr(report, each.name) for each in fields(report))
    return type(report), *(opened_text(value) if isinstance(value, Hidden) else value for value in told)


@dataclass(frozen=True, slots=True)
class Stream:
    """`good`: a whole report; `keeps`: how many bytes the decoder may hold on to; `unit`: what is read comes in
    multiples of so many bytes; `shown`: what of a report does not depend on the cuts; `counted`: which counters."""

    decoder: Callable[[], Decoder[Any]]
    good: bytes
    keeps: int
    take: Callable[[], Callable[[Heard[Any]], object]] | None = None
    unit: int = 1
    shown: Callable[[Any], object] = in_full
    counted: Callable[[Any], object] = lambda counters: counters

    def check(self, data: bytes) -> None:
        """AssertionError where it does not hold of these bytes."""
        whole = self._decoded([data])
        for cuts in (self._smallest(data), self._at_random(data)):
            assert self._decoded(cuts) == whole, "it depends on how the stream was cut"
        self._check_what_follows(data)
        if self.take:
            take = self.take()
            for report in self.decoder().feed(data):
                take(Heard(report))

    def _decoded(self, chunks: Sequence[bytes]) -> tuple[list[object], object]:
        decoder = self.decoder()
        shown = []
        for chunk in chunks:
            shown += [self.shown(report) for report in decoder.feed(chunk)]
            assert _held(decoder) <= self.keeps + len(chunk), "it keeps too much"
        return shown, self.counted(decoder.counters)

    def _check_what_follows(self, data: bytes) -> None:
        decoder = self.decoder()
        decoder.feed(data)
        found = [report for _ in range(2) for report in decoder.feed(self.good)]
        [alone] = self.decoder().feed(self.good)
        assert found, "nothing is found behind garbage"
        assert self.shown(found[-1]) == self.shown(alone), "what is whole is not found behind garbage"

    def _smallest(self, data: bytes) -> list[bytes]:
        return [data[at : at + self.unit] for at in range(0, len(data), self.unit)]

    def _at_random(self, data: bytes) -> list[bytes]:
        return list(_cut(data, random.Random(data), self.unit))  # noqa: S311


def _cut(data: bytes, rng: random.Random, unit: int) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        end = at + unit * rng.randint(0, rng.choice((2, 20, _LONGEST_CUT)))
        yield data[at:end]
        at = end


def _held(decoder: object) -> int:
    """How many bytes and characters it holds."""
    return sum(len(value) for value in vars(decoder).values() if isinstance(value, bytes | bytearray | str))
