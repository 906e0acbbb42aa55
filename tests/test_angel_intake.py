"""An Angel Eye shoe's reports to table events: every row of the table, gaps, repeats, lost links, a recording."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import angel_frames as wire
import pytest
from angel_frames import BURN, COUNTED_BURN, FIRST_CARD, PLAYER
from angel_story import (
    CLOSED,
    COUP,
    CUT,
    DEAL,
    FIRST,
    SHOW,
    SHOWN,
    STAND_BY,
    START,
    Sent,
    brief,
    card,
    decode,
    drawn,
    outside,
    reports,
    result,
    shown,
    started,
    taken,
)
from hypothesis import given
from hypothesis import strategies as st

from protocols.cards import RANKS, Card
from protocols.dealing.check import Check, verdicts
from protocols.device_session import Heard
from protocols.events import (
    CardDrawn,
    CardRevealed,
    LogGap,
    LogHeader,
    ResultReported,
    RoundClosed,
    RoundOpened,
    RoundVoided,
    TableEvent,
)
from protocols.hidden import Hidden
from protocols.intake.angel_eye import AngelEyeIntake
from protocols.line_session import Returned
from protocols.recording import parse_recording
from protocols.records import DeviceReported, Fact

RECORDING_1 = Path(__file__).parents[2] / "shared/data/angel-eye/recording-1.txt"
SECOND = 1_000_000_000

ROWS: dict[str, tuple[list[Sent], list[str]]] = {
    "first card, counted burns": (
        [FIRST, card("D", COUNTED_BURN, 1, "Jd"), card("D", COUNTED_BURN, 0)],
        ["shoe.loaded", "draw burn 2c up", "draw burn Jd", "draw burn"],
    ),
    "a burn of the shoe's own": ([card("D", BURN, 0)], ["draw burn"]),
    "first card again, nothing since the load": ([FIRST, FIRST], ["shoe.loaded", *["draw burn 2c up"] * 2]),
    "first card after the cutting card": (
        [FIRST, CUT, FIRST],
        ["shoe.loaded", "draw burn 2c up", "cut_card.reached", "shoe.loaded", "draw burn 2c up"],
    ),
    "first card after a coup": (
        [FIRST, *DEAL, *SHOW, result(1), FIRST],
        ["shoe.loaded", "draw burn 2c up", *COUP, *SHOWN, *CLOSED, "shoe.loaded", "draw burn 2c up"],
    ),
    "first card in a coup": ([*DEAL, FIRST], [*COUP, "draw burn 2c up"]),
    "a start never loads": (
        [FIRST, START, FIRST],
        ["shoe.loaded", "draw burn 2c up", "[start]", "draw burn 2c up"],
    ),
    "a coup, values withheld": ([*DEAL, *SHOW, result(1)], [*COUP, *SHOWN, *CLOSED]),
    "a coup, values at once": (
        [drawn("P1", "9s"), drawn("B1", "7"), result(2)],
        ["opened", "draw player P1 9s", "draw banker B1 7", "result tie", "closed"],
    ),
    "the result before the values": (
        [*DEAL, result(4), *SHOW, STAND_BY],
        [*COUP, "result banker", *SHOWN, "closed", "[stand-by]"],
    ),
    "the result and not all values": (
        [*DEAL, result(4), *SHOW[:2], STAND_BY],
        [*COUP, "result banker", *SHOWN[:2], "closed", "[stand-by]"],
    ),
    "a value withheld for good": (
        [*DEAL, *SHOW[:3], shown("B2", wire.WITHHELD), result(4), *DEAL[:1]],
        [*COUP, *SHOWN[:3], "[reveal] slot=B2", "result banker", "closed", "opened", "draw player P1"],
    ),
    "only player 1 opens": ([drawn("B1"), STAND_BY, drawn("P2")], ["draw banker B1", "[stand-by]", "draw player P2"]),
    "player 1 with a coup open": ([*DEAL, drawn("P1")], [*COUP, "gap", "voided restarted", "opened", "draw player P1"]),
    "a slot already filled": ([*DEAL, drawn("B2")], [*COUP, "gap", "voided restarted", "draw banker B2"]),
    "start in mid-coup": (
        [*DEAL[:2], START, *DEAL],
        [*COUP[:3], "[start]", "gap", "voided restarted", *COUP],
    ),
    "over-draw, shown": (
        [*DEAL, ("E", b"\x82"), outside(), card("i", PLAYER, 1, "7s"), ("e", b"\x82"), *SHOW, result(1)],
        [
            *[*COUP, "[error] error=2 error_mode=False", "draw x outside", "show x 7s", "[error-cleared] error=2"],
            *[*SHOWN, *CLOSED],
        ],
    ),
    "a surplus value without a draw": ([card("i", PLAYER, 1, "7s")], ["[surplus-reveal]"]),
    "a surplus value withheld": (
        [outside(), card("i", PLAYER, 1), card("i", PLAYER, 1, "7s")],
        ["draw x outside", "[surplus-reveal]", "show x 7s"],
    ),
    "a surplus shown after its round": (
        [*DEAL, outside(), *SHOW, result(1), card("i", PLAYER, 1, "7s")],
        [*COUP, "draw x outside", *SHOWN, *CLOSED, "show x 7s"],
    ),
    "a surplus shown two rounds later": (
        [outside(), *[*DEAL, *SHOW, result(1)] * 2, card("i", PLAYER, 1, "7s")],
        ["draw x outside", *[*COUP, *SHOWN, *CLOSED] * 2, "[surplus-reveal]"],
    ),
    "an outside card taken into its coup": (
        [*DEAL, outside("Kh"), drawn("P3", code="R"), *SHOW, result(1)],
        [*COUP, "draw x Kh outside", "draw player P3 moved 5", *SHOWN, *CLOSED],
    ),
    "an outside card begins the next coup": (
        [*DEAL, outside(), *SHOW, result(1), drawn("P1", code="R"), drawn("B1")],
        [*[*COUP, "draw x outside", *SHOWN, *CLOSED], *["opened", "draw player P1 moved 5", "draw banker B1"]],
    ),
    "a card drawn between coups begins the next": (
        [FIRST, outside(), drawn("P1", code="R"), drawn("B1")],
        [
            *["shoe.loaded", "draw burn 2c up", "draw x outside"],
            *["opened", "draw player P1 moved 2", "draw banker B1"],
        ],
    ),
    "an outside card two rounds ago is out of reach": (
        [outside(), *DEAL, *SHOW, result(1), *DEAL, *SHOW, result(1), drawn("P1", code="R")],
        ["draw x outside", *[*COUP, *SHOWN, *CLOSED] * 2, "gap", "opened", "draw player P1"],
    ),
    "an outside card whose number this round has again": (
        [outside(), *DEAL, *SHOW, result(1), *DEAL, drawn("P3", code="R")],
        ["draw x outside", *COUP, *SHOWN, *CLOSED, *COUP, "gap", "draw player P3"],
    ),
    "an outside card already shown is not taken": (
        [*DEAL, outside(), card("i", PLAYER, 3, "7s"), drawn("P3", code="R")],
        [*COUP, "draw x outside", "show x 7s", "gap", "draw player P3"],
    ),
    "retransmission of a known draw": ([*DEAL, drawn("P1", code="R")], [*COUP, "[retransmission] slot=P1"]),
    "retransmission of an unknown draw": ([*DEAL, drawn("P3", code="R")], [*COUP, "gap", "draw player P3"]),
    "retransmission of a burn": ([card("R", FIRST_CARD, 0, "2c")], ["[retransmission] slot=first_card:0"]),
    "retransmission opens a coup": ([drawn("P1", code="R")], ["gap", "opened", "draw player P1"]),
    "a value of an unknown draw": ([shown("P3", "7h")], ["[reveal] slot=P3"]),
    "forced quit": ([*DEAL, result(7)], [*COUP, "voided forced_quit"]),
    "a value told after a forced quit": (
        [*DEAL, result(7), shown("P1", "9s")],
        [*COUP, "voided forced_quit", "[reveal] slot=P1"],
    ),
    "forced quit with no coup open": ([result(7)], ["[result] outcome=forced_quit"]),
    "a result with no coup open": ([result(1), STAND_BY], ["result player", "[stand-by]"]),
    "two errors at a time": (
        [("E", b"\xc4"), ("E", b"\xc5"), ("e", b"\x84"), ("e", b"\x85")],
        ["shoe.faulted angel-4", "shoe.faulted angel-5", "[error-cleared] error=4", "shoe.restored angel-5"],
    ),
    "cutting card": ([*DEAL[:1], CUT], ["opened", "draw player P1", "cut_card.reached"]),
    **{
        f"error {code}": (
            [("E", bytes([0xC0 | code])), ("e", bytes([0x80 | code]))],
            [f"shoe.faulted angel-{code}", f"shoe.restored angel-{code}"],
        )
        for code in (4, 5, 6)
    },
    **{
        f"error {code}": (
            [("E", bytes([0xC0 | code])), ("e", bytes([0x80 | code]))],
            [f"[error] error={code} error_mode=True", f"[error-cleared] error={code}"],
        )
        for code in (1, 2, 3, 7, 8)
    },
    "start, stand-by, lock, setting": (
        [STAND_BY, ("L", b"\x81"), ("M", b"120001"), START],
        ["[stand-by]", "[lock] locked=True", "[setting] address=12 value=0001", "[start]"],
    ),
    "unknown": ([("Q", b"\xcd")], ["[unknown] code=Q bytes=7"]),
    "a draw that cannot be read": ([("D", b"\xb1\xcd")], ["gap", "[unknown] code=D bytes=8"]),
}


@pytest.mark.parametrize(("sent", "expected"), ROWS.values(), ids=ROWS.keys())
def test_what_reports_become(sent: list[Sent], expected: list[str]) -> None:
    assert [brief(fact) for fact in taken(AngelEyeIntake(), started(*sent))] == ["[start]", *expected]


@pytest.mark.parametrize(("sent", "expected"), ROWS.values(), ids=ROWS.keys())
def test_sent_three_times_reports_count_once(sent: list[Sent], expected: list[str]) -> None:
    thrice = [report for report in started(*sent) for _ in range(3)]
    assert [brief(fact) for fact in taken(AngelEyeIntake(), thrice)] == ["[start]", *expected]


def test_every_fact_carries_its_report_s_digit() -> None:
    intake = AngelEyeIntake("shoe-2")
    for report in started(*DEAL, outside(), drawn("P3", code="R"), *SHOW, result(1), STAND_BY, ("Q", b"")):
        for fact in taken(intake, [report]):
            assert isinstance(fact, TableEvent | DeviceReported)
            assert (fact.seq if isinstance(fact, TableEvent) else fact.data["digit"]) == report.digit
            assert isinstance(fact, TableEvent) or fact.device == "shoe-2"


def test_values_of_cards_that_lie_face_down_are_hidden() -> None:
    values = [FIRST, card("D", COUNTED_BURN, 0, "Jd"), drawn("P1", "Kh"), outside("Kh"), drawn("B1", "Kh", "R")]
    facts = taken(AngelEyeIntake(), started(*values))
    cards = [fact.card for fact in facts if isinstance(fact, CardDrawn)]
    assert cards[0] == Card("2", "c")
    assert all(isinstance(value, Hidden) for value in cards[1:])
    assert len(cards) == 5


def test_face_down_values_are_in_no_repr() -> None:
    intake = AngelEyeIntake()
    sent = [drawn("P1", "Kh"), drawn("P1", "Kh", "R"), outside("Kh"), drawn("P3", "Kh", "R"), ("D", b"\xb1\xcd")]
    facts = taken(intake, started(*sent))
    assert len(facts) == 1 + 2 + 1 + 1 + 1 + 2
    for text in (repr(facts), repr(intake), repr(vars(intake))):
        assert not any(word in text for word in ("Kh", "'K'", "\\xcd", "205"))


@pytest.mark.parametrize(
    ("digits", "gaps"),
    [("1234567891", 0), ("13", 1), ("91", 0), ("92", 1), ("21", 1), ("10", 1), ("191", 1)],
)
def test_a_digit_that_is_not_the_next_is_a_gap(digits: str, gaps: int) -> None:
    intake = AngelEyeIntake()
    first, *rest = decode(wire.frame(int(digit), "L", bytes([0x80 + i])) for i, digit in enumerate(digits))
    taken(intake, [first])
    assert [brief(fact) for fact in taken(intake, rest)].count("gap") == gaps


def test_a_start_is_no_gap_and_neither_is_what_follows_it() -> None:
    facts = taken(AngelEyeIntake(), started(*DEAL, *SHOW, START, STAND_BY))
    assert not any(isinstance(fact, LogGap) for fact in facts)


def test_the_same_digit_with_other_bytes_is_news_and_no_gap() -> None:
    some = decode([wire.frame(0, "S"), wire.frame(1, "P"), wire.frame(1, "C")])
    assert [brief(fact) for fact in taken(AngelEyeIntake(), some)] == ["[start]", "[stand-by]", "cut_card.reached"]


def test_one_gap_where_two_rules_want_one() -> None:
    lost_one = started(*DEAL, STAND_BY, drawn("P1"))
    del lost_one[5]
    assert [brief(fact) for fact in taken(AngelEyeIntake(), lost_one)] == [
        *["[start]", *COUP],
        *["gap", "voided restarted", "opened", "draw player P1"],
    ]


@pytest.mark.parametrize(
    ("away", "missing", "expected"),
    [(1.9, 0, []), (1.9, 1, ["gap"]), (2.0, 0, ["gap"]), (2.0, 1, ["gap"]), (600, 9, ["gap"])],
)
def test_after_a_lost_link(away: float, missing: int, expected: list[str]) -> None:
    intake = AngelEyeIntake()
    before = started(*DEAL[:2])
    taken(intake, before)
    assert intake.take(Heard(Returned(int(away * SECOND)))) == ()
    assert taken(intake, before[-1:]) == []
    news = reports(CUT, STAND_BY, start=1 + (2 + missing) % 9)
    assert [brief(fact) for fact in taken(intake, news)] == [*expected, "cut_card.reached", "[stand-by]"]


EVERYTHING: list[Sent] = sorted({one for sent, _ in ROWS.values() for one in sent})


@given(st.lists(st.sampled_from(EVERYTHING), max_size=80), st.data())
def test_whatever_a_shoe_sends_is_a_log_that_can_be_checked(sent: list[Sent], data: st.DataObject) -> None:
    some = started(*sent)
    lost = data.draw(st.sets(st.integers(0, len(some)), max_size=2))
    facts = taken(AngelEyeIntake(), [report for number, report in enumerate(some) if number not in lost])
    events = [fact for fact in facts if isinstance(fact, TableEvent)]
    check = Check.start(LogHeader(procedure="pb-nj", observes=("positions",)))
    assert len(list(verdicts(check, events))) == len(events)


# The recording of a real shoe


def total(cards: Iterable[Card]) -> int:
    return sum(min(RANKS.index(one.rank) + 1, 10) for one in cards) % 10


def coups(facts: Iterable[Fact]) -> list[tuple[dict[str, Card], str]]:
    """The cards by ref and the shoe's own winner of each coup that was opened and closed."""
    found: list[tuple[dict[str, Card], str]] = []
    cards: dict[str, Card] = {}
    for fact in facts:
        match fact:
            case RoundOpened():
                cards = {}
            case CardRevealed(ref=str(ref), card=Card() as value):
                assert ref not in cards
                cards[ref] = value
            case ResultReported():
                winner = str(fact.winner)
            case RoundClosed():
                found.append((cards, winner))
    return found


def test_the_recording_s_nine_coups_end_as_the_shoe_says() -> None:
    if not RECORDING_1.exists():
        pytest.skip(f"no recording of a real shoe at {RECORDING_1}")
    some = decode(read.data for read in parse_recording(RECORDING_1.read_text()).reads)
    facts = taken(AngelEyeIntake(), some)
    assert not any(isinstance(fact, LogGap | RoundVoided) for fact in facts)
    found = coups(facts)
    assert len(found) == 9
    for cards, winner in found:
        player, banker = (total(card for ref, card in cards.items() if ref[0] == side) for side in "PB")
        assert winner == ("tie" if player == banker else "player" if player > banker else "banker")
    drawn_refs = [fact.ref for fact in facts if isinstance(fact, CardDrawn)]
    assert drawn_refs == [ref for cards, _ in found for ref in cards]
