"""Values that a shoe withholds: a violation falls on the first event after which no reading is legal."""

from __future__ import annotations

from typing import Any

import pytest
from coup_log import FR, FRESH, SLOTS, STAND, case, checked, coups, cut, held, told

from protocols.errors import LogError

SIX = "o P B P B P B"
"""Six cards, draws 1 to 6, that nobody has seen yet."""
WITHHELD = [
    case("o P B P B P r1=8 r2=K r3=T r4=2", "9 bac_draw_on_natural 1/-", **SLOTS),
    case("o P B P B P r3=T r4=2 r2=K r1=8", "10 bac_draw_on_natural 1/-", **SLOTS),
    case("o P B P B P r4=8 r2=K r1=8 r3=T", "8 bac_draw_on_natural 1/-", **SLOTS),
    case("o P B P B P r1=7 r3=K r2=8", "8 bac_draw 1/-", **SLOTS),
    case("o P B P B P r1=7 r3=K r2=8 r4=K r5=2", "8 bac_draw 1/-", **SLOTS),
    case("o P B P B P r2=8 r4=K r1=7 r3=K", "8 bac_draw_on_natural 1/-", **SLOTS),
    case(f"{SIX} r1=2 r2=2 r3=3 r4=4 r5=9 r6=2", "12 bac_draw 1/-", **SLOTS),
    case(f"{SIX} r1=2 r2=2 r3=3 r4=4 r5=7 r6=2", **SLOTS),
    case(f"{SIX} r5=9 r1=2 r2=2 r3=3 r4=4 r6=2", "12 bac_draw 1/-", **SLOTS),
    case(f"{SIX} r6=2 r5=K r2=7 r4=K r1=3 r3=2", "11 bac_draw 1/-", **SLOTS),
    case("o P B P B B r1=2 r3=3", "8 bac_draw 1/-", **SLOTS),
    case("o P B P B B P", "7 bac_draw 1/6", **SLOTS),
    case("o P B P B P P", "7 bac_draw 1/6", **SLOTS),
    case("o P B P B P B B", "8 bac_draw 1/7", **SLOTS),
    case("o P B P B c r1=2 r3=3 r2=K r4=K", "10 bac_missing_third 2/-", **SLOTS),
    case("o P B P B c r1=2 r3=3 r2=8 r4=K", **SLOTS),
    case("o P B P B =t r1=2 r3=3 r2=K r4=K c", "8 bac_missing_third 1/-", **SLOTS),
    case("o P B P B s r2=8 r4=7 r1=2 r3=3 c", "10 bac_missing_third 1/-", **SLOTS),
    case("o P B P B P c r1=2 r2=K r3=3 r4=5 r5=6", "12 bac_missing_third 2/-", **SLOTS),
    case("o P B P B P c r5=6 r4=5 r2=K r3=3 r1=2", "10 bac_missing_third 2/-", **SLOTS),
    case("o P~a B~b P~c B~d P~e c r~e=9 r~d=7 r~b=K r~c=T r~a=8", "12 bac_draw_on_natural 2/-", **SLOTS),
    case(
        f"o P B P B P c r1=8 r3=K r2=2 r4=K r5=2 {coups(1)} o n {STAND} PK^ c",
        "9 bac_draw_on_natural 2/-, 26 bac_draw 3/5",
        **SLOTS,
    ),
    case("o P B P B P c o P B P B r5=2 r1=8", **SLOTS),
    case("o P~a B~b P~c B~d P~e c o P~f r~a=8 r~c=K B~g r~b=7", "11 bac_draw_on_natural 2/-", **SLOTS),
    case("o P B P B P v r1=8 r2=K r3=T r4=2", **SLOTS),
    case("o P B P B P bP r1=8 r2=K r3=T c", "10 bac_draw_on_natural 1/-", observes=["positions", "collection"]),
    case("o P~a B~b P~c B~d P~e c o P>5 r~a=8 r~b=K r~c=T", "12 bac_draw_on_natural 2/-", **SLOTS),
    case("o D D D D D r1=8 r2=K r3=T r4=2", "9 bac_draw_on_natural 1/-", observes=[]),
    case("o D D D D D r1=2 r2=K r3=3 r4=2 r5=2 c", "12 bac_missing_third 1/-", observes=[]),
    case("o D D D D D r1=2 r2=K r3=4 r4=2 r5=2 c", observes=[]),
    case("o D D D D D D r1=3 r3=4", "9 bac_draw 1/-", observes=[]),
    case("o P B P B P c"),
    case("o P4 B P3 B2 c", **SLOTS),
    case("o P4 B P3 B2 PK c", "6 bac_draw 1/5", **SLOTS),
    case("o P4 B2 P3 B BK c", **SLOTS),
    case("o P4 B8 PK B8 P B r5=9 c", "8 bac_draw 1/-", **SLOTS),
]
RESULTS = [
    case("o P B P B =b r1=7 r2=6 r3=T r4=T", "10 result_mismatch 1/-", **SLOTS),
    case("o P B P B =b r1=7 r2=6 r3=T r4=2", **SLOTS),
    case("o P B P B r1=7 r2=6 r3=T r4=T =b", "10 result_mismatch 1/-", **SLOTS),
    case("o P B P B r1=7 r2=6 r3=T =b r4=T", "10 result_mismatch 1/-", **SLOTS),
    case("o P B P B r1=7 r2=6 r3=T =t", **SLOTS),
    case("o P B P B =p c r4=T r3=T r2=8 r1=7", "11 result_mismatch 2/-", **SLOTS),
    case(f"{SIX} =t r1=2 r2=2 r3=3 r4=4 r5=7 r6=6", **SLOTS),
    case(f"{SIX} =t r1=2 r2=2 r3=3 r4=4 r5=7 r6=7", "14 result_mismatch 1/-", **SLOTS),
    case("o P B P B P =t r1=K r3=K r2=6 r4=K r5=6", "11 result_mismatch 1/-", **SLOTS),
    case("o P BA^ P5^ B5^ PA^ =p r1=A", "7 result_mismatch 1/-", **SLOTS),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*WITHHELD, *RESULTS])
def test_withheld_values(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


UNOBSERVABLE = [
    case("o P B P B P c", "6 bac_draw_on_natural 1/5, 7 bac_draw_on_natural 1/-", **SLOTS),
    case("o P2 B P3 B P", "6 bac_draw_on_natural 1/5", **SLOTS),
    case("o P B P B B", "6 bac_draw 1/5", **SLOTS),
    case("o P4 B P3 B c", "6 bac_missing_third 1/-", **SLOTS),
    case("o P4 B P3 B =p", "6 bac_missing_third 1/-", **SLOTS),
    case("o P4 B8 P3 B =p r4=T", "6 result_mismatch 1/-", **SLOTS),
    case("D4", "1 draw_outside_round 1/1", observes=["faces"]),
    case("g D4 F2", "1 None 1/-, 2 draw_outside_round 1/1, 3 burn_extra 1/2"),
    case("o P4 g B4 =t c o", "3 None 1/-, 4 None 1/2, 5 missing_card 1/-, 6 missing_card 1/-"),
    case("g r3=K", "1 None 1/-, 2 None 1/-"),
    case("g F2 F3", "1 None 1/-, 2 None 1/1, 3 None 1/2", **FRESH),
    case("F F F o P4", "3 burn_count 1/3, 5 burn_count 1/4", **FRESH),
    case(cut("box:3", refused=[1]), "1 cutter_wrong 1/-", **FR),
    case(cut("box:2", occupied=[1, 2]), "1 cutter_wrong 1/-", **FR),
    case('{"type":"cards.cut"}', "1 cutter_wrong 1/-", **FR),
    case(f"o n v {cut('box:2', refused=[])}", "4 cutter_wrong 2/-", **FR),
    case(f"o n {STAND} PK^ F9 c", "8 burn_extra 1/6"),
    case("o n P4^ P3^ P2^ B4_ c", "6 face 1/4"),
    case("o P~a B P B P c o P>5", "6 bac_draw_on_natural 1/5, 7 bac_draw_on_natural 1/-, 9 order 2/-", **SLOTS),
]


@pytest.mark.parametrize(("log", "header", "expected"), UNOBSERVABLE)
def test_what_cannot_be_judged(log: str, header: dict[str, Any], expected: str) -> None:
    assert told(checked(log, **header), "unobservable") == expected


@pytest.mark.parametrize(
    ("log", "part"),
    [
        ("o P B P B P r1=8 r2=K r3=T", "card 5 of the coup"),
        ("F F F o n P4 r1=6", "by the first of them 7 are due"),
        ("o n P4^ B5^ P3^ B2^ PK^", "this card was not due"),
    ],
)
def test_the_detail_names_the_draw_that_was_wrong(log: str, part: str) -> None:
    last = checked(log, shoe="fresh" if log[0] == "F" else "mid", observes=["positions"])[-1]
    assert part in (last.detail or "")
    assert last.rule


def test_a_card_of_the_round_before_is_named_by_its_number_until_this_round_has_it() -> None:
    assert told(checked("o P B P B c o P r1=9 r2=K", **SLOTS)) == ""
    with pytest.raises(LogError, match="no card 5 was drawn"):
        checked("o P B P B c o P r5=9", **SLOTS)
    with pytest.raises(LogError, match="no card 3 was drawn"):
        checked("o P B P B c o c o P r3=9", **SLOTS)
