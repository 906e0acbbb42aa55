"""Seeded evenings on an Angel Eye's line: a simulated table with misdeals, errors, settings, a lock and repeats.

A noisy evening also has spoiled bytes, draws that come only as retransmissions, and coups that are forced to quit."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor

from angel_frames import frame
from angel_story import Sent, result
from line_noise import noisy_line

from protocols.recording import Read, Recording
from simulators.acts import Dealt, Result
from simulators.table import Moment, Play, played

ROUNDS = {"pb-nj": 95, "pb-fr": 75}
"""More coups than the cards of one shoe give."""
LASTS_S = 2.0
_FRAME = re.compile(rb"\x05([0-9])(.)([^\x03\x05]*)\x03(?=(..))", re.DOTALL)
_FORCED_QUIT = 7


@dataclass(frozen=True, slots=True)
class Evening:
    """`codes`: the violations in it, where it is not noisy."""

    procedure: str
    recording: Recording
    codes: Counter[str]


def evening(seed: int, *, withhold: bool, noisy: bool) -> Evening:
    dice = random.Random(seed)
    procedure = "pb-fr" if seed // 2 % 2 else "pb-nj"
    moments = list(played(Play(procedure, seed, ROUNDS[procedure], 0.0, 0.3, withhold)))
    line = noisy_line(seed, 0.04 if noisy else 0.0)
    sent = [part for report in _numbered(_disturbed(moments, dice, noisy)) for part in line.carry(report)[1]]
    stream = b"".join([*(part for part in sent if isinstance(part, bytes)), line.rest()])
    return Evening(procedure, recording(stream, dice), Counter(moment.code for moment in moments if moment.code))


def recording(stream: bytes, dice: random.Random) -> Recording:
    """The bytes as reads of any size, spread over `LASTS_S`."""
    reads, at = [], 0
    while at < len(stream):
        size = dice.randint(1, 80)
        reads.append(Read(LASTS_S * at / len(stream), "<", stream[at : at + size]))
        at += size
    return Recording({"device": "angel-eye"}, tuple(reads))


def received(recording: Recording) -> list[tuple[int, str, bytes]]:
    """Digit, code and payload of each report that a host can read, the repeats dropped."""
    stream = b"".join(read.data for read in recording.reads)
    whole = [match for match in _FRAME.finditer(stream) if b"%02X" % reduce(xor, match[0][1:]) == match[4]]
    reports = [(int(match[1]), match[2].decode("latin-1"), match[3]) for match in whole]
    return [report for before, report in zip([None, *reports], reports, strict=False) if report != before]


def _disturbed(moments: list[Moment], dice: random.Random, noisy: bool) -> Iterator[Sent]:
    for moment in moments:
        sent = [(match[2].decode("latin-1"), match[3]) for match in list(_FRAME.finditer(moment.sent))[::3]]
        if noisy and dice.random() < 0.03:
            sent = list(_odd(moment, sent))
        yield from sent
        if sent and dice.random() < 0.05:
            yield from dice.choice(_ASIDES)
        if isinstance(moment.act, Dealt) and dice.random() < 0.05:
            yield "R", sent[-1][1]


def _odd(moment: Moment, sent: list[Sent]) -> Iterator[Sent]:
    match moment.act:
        case Dealt():
            yield "R", sent[-1][1]
        case Result():
            yield result(_FORCED_QUIT)
        case _:
            yield from sent


_ASIDES: list[list[Sent]] = [
    *([("E", bytes([0x80 | error])), ("e", bytes([0x80 | error]))] for error in range(1, 8) if error != 2),
    [("L", b"\x81"), ("L", b"\x80")],
    [("M", b"120001")],
    [("X", b"\x80")],
]


def _numbered(sent: Iterator[Sent]) -> Iterator[bytes]:
    digit = 0
    for code, payload in sent:
        digit = 0 if code == "S" else digit % 9 + 1
        yield frame(digit, code, payload) * 3
