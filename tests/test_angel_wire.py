"""The Angel Eye's line: the published frames, the recording of a real shoe, garbage, any split of the bytes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import angel_frames as wire
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import Card
from protocols.hidden import Hidden, opened
from protocols.recording import parse_recording
from protocols.wire.angel_eye import (
    AngelEyeDecoder,
    Counters,
    CuttingCard,
    Drawn,
    DrawnOutside,
    ErrorCleared,
    ErrorSet,
    LockChanged,
    Report,
    ResultGiven,
    Retransmitted,
    Revealed,
    SettingChanged,
    Slot,
    Started,
    StoodBy,
    SurplusRevealed,
    UnknownReport,
)

RECORDING_1 = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"

VECTORS: list[tuple[str, type[Report], dict[str, Any]]] = [
    ("05 31 44 c0 a2 03 31 34", Drawn, {"slot": Slot("first_card", 0), "card": Card("2", "c")}),
    ("05 32 44 d1 9b 03 33 46", Drawn, {"slot": Slot("counted_burn", 1), "card": "Jd"}),
    ("05 33 44 d0 a2 03 30 36", Drawn, {"slot": Slot("counted_burn", 0), "card": "2c"}),
    ("05 39 45 82 03 46 44", ErrorSet, {"error": 2, "error_mode": False}),
    ("05 31 45 c7 03 42 30", ErrorSet, {"error": 7, "error_mode": True}),
    ("05 32 64 a0 80 03 37 35", DrawnOutside, {"card": None}),
    ("05 33 69 81 b7 03 36 46", SurplusRevealed, {"card": Card("7", "s")}),
    ("05 34 65 82 03 44 30", ErrorCleared, {"error": 2}),
    ("05 38 52 81 80 03 36 38", Retransmitted, {"slot": Slot("player", 1), "card": None}),
    ("05 32 43 03 37 32", CuttingCard, {}),
    ("05 33 4c 81 03 46 44", LockChanged, {"locked": True}),
    ("05 34 47 f0 03 38 30", ResultGiven, {"outcome": "forced_quit"}),
    ("05 35 4d 31 32 30 30 30 31 03 37 39", SettingChanged, {"address": "12", "value": "0001"}),
]
OTHERS: list[tuple[bytes, type[Report], dict[str, Any]]] = [
    (wire.frame(0, "S"), Started, {}),
    (wire.frame(3, "P"), StoodBy, {}),
    (wire.frame(3, "L", b"\x80"), LockChanged, {"locked": False}),
    (wire.placed(1, "D", wire.BURN, 0, "Kh"), Drawn, {"slot": Slot("burn", 0), "card": "Kh"}),
    (wire.placed(1, "D", wire.PLAYER, 3, "Kh"), Drawn, {"slot": Slot("player", 3), "card": "Kh"}),
    (wire.placed(1, "R", wire.BANKER, 2, "A"), Retransmitted, {"slot": Slot("banker", 2), "card": "A"}),
    (wire.placed(1, "d", wire.BURN, 0, "Ts"), DrawnOutside, {"card": "Ts"}),
    (wire.placed(1, "I", wire.BANKER, 1, "9d"), Revealed, {"slot": Slot("banker", 1), "card": Card("9", "d")}),
    (wire.result(1, "player"), ResultGiven, {"outcome": "player"}),
    (wire.result(1, "tie"), ResultGiven, {"outcome": "tie"}),
    (wire.frame(1, "G", b"\xc3"), ResultGiven, {"outcome": "banker"}),
]
MALFORMED = [
    wire.frame(1, "Q"),
    wire.frame(1, "D"),
    wire.frame(1, "D", b"\x81"),
    wire.frame(1, "D", b"\x81\x80\x80"),
    wire.frame(1, "D", b"\x80\x80"),
    wire.frame(1, "D", b"\xb1\x80"),
    wire.frame(1, "D", b"\x81\x21"),
    wire.frame(1, "G", b"\xb0"),
    wire.frame(1, "S", b"\x80"),
    wire.frame(1, "M", b"\xb1" * 6),
    wire.frame(1, "\xff"),
]
GOOD = [bytes.fromhex(text) for text, _, _ in VECTORS] + [frame for frame, _, _ in OTHERS]

noise = st.one_of(
    st.binary(max_size=12),
    st.lists(st.sampled_from(b"\x05\x03\x02\x06\x1517DdIRG0AF\x80\x81\xa2"), max_size=40).map(bytes),
    st.sampled_from(GOOD).flatmap(lambda good: st.integers(1, len(good) - 1).map(lambda end: good[:end])),
)
pieces = st.one_of(noise, st.sampled_from(GOOD), st.sampled_from(MALFORMED))


def decoded(*chunks: bytes) -> tuple[list[Report], Counters]:
    decoder = AngelEyeDecoder()
    return [report for chunk in chunks for report in decoder.feed(chunk)], decoder.counters


def clear(value: object) -> object:
    return str(opened(value)) if isinstance(value, Hidden) else value


@pytest.mark.parametrize(("frame", "kind", "fields"), [(bytes.fromhex(v[0]), *v[1:]) for v in VECTORS] + OTHERS)
def test_a_report_and_its_fields(frame: bytes, kind: type[Report], fields: dict[str, Any]) -> None:
    reports, counters = decoded(frame)
    assert [type(report) for report in reports] == [kind]
    assert (reports[0].digit, reports[0].frame) == (int(frame[1:2]), frame)
    assert {name: clear(getattr(reports[0], name)) for name in fields} == fields
    assert counters == Counters()


@pytest.mark.parametrize(
    ("byte", "card"),
    [(0x80, None), (0xB0, None), (0x87, Card("7")), (0xB7, Card("7", "s")), (0xBE, None), (0xF7, Card("7"))],
)
def test_what_is_withheld_or_no_card_is_not_known(byte: int, card: Card | None) -> None:
    (revealed,), counters = decoded(wire.frame(1, "I", bytes([0x81, byte])))
    assert isinstance(revealed, Revealed)
    assert revealed.card == card
    assert counters == Counters()


@pytest.mark.parametrize("frame", MALFORMED)
def test_a_good_check_around_something_unknown_is_a_report_and_counted(frame: bytes) -> None:
    (report,), counters = decoded(frame)
    assert isinstance(report, UnknownReport)
    assert (report.digit, report.code, report.frame) == (1, chr(frame[2]), frame)
    assert counters == Counters(malformed=1)


@pytest.mark.parametrize("frame", [b"\x05\x0303", b"\x05A\x0342", b"\x051\x0332"])
def test_a_good_check_without_digit_or_code_is_counted(frame: bytes) -> None:
    assert decoded(frame) == ([], Counters(discarded=len(frame), malformed=1))


def test_after_a_bad_check_scanning_resumes_one_byte_after_the_enq() -> None:
    inside = wire.frame(2, "P")
    reports, counters = decoded(b"\x051\x03" + inside)
    assert [report.frame for report in reports] == [inside]
    assert counters == Counters(discarded=3, bad_checks=1)


def test_an_enq_inside_a_frame_restarts_it() -> None:
    reports, counters = decoded(b"\x051D\x81" + wire.frame(2, "P"))
    assert [type(report) for report in reports] == [StoodBy]
    assert counters == Counters(discarded=4)


def test_lower_case_check_characters_are_no_check() -> None:
    assert decoded(bytes.fromhex("05 33 4c 81 03 46 64")) == ([], Counters(discarded=7, bad_checks=1))


def test_a_frame_that_never_ends_is_given_up() -> None:
    decoder = AngelEyeDecoder()
    for _ in range(1000):
        decoder.feed(b"\x80")
    assert decoder.feed(b"\x05" + b"\x80" * 40) == ()
    assert decoder.counters.discarded == 1041


def test_what_a_host_would_be_answered_is_garbage_here() -> None:
    answers = b"\x06\x15\x02" + bytes.fromhex("02 4f 50 4c 4b 30 32 03 31 42")
    assert decoded(answers) == ([], Counters(discarded=len(answers)))


@given(st.lists(pieces, max_size=12).map(b"".join), st.data())
def test_any_split_gives_the_same_reports(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    chunks = [stream[start:end] for start, end in pairwise([0, *cuts, len(stream)])]
    assert decoded(*chunks) == decoded(stream)
    assert decoded(*(bytes([byte]) for byte in stream)) == decoded(stream)


@given(st.lists(pieces, max_size=12).map(b"".join), st.sampled_from(GOOD))
def test_garbage_is_counted_and_the_next_good_frame_is_decoded(garbage: bytes, good: bytes) -> None:
    reports, counters = decoded(garbage + good)
    assert reports[-1].frame == good
    assert counters.discarded == len(garbage + good) - sum(len(report.frame) for report in reports)


def test_face_down_values_are_in_no_repr() -> None:
    decoder = AngelEyeDecoder()
    frames = [wire.placed(1, code, wire.PLAYER, 1, "Kh") for code in "DdR"]
    reports = [report for frame in frames for report in decoder.feed(frame)]
    decoder.feed(frames[0][:-1])
    assert len(reports) == 3
    for text in (repr(reports), str(reports), repr(decoder), repr(decoder.counters)):
        assert not any(word in text for word in ("Kh", "'K'", "\\xcd", "44cd"))


def test_the_recording_of_a_real_shoe() -> None:
    if not RECORDING_1.exists():
        pytest.skip(f"no recording of a real shoe at {RECORDING_1}")
    reports, counters = decoded(*(read.data for read in parse_recording(RECORDING_1.read_text()).reads))
    assert counters == Counters()
    assert len(reports) == 324
    assert all(a.frame == b.frame == c.frame for a, b, c in zip(*[iter(reports)] * 3, strict=True))
    kinds = Counter(type(report) for report in reports)
    assert kinds.keys() == {Started, StoodBy, Drawn, Revealed, ResultGiven}
    assert (kinds[Started], kinds[ResultGiven]) == (2 * 3, 9 * 3)
