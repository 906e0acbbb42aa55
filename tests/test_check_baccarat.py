"""Punto banco, rule by rule: deal, third cards, result, faces; every violation of a log, and no other."""

from __future__ import annotations

from typing import Any

import pytest
from coup_log import FIVE, FR, FRESH, SLOTS, STAND, case, coups, events, held, start

NATURAL = "P4^ B5^ P4^ B2^"
ORDER = [
    case(f"o n {STAND} =t c"),
    case("o n B4^ P5^ B3^ P2^ c", "3 order 1/1"),
    case("o n P4^ P3^ B5^ B2^ c", "4 order 1/2"),
    case("o n P4^ B5^ B3^ P2^ c", "5 order 1/3"),
    case("o n P4^ P3^ =t c", "4 order 1/2"),
    case("o n P4^ P3^ B5^ c", "4 order 1/2"),
    case("o n P4^ P3^ P2^ B5^ B2^ c", "4 order 1/2, 5 extra_card 1/3"),
    case("o n P4^ B5^ P3^ P2^ B2^ =t c", "6 extra_card 1/4"),
    case("o n P4^ B5^ B3^ B2^ P2^ c", "5 order 1/3, 6 extra_card 1/4"),
    case("o n P4^ P3^ B5^ B4^ B2^ c", "4 order 1/2, 7 bac_draw_on_natural 1/5"),
    case("o n P4^ P3^ B5^ B2^ P2^ c", "4 order 1/2, 7 bac_draw 1/5"),
    case("o n P2^ P3^ B5^ B2^ c", "4 order 1/2, 7 bac_missing_third 1/-"),
    case("o n D4^ D5^ D3^ D2^ =t c"),
    case("o n D2^ D5^ D3^ D2^ c", "7 bac_missing_third 1/-"),
    case("o n D4^ D5^ D4^ D2^ DK^ c", "7 bac_draw_on_natural 1/5"),
    case("o n D4^ D5^ D3^ D2^ DK^ c", "7 bac_draw 1/5"),
]


MISSING = [
    case("o n P4^ B5^ P3^ t", "6 missing_card 1/-"),
    case("o n P4^ B5^ P3^ =p c", "6 missing_card 1/-"),
    case("o n P4^ B5^ P3^ s c", "6 missing_card 1/-"),
    case("o n P4^ B5^ P3^ k c", "6 missing_card 1/-"),
    case("o n P4^ B5^ P3^ c", "6 missing_card 1/-"),
    case(f"o n P4^ B5^ P3^ o n {STAND} c", "6 missing_card 2/-"),
    case("o n P4^ c", "4 missing_card 1/-"),
    case("o n P4_ B5_ P3_ t B2_ c", "6 missing_card 1/-", **FR),
    case("o n P4^ B5^ P3^ v"),
    case("o n c o n v"),
    case("o n =p c", "3 missing_card 1/-"),
    case("o n t c", "3 missing_card 1/-"),
]


THIRDS = [
    case(f"o n {FIVE} P8^ =t c"),
    case(f"o n {FIVE} P8^ BK^ c", "8 bac_draw 1/6"),
    case(f"o n {FIVE} P7^ c", "8 bac_missing_third 1/-"),
    case(f"o n {FIVE} P7^ s k =p c", "8 bac_missing_third 1/-"),
    case(f"o n {FIVE} P7^ k =p c", "8 bac_missing_third 1/-"),
    case(f"o n {FIVE} P7^ =b s c", "8 bac_missing_third 1/-"),
    case(f"o n {FIVE} P7^ o n {STAND} c", "8 bac_missing_third 2/-"),
    case(f"o n {FIVE} c", "7 bac_missing_third 1/-"),
    case(f"o n {FIVE} BK^ PK^ =p c", "7 bac_draw 1/5"),
    case(f"o n {FIVE} P7^ PK^ c", "8 bac_draw 1/6"),
    case(f"o n {FIVE} P7^ BK^ PK^ c", "9 bac_draw 1/7"),
    case(f"o n {FIVE} P7^ BK^ BK^ c", "9 bac_draw 1/7"),
    case(f"o n {STAND} PK^ =t c", "7 bac_draw 1/5"),
    case(f"o n {STAND} BK^ =t c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ PK^ BK^ =b c", "7 bac_draw 1/5"),
    case(f"o n {NATURAL} PK^ =b c", "7 bac_draw_on_natural 1/5"),
    case(f"o n {NATURAL} BK^ =b c", "7 bac_draw_on_natural 1/5"),
    case("o n P4^ B7^ P2^ B2^ PK^ c", "7 bac_draw_on_natural 1/5"),
    case("o n P4^ BK^ P3^ B5^ BK^ c"),
    case("o n P4^ BK^ P3^ B5^ c", "7 bac_missing_third 1/-"),
    case("o n P4^ BK^ P3^ B6^ BK^ c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ bP =t c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ v", "7 bac_draw 1/5"),
    case(f"o n {STAND} P9^ B9^ c o n {STAND} P9^ c", "7 bac_draw 1/5, 16 bac_draw 2/5"),
]


RESULTS = [
    case(f"o n {STAND} =p c", "7 result_mismatch 1/-"),
    case(f"o n {NATURAL} =p c"),
    case(f"o n {NATURAL} =t c", "7 result_mismatch 1/-"),
    case(f"o n {FIVE} P7^ B9^ =t c"),
    case(f"o n {FIVE} P7^ B9^ =b c", "9 result_mismatch 1/-"),
    case(f"o n {STAND} =p PK^ c", "7 result_mismatch 1/-"),
    case(f"o n {STAND} =p =p c", "7 result_mismatch 1/-"),
    case(f"o n {STAND} =t PK^ c", "8 bac_draw 1/5"),
    case(f"o n {FIVE} =b P7^ c", "7 bac_missing_third 1/-"),
    case(f"o n {STAND} =p v", "7 result_mismatch 1/-"),
    case(f"o n {STAND} c =p"),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*ORDER, *MISSING, *THIRDS, *RESULTS])
def test_the_coup(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


UP: dict[str, Any] = {"options": {"deal_faces": "up"}}
FACE_DOWN: dict[str, Any] = {"options": {"deal_faces": "down"}}
FACES = [
    case("o n P4_ B5_ P3_ B2_ t =t c", **FR),
    case("o n P4^ B5_ P3_ B2_ t c", "3 face 1/1", **FR),
    case("o n P4_ B5^ P3_ B2^ t c", "4 face 1/2, 6 face 1/4", **FR),
    case("o n P2_ BT_ P3_ B3_ t P8_ c", "8 face 1/5", **FR),
    case("o n P2_ BT_ P3_ B3_ t P8^ c", **FR),
    case("o n P2_ BT_ P3_ B3_ t P7^ B2_ c", "9 face 1/6", **FR),
    case("o n P4^ B5^ P3^ B2^ c"),
    case("o n P4_ B5_ P3_ B2_ t c"),
    case("o n P4^ B5_ P3^ B2^ c", "4 face 1/2"),
    case("o n P4^ B5_ P3_ B2_ c", "4 face 1/2"),
    case("o n P4_ B5_ P3^ B2_ t c", "5 face 1/3"),
    case("o n P4 B5^ P3 B2_ c", "6 face 1/4"),
    case("o n P4_ B5_ P3_ B2_ t c o n P4^ B5^ P3^ B2^ c"),
    case("o n P4^ B5^ P3^ B2^ c", **UP),
    case("o n P4_ B5^ P3^ B2^ c", "3 face 1/1", **UP),
    case("o n P4_ B5^ P3_ B2_ t c", "4 face 1/2", **FACE_DOWN),
    case("o n P4^ P3_ B5^ B2^ c", "4 order 1/2"),
]


TURNING = [
    case("o n P2_ BT_ P3_ B3_ P8^ t c", "7 reveal_order 1/5", **FR),
    case("o n P2_ BT_ P3_ B3_ P7^ B2^ c", "7 reveal_order 1/5", **FR),
    case("o n P2 BT P3 B3 P8 c", "7 reveal_order 1/5", **FR),
    case("o n P2 BT P3 B3 P8 c", **FR, **SLOTS),
    case("o n P2_ BT_ P3_ B3_ P8^ c", "7 reveal_order 1/5", **FR, observes=["positions", "signals"]),
    case("o n P2_ BT_ P3_ B3_ P8^ c", "7 reveal_order 1/5"),
    case("o n P2 BT P3 B3 P8 c"),
    case("o n P2 BT P3 B3 P8 c", "7 reveal_order 1/5", **FACE_DOWN),
    case("o n P2 BT P3 B3 P8 c", **UP),
    case("o n P4_ B5_ P4_ B2_ PK^ c", "7 bac_draw_on_natural 1/5", **FR),
    case("o n P4_ B5_ P4_ B2_ c", **FR),
    case("o n P2_ BT_ P3_ t B3_ P8^ c", "6 missing_card 1/-", **FR),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*FACES, *TURNING])
def test_faces(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


DUE = [
    ("", "round.opened", {}),
    ("", "card.drawn to burn up", FRESH),
    ("F3^", "card.drawn to burn", FRESH),
    ("F3^ F F F", "round.opened", FRESH),
    ("F", "card.drawn to burn", FRESH),
    ("F F", "card.drawn to burn, round.opened", FRESH),
    ("o", "card.drawn to burn up", FRESH),
    ("o L", "card.drawn to burn up", {}),
    ("o", "call.made, card.drawn to player", {}),
    ("o", "call.made", {"observes": ["positions", "calls"]}),
    ("o", "card.drawn to player", SLOTS),
    ("o n", "card.drawn to player down", FR),
    ("o n P4^", "card.drawn to banker up", {}),
    ("o n P4_ B5_", "card.drawn to player down", {}),
    ("o n P4_ B5_ P3_ B2_", "hands.turned", {}),
    ("o n P4_ B5_ P3_ B2_ t", "round.closed", {}),
    (f"o n {FIVE}", "card.drawn to player up", {}),
    (f"o n {FIVE} P7^", "card.drawn to banker up", {}),
    (f"o n {FIVE} P8^", "round.closed", {}),
    (f"o n {STAND} =t", "round.closed", {}),
    (f"o n {STAND} c", "round.opened", {}),
    ("o P B P B", "card.drawn to player up, card.drawn to banker up, round.closed", SLOTS),
    ("o P B P B P", "card.drawn to banker up, round.closed", SLOTS),
    ("o P4^ B P3^ B", "card.drawn to banker up, round.closed", SLOTS),
    ("f", "shoe.restored", {}),
    ("f o h", "round.voided", {}),
    ("o N", "call.made", {}),
    ("o n P9^*", "card.burned", {}),
    (f"/ {coups(1)}", "cards.shuffled, shoe.loaded", {}),
    (f"/ {coups(1)} o n", "cards.shuffled, shoe.loaded", {}),
    (f"o n {STAND} PK^", "", {}),
    ("o n P4^ g", "", {}),
]


@pytest.mark.parametrize(("log", "expected", "header"), DUE)
def test_what_is_due(log: str, expected: str, header: dict[str, Any]) -> None:
    check = start(**header)
    for event in events(log):
        check, _ = check.step(event)
    assert ", ".join(check.due()) == expected
