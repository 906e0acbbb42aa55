"""Cards that belong to no hand, gaps, voided and disputed rounds, acts that the game does not have."""

from __future__ import annotations

from typing import Any

import pytest
from coup_log import BURN, FIVE, FR, FRESH, ONE_DECK, SLOTS, STAND, case, coups, cut, held

OUTSIDE = [
    case(f"o n {STAND} c D!~x", "8 draw_outside_round 2/1"),
    case(f"D!~x {coups(1)}", "1 draw_outside_round 1/1"),
    case(f"D!~x o n {STAND} PK^ c", "1 draw_outside_round 1/1, 8 bac_draw 1/6"),
    case(f"D! {coups(1)}", "1 draw_outside_round 1/1", **SLOTS),
    case(f"D! {coups(1)}", "1 draw_outside_round 1/1", observes=[]),
    case(f"P4 {coups(1)}", "1 draw_outside_round 1/1"),
    case(f"D4 {coups(1)}", "1 draw_outside_round 1/1"),
    case(f"P4 {coups(1)}", "1 draw_outside_round 1/1", **SLOTS),
    case(f"P4 {coups(1)}", "1 draw_outside_round 1/1", observes=["signals"]),
    case(f"P4 {coups(1)}", observes=["faces", "calls"]),
    case(f"D4 {coups(1)}", observes=[]),
    case(f"{coups(1)} P4", "8 draw_outside_round 2/1"),
    case(f"{coups(1)} P4 D! P5", "8 draw_outside_round 2/1, 9 draw_outside_round 2/2, 10 draw_outside_round 2/3"),
    case(f"o n {STAND} D! =p PK^ c", "7 draw_outside_round 1/5"),
    case(f"o n {STAND} D! D! =p c", "7 draw_outside_round 1/5, 8 draw_outside_round 1/6"),
    case(f"o n {STAND} PK! c", "7 draw_outside_round 1/5"),
    case(f"o n {STAND} D! c o n {STAND} PK^ c", "7 draw_outside_round 1/5, 15 bac_draw 2/5"),
    case("o n P4^ D! B5^ P3^ B2^ =t c", "4 draw_outside_round 1/2"),
    case(f"f {coups(1)}", "4 draw_outside_round 1/1"),
    case(f"f {coups(2)}", "4 draw_outside_round 1/1, 11 draw_outside_round 2/1"),
    case(f"f h {coups(1)}"),
    case(f"f o h n {STAND} c", "5 draw_outside_round 1/1"),
    case(f"f o n {STAND} PK^ =p c", "4 draw_outside_round 1/1"),
    case("f o N P4^ v", "4 nmb_missing 1/1"),
    case(f"o n P4^ B5^ f P3^ h B2^ c {coups(1)}"),
    case("f L F2^ F F o n P4^ v", "8 draw_outside_round 1/4"),
]
CARRYING_FRENCH: dict[str, Any] = {**FR, "options": {"error_card": "next_hand"}}
MOVED = [
    case("D!~x o P>1 B P B =t c", "1 draw_outside_round 1/1", **SLOTS),
    case("D!~x o n P>1 B5 P3 B2 c", "1 draw_outside_round 1/1, 4 order 1/-", **BURN),
    case("D!~x o n P>1 B5_ P3_ B2_ t c", "1 draw_outside_round 1/1, 4 order 1/-", **FR),
    case("D!~x o n P>1 B5_ P3_ B2_ t c", "1 draw_outside_round 1/1", **CARRYING_FRENCH),
    case("D4^!~x o P>1 B P B c", "1 draw_outside_round 1/1, 3 order 1/-", **SLOTS),
    case("D!~x r~x=9 o P>1 B P B c", "1 draw_outside_round 1/1, 4 order 1/-", **SLOTS),
    case("D!~x o P>1 r~x=9 B P B c", "1 draw_outside_round 1/1", **SLOTS),
    case("D!~x o B>1 P P B c", "1 draw_outside_round 1/1, 3 order 1/-", **SLOTS),
    case("D!~x o P B>1 P B c", "1 draw_outside_round 1/1, 4 order 1/-", **SLOTS),
    case(f"o n {STAND} D! =t c o n P>5 B5^ P3^ B2^ c", "7 draw_outside_round 1/5"),
    case(f"o n {STAND} D! =t c o n P4^ B>5 P3^ B2^ c", "7 draw_outside_round 1/5, 13 order 2/-"),
    case(f"o n {STAND} PK c o n P>5 B5^ P7^ B2^ c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ c o n P>5 B5^ P7^ B2^ c", "7 bac_draw 1/5, 11 order 2/-"),
    case(f"o n {STAND} PK_ c o n P>5 B5^ P7^ B2^ c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PT_ c o n P>5 B5^ P4^ B2^ P2^ =b c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK_ c o n P_>5 B5^ P7^ B2^ c", "7 bac_draw 1/5, 12 face 2/1"),
    case(f"o n {STAND} PK_ c o n P>5 B5_ P7_ B2_ t c", "7 bac_draw 1/5"),
    case(f"o n {STAND} D_! =t c o n P>5 B5^ P3^ B2^ c", "7 draw_outside_round 1/5"),
    case(f"o n {STAND} PK bP c o n P>5 B5^ P7^ B2^ c", "7 bac_draw 1/5, 12 order 2/-"),
    case(f"o n {STAND} PK c o n P>5 B5^ P7^ B2^ c", "7 bac_draw 1/5, 11 order 2/-", **BURN),
    case(f"o n {STAND} c o n P>4 B5^ P5^ B2^ c", "10 order 2/-"),
    case("o n P4^ B>1 P3^ B2^ c", "4 order 1/-"),
    case("o n P4^ B5^ P3^ D! B>4 =t c", "6 draw_outside_round 1/4"),
    case("D!~x o P>1 B2 P3 B4 r~x=8 PK c", "1 draw_outside_round 1/1", **SLOTS),
    case("D!~x o P>1 B2 P3 B4 r~x=4 PK c", "1 draw_outside_round 1/1, 8 bac_draw 1/5", **SLOTS),
    case("D!~x o P>1 B2 P3 B4 PK r~x=4 c", "1 draw_outside_round 1/1, 8 bac_draw 1/-", **SLOTS),
    case("D!~x P>1 o B P B c", "1 draw_outside_round 1/1, 2 draw_outside_round 1/-, 4 order 1/2", **SLOTS),
]
BOXED = [
    case("o n P4^ F9^* B5^ P3^ B2^ =t c"),
    case("o n F9^* P4^ B5^ P3^ B2^ =t c"),
    case("o n P4^ B9^* bB B5^ P3^ B2^ =t c"),
    case("o n P4^ D9^* B5^ P3^ B2^ =t c"),
    case("o n P4^ B9^* B5^ P3^ B2^ PK^ c", "5 order 1/3"),
    case("o n P4^ B9^* P3^ B2^ c", "5 order 1/3"),
    case("o n P4 B9* B5 P3 B2 c", observes=["positions", "faces"]),
    case("o n P2^ BT^ P3^ B3^ P9^* bP P8^ c"),
    case("F9^* F2^ F F o n P4^ B5^ P3^ B2^ c", **FRESH),
    case("F2^ F9^* F F o n P4^ B5^ P3^ B2^ c", **FRESH),
    case("F2^ F9^* F o n P4^ B5^ P3^ B2^ c", "6 burn_count 1/4", **FRESH),
    case("o F9^* N P4^ v", "4 nmb_missing 1/2"),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*OUTSIDE, *MOVED, *BOXED])
def test_cards_that_belong_to_no_hand(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


GAPS = [
    case(f"g {coups(1)}"),
    case(f"g P4 D B7 {coups(1)}"),
    case(f"g P4 D! {coups(1)}", "3 draw_outside_round 1/2"),
    case("o n P4^ g2 P3^ P4^ P8^ =t c o n B4^ v", "12 order 2/1"),
    case("o n P4^ g B4^ PK^ D! c", "7 draw_outside_round 1/4"),
    case(f"o n P4^ g B4^ PK^ {coups(1)} o n B4^ v", "16 order 3/1"),
    case(f"o n {STAND} PK^ c g {coups(1)} o n {STAND} PK^ c", "7 bac_draw 1/5, 23 bac_draw 3/5"),
    case(f"g o n {STAND} c", **FRESH),
    case(f"g F2^ F F o n {STAND} c", **FRESH),
    case(f"g L o n {STAND} c", "5 burn_missing 1/1"),
    case(f"g L F2^ F F F o n {STAND} c", "6 burn_count 1/4"),
    case(f"L g F2^ F o n {STAND} c"),
    case(f"g F2^ {coups(1)} F2^", "10 burn_extra 2/1"),
    case(f"f g {coups(1)}"),
    case(f"f g f {coups(1)}", "6 draw_outside_round 1/1"),
    case(f"f {coups(1)} g {coups(1)}", "4 draw_outside_round 1/1"),
    case(f"/ {coups(1)} g {coups(1)}", "12 bac_extra_coup 2/1"),
    case(f"/ {coups(1)} g {coups(1)}", **SLOTS),
    case(f"o n P4^ g / B5^ v {coups(2)}", "17 bac_extra_coup 3/1"),
    case(f"o n g / B5^ v {coups(2)}", "16 bac_extra_coup 3/1"),
    case(f"g r3=K r~q=9 {coups(1)}"),
    case(f"o n {STAND} c o n P4^ g r4=9 r~q=2 P3^ c"),
    case(f"o n {STAND} c g r1=9"),
    case("g o P>3 B P B =t c", **SLOTS),
    case("o P B P B P g r1=8 r3=K c", **SLOTS),
    case("o P B P B P c g r1=8 r3=K", **SLOTS),
    case(f"g {cut('box:2', occupied=[1, 2], refused=[])}", "2 cutter_wrong 1/-", **FR),
    case("o n PKs^ g BKs^ v", "5 inventory 1/2", **ONE_DECK),
]
VOIDS = [
    case("v"),
    case("o v o v"),
    case(f"o n P4^ v {coups(1)}"),
    case(f"o n P4_ B5_ v o n {STAND} c"),
    case("o n B4^ P5^ v", "3 order 1/1"),
    case(f"o n {FIVE} v"),
    case(f"o n {STAND} v o n {STAND} PK^ c", "14 bac_draw 2/5"),
    case("o n PKs^ B9^ v r1=Qs", **ONE_DECK),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*GAPS, *VOIDS])
def test_rounds_that_are_not_judged(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


PEEKED, INSURED = '{"type":"reader.peeked"}', '{"type":"insurance.opened"}'
SELECTED = '{"type":"method.selected","procedure":"pb-fr"}'
CHANGED = '{"type":"wager.changed","box":2}'
OTHER_ACTS = [
    case(f"o n P4^ {CHANGED} B5^ P3^ B2^ c", "4 wager_changed 1/-"),
    case('o n P4^ {"type":"wager.changed","box":2,"change":"taken_back"} B5^ P3^ B2^ c', "4 wager_changed 1/-"),
    case(f'o {{"type":"wager.changed","box":2,"change":"made"}} n {STAND} c'),
    case(f'{{"type":"wager.changed","box":2,"change":"raised"}} o n {STAND} c'),
    case(f"o n {STAND} c {CHANGED}"),
    case(f"o n P4^ {PEEKED} B5^ P3^ B2^ c", "4 peek_in_no_peek_mode 1/-"),
    case('{"type":"reader.faulted"} {"type":"reader.restored"}'),
    case(f'{INSURED} {{"type":"insurance.closed"}}', "1 insurance_without_ace 1/-"),
    case(SELECTED, "1 method_unreachable 1/-"),
    case('{"type":"call.made","call":"total","box":3} {"type":"dealer.changed"} {"type":"stub.counted","count":3}'),
    case(f"o n {STAND} r1=9 c", "7 reader_mismatch 1/-"),
    case(f"o n {STAND} r1=4h c"),
    case("o n P4h^ B5^ P3^ B2^ r1=4 r1=4s =t c", "8 reader_mismatch 1/-"),
    case("o n P4h_ B5_ P3_ B2_ r1=4s t c", "7 reader_mismatch 1/-"),
    case(f"o n {STAND} r1=9 r2=9 PK^ =p c", "7 reader_mismatch 1/-"),
    case(f"o n PK^ B5^ P7^ B2^ c r1=Q o n {STAND} PK^ c", "8 reader_mismatch 2/-, 15 bac_draw 2/5"),
    case(f"o n {STAND} c r1=9 o n {STAND} PK^ c", "8 bac_missing_third 2/-, 15 bac_draw 2/5"),
    case(f"o n {STAND} PK^ r1=9 c", "7 bac_draw 1/5"),
]
DISPUTED = [
    case(f"o n {STAND} PK^ BK^ PK^ =p c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ F9 c", "7 bac_draw 1/5"),
    case(f"o n {STAND} PK^ {CHANGED} c", "7 bac_draw 1/5, 8 wager_changed 1/-"),
    case(f"o n {STAND} PK^ {PEEKED} c", "7 bac_draw 1/5, 8 peek_in_no_peek_mode 1/-"),
    case(f"o n {STAND} PK^ {INSURED} c", "7 bac_draw 1/5, 8 insurance_without_ace 1/-"),
    case(f"o n {STAND} PK^ {SELECTED} c", "7 bac_draw 1/5, 8 method_unreachable 1/-"),
    case("o n PKs^ BKh^ P7^ B7^ P2^ BKs^ c", "7 bac_draw 1/5, 8 inventory 1/6", **ONE_DECK),
    case("F3^ o N B4^ PKs^ v", "1 burn_extra 1/1, 4 nmb_missing 1/2"),
    case(f"/ {coups(1)} F3^ o n B4^ v", "9 burn_extra 2/1, 12 bac_extra_coup 2/2"),
    case("o n P4^ P5^ P3^ B2^ B3^ B4^ =b c", "4 order 1/2, 5 extra_card 1/3"),
    case("o n P4^ B5^ P3^ bP B2^ B3^ c"),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*OTHER_ACTS, *DISPUTED])
def test_other_acts_and_what_is_still_reported_in_a_disputed_round(
    log: str, header: dict[str, Any], expected: str
) -> None:
    held(log, header, expected)
