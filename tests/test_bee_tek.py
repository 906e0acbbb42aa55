"""The Bee-Tek shoe: its lines, what they become at the table, and the simulated shoe that says them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import Card
from protocols.device_session import Heard
from protocols.events import CardDrawn, LogGap
from protocols.hidden import Hidden, opened
from protocols.intake.bee_tek import BeeTekIntake
from protocols.line_session import Returned
from protocols.records import DeviceReported, Fact
from protocols.wire.bee_tek import (
    LINE_MAX,
    AlarmRaised,
    BeeTekDecoder,
    CardRead,
    Counters,
    Garbled,
    Report,
    UnknownFrame,
    Warned,
)
from simulators import acts
from simulators.bee_tek_shoe import BeeTekShoe

GAME, BURN = "Game", "Manual Burn Cards"

LINES: dict[str, tuple[str, list[Any], Counters]] = {
    "a card": ("[Game]<Card:4S>\r\n", [(GAME, "4s")], Counters()),
    "a ten": (" [Manual Burn Cards]<Card:TH> \r\n", [(BURN, "Th")], Counters()),
    "a ten of two characters": ("[Game]<Card:10d>\r\n", [(GAME, "Td")], Counters()),
    "a line feed alone": ("[Game]<Card:KC>\n", [(GAME, "Kc")], Counters()),
    "a card that was not read": ("[Game]<Game>\r\n", [(GAME, None)], Counters()),
    "the same in the other mode": ("[Manual Burn Cards]<Game>\r\n", [(BURN, None)], Counters()),
    "a value that is none": ("[Game]<Card:1S>\r\n", [(GAME, None)], Counters(malformed=1)),
    "an alarm": ("[GameAlarm]<Alarm:E3 Card Not Read>\r\n", [AlarmRaised("E3", "Card Not Read")], Counters()),
    "an alarm of the game": ("[Game]<Alarm:Lid>\r\n", [AlarmRaised(None, "Lid")], Counters()),
    "a warning": ("<W0x1f>\r\n", [Warned(0x1F)], Counters()),
    "two frames": ("[Game]<Card:4S> [Game]<Card:4S>\r\n", [(GAME, "4s")] * 2, Counters()),
    "the card once more": ("[Game]<Card:4S>4S\r\n", [(GAME, "4s")], Counters(echoes=1)),
    "the card once more on a line": ("[Game]<Card:4S>\r\n4S\r\n", [(GAME, "4s")], Counters(echoes=1)),
    "the card twice more": ("[Game]<Card:4S>4S\r\n4S\r\n", [(GAME, "4s"), Garbled(2)], Counters(2, echoes=1)),
    "another card's characters": ("[Game]<Card:4S>5S\r\n", [(GAME, "4s"), Garbled(2)], Counters(discarded=2)),
    "a frame of another kind": ("[Game]<Winner:P>\r\n", [UnknownFrame(16)], Counters(malformed=1)),
    "a mode of another kind": ("[Diagnostic]<Card:4S>\r\n", [UnknownFrame(21)], Counters(malformed=1)),
    "half a frame": ("me]<Card:4S>\r\n", [Garbled(12)], Counters(discarded=12)),
    "empty lines": ("\r\n\r\n \r\n", [], Counters()),
    "what has not ended": ("[Game]<Card:4S>", [], Counters()),
}
pieces = st.one_of(
    st.sampled_from([text.encode() for text, _, _ in LINES.values()]),
    st.binary(max_size=20),
    st.integers(LINE_MAX - 2, 3 * LINE_MAX).map(lambda length: b"x" * length),
)


def decoded(*chunks: bytes) -> tuple[list[Report], Counters]:
    decoder = BeeTekDecoder()
    return [report for chunk in chunks for report in decoder.feed(chunk)], decoder.counters


def shown(report: Report) -> object:
    if not isinstance(report, CardRead):
        return report
    return report.mode, str(opened(report.card)) if report.card else None


@pytest.mark.parametrize("name", LINES)
def test_a_line(name: str) -> None:
    text, expected, counted = LINES[name]
    reports, counters = decoded(text.encode())
    assert [shown(report) for report in reports] == expected
    assert counters == counted


@pytest.mark.parametrize("length", [LINE_MAX + 1, 5000])
def test_a_line_that_does_not_end_is_dropped_up_to_its_end(length: int) -> None:
    reports, counters = decoded(*[b"x"] * length, b"yy\r\n[Game]<Card:4S>\r\n")
    assert [type(report) for report in reports] == [Garbled, CardRead]
    assert counters == Counters(discarded=length + 4, overlong=1)


def test_nothing_is_kept_of_a_flood() -> None:
    decoder = BeeTekDecoder()
    for _ in range(100):
        decoder.feed(b"z" * 10_000)
    assert len(repr(vars(decoder))) < 1000
    assert decoder.counters == Counters(discarded=1_000_000, overlong=1)


@given(st.lists(pieces, max_size=12).map(b"".join), st.data())
def test_any_split_gives_the_same_cards(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    chunks = [stream[start:end] for start, end in pairwise([0, *cuts, len(stream)])]
    whole, counted = decoded(stream)
    for parts in (chunks, [bytes([byte]) for byte in stream]):
        reports, counters = decoded(*parts)
        assert _readable(reports) == _readable(whole)
        assert (counters.malformed, counters.echoes) == (counted.malformed, counted.echoes)


def _readable(reports: Sequence[Report]) -> list[object]:
    """How long garbage is depends on where an endless line was given up; that it stood there does not."""
    return [type(report) if isinstance(report, Garbled) else shown(report) for report in reports]


@given(st.lists(pieces, max_size=12).map(b"".join))
def test_after_any_garbage_the_next_line_is_read(garbage: bytes) -> None:
    reports, _ = decoded(garbage + b"\n[Game]<Card:QH>\r\n")
    assert shown(reports[-1]) == (GAME, "Qh")


def test_a_value_is_in_no_repr() -> None:
    reports, _ = decoded(b"[Game]<Card:4S>\r\n")
    assert "4" not in repr(reports)
    assert "'s'" not in repr(reports)


def taken(intake: BeeTekIntake, *said: str | Returned) -> list[str]:
    heard = [
        report for line in said for report in ([line] if isinstance(line, Returned) else decoded(line.encode())[0])
    ]
    return [brief(fact) for report in heard for fact in intake.take(Heard(report))]


def brief(fact: Fact) -> str:
    match fact:
        case CardDrawn(card=card):
            assert fact.to is None
            assert fact.ref is None
            return f"draw {opened(card) if isinstance(card, Hidden) else card}"
        case LogGap():
            return f"gap: {fact.reason}"
        case DeviceReported():
            return f"[{fact.report} {' '.join(str(value) for value in fact.data.values())}]"
    return str(fact)


START = ["gap: daemon started", "[mode Game]"]
CARD = "[Game]<Card:4S>\r\n"

TOLD: dict[str, tuple[list[str | Returned], list[str]]] = {
    "the first card comes after a gap": ([CARD, CARD], [*START, "draw 4s", "draw 4s"]),
    "a card that was not read": (
        ["[Game]<Game>\r\n[GameAlarm]<Alarm:E3 Card Not Read>\r\n"],
        [*START, "draw None", "[alarm E3 Card Not Read]"],
    ),
    "another mode": (
        [CARD, "[Manual Burn Cards]<Card:4S>\r\n"],
        [*START, "draw 4s", "[mode Manual Burn Cards]", "draw 4s"],
    ),
    "a lost line": ([CARD, Returned(1), CARD], [*START, "draw 4s", "gap: link lost", "draw 4s"]),
    "garbage": ([CARD, "??\r\n", "?\r\n", CARD], [*START, "draw 4s", "gap: characters that are no report", "draw 4s"]),
    "garbage while nothing is known": (["??\r\n", Returned(1), "<W0x02>\r\n"], ["gap: daemon started", "[warning 2]"]),
    "a frame that is not known": ([CARD, "[Game]<Winner:P>\r\n"], [*START, "draw 4s", "[unknown 16]"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_it_becomes(name: str) -> None:
    said, facts = TOLD[name]
    assert taken(BeeTekIntake(), *said) == facts


def test_the_simulated_shoe_says_what_the_decoder_reads() -> None:
    shoe = BeeTekShoe()
    dealt = [Card("4", "s"), Card("4", "s"), Card("T", "h")]
    happened: list[acts.Act] = [acts.Started(), *map(acts.Surplus, dealt), acts.CuttingCard()]
    said = [shoe.sends(act) for act in happened]
    reports, counters = decoded(*said)
    assert [shown(report) for report in reports] == [(GAME, str(card)) for card in dealt]
    assert counters == Counters(echoes=1)


def test_a_simulated_shoe_that_cannot_read() -> None:
    said = BeeTekShoe(misreads=1.0).sends(acts.Surplus(Card("4", "s")))
    reports, _ = decoded(said)
    assert [shown(report) for report in reports] == [(GAME, None), AlarmRaised("E3", "Card Not Read")]
