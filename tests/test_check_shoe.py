"""The rules of the shoe and of the round in punto banco: burn, call, cutting card, stock, shuffle, cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from coup_log import (
    CURRENT,
    FIVE,
    FR,
    FRESH,
    ONE_DECK,
    SLOTS,
    STAND,
    case,
    coups,
    cut,
    held,
)

BURNS = [
    case(f"F3^ F F F o n {STAND} c", **FRESH),
    case(f"FA^ F o n {STAND} c", **FRESH),
    case(f"FK^ {'F ' * 10} o n {STAND} c", **FRESH),
    case(f"o n {STAND} c"),
    case(f"o n {STAND} c", shoe="new_dealer"),
    case(f'o n {STAND} c {{"type":"dealer.changed"}} o n {STAND} c'),
    case(f"L F2^ F F o n {STAND} c"),
    case(f"F3^ F L F2^ F F o n {STAND} c", **FRESH),
    case(f'Sa {{"type":"cards.cut"}} F2^ F F o n {STAND} c', **FRESH),
    case(f"F3^ F F F L o n {STAND} c", "8 burn_missing 1/5", **FRESH),
    case(f"o n {STAND} c", "3 burn_missing 1/1", **FRESH),
    case(f"L o n {STAND} c o n {STAND} c", "4 burn_missing 1/1"),
    case(f"o n P4^ F2^ F F {STAND[4:]} c", "3 burn_missing 1/1", **FRESH),
    case(f"o n {STAND} c F2^ F F o n {STAND} c", "3 burn_missing 1/1", **FRESH),
    case(f"o n {STAND} c F2^ F F F", "3 burn_missing 1/1, 11 burn_extra 2/4", **FRESH),
    case(f"o F2^ F F n {STAND} c", "2 burn_missing 1/1", **FRESH),
    case(f"o F2^ F n {STAND} c", "2 burn_missing 1/1, 5 burn_count 1/3", **FRESH),
    case(f"F2^ F o F n {STAND} c", "4 burn_missing 1/3", **FRESH),
    case(f"o L F2^ F F n {STAND} c"),
    case(f"o L n {STAND} c", "4 burn_missing 1/1"),
    case(f"o L c F2^ F F o n {STAND} c"),
    case(f"F3^ F F o n {STAND} c", "6 burn_count 1/4", **FRESH),
    case(f"F3^ F F o n P4^ F {STAND[4:]} c", "6 burn_count 1/4", **FRESH),
    case(f"F3^ F F F F o n {STAND} c", "5 burn_count 1/5", **FRESH),
    case(f"F3^ F F F F F o n {STAND} c", "5 burn_count 1/5", **FRESH),
    case(f"F3_ F F F o n {STAND} c", "1 face 1/1", **FRESH),
    case(f"F3^ F^ F_ F o n {STAND} c", **FRESH),
    case(f"F_ o n {STAND} c", "1 face 1/1, 4 burn_count 1/2", **FRESH),
    case(f"F o n {STAND} c", "4 burn_count 1/2", **FRESH),
    case(f"F F F o n {STAND} c", **FRESH),
    case(f"{'F ' * 12} o n {STAND} c", "12 burn_count 1/12", **FRESH),
    case(f"F F F r1=2 o n {STAND} c", **FRESH),
    case(f"F F F r1=3 F o n {STAND} c", **FRESH),
    case(f"F F F o r1=3 n {STAND} c", "7 burn_count 1/4", **FRESH),
    case(f"F F F o n {STAND} r1=3 c", "10 burn_count 1/-", **FRESH),
    case(f"F F F o n {STAND} c r1=3", "11 burn_count 2/-", **FRESH),
    case(f"F F F o n {STAND} r1=2 c", **FRESH),
    case(f"F F F F r1=2 o n {STAND} c", "5 burn_count 1/-", **FRESH),
    case(f"F2^ o n {STAND} c", "1 burn_extra 1/1"),
    case(f"o n {STAND} c F2^ F3^ o n {STAND} c", "8 burn_extra 2/1, 9 burn_extra 2/2"),
    case(f"F2^ F F o n {STAND} c F o n {STAND} c", "11 burn_extra 2/1", **FRESH),
    case(f"o n P4^ F3^ {STAND[4:]} PK^ =p c", "4 burn_extra 1/2"),
    case("F2^ o n B4^ PK^ B3^ P2^ c o n B4^ P2^ B3^ P5^ c", "1 burn_extra 1/1, 11 order 2/1"),
    case(f"D3^ D D D o n {STAND} c", observes=["faces", "signals"], **FRESH),
    case(f"D3^ D D o n {STAND} c", "6 burn_count 1/4", observes=["faces", "signals"], **FRESH),
    case("o D9 D8 D3 D2", "2 burn_missing 1/1", observes=[], **FRESH),
]


@pytest.mark.parametrize(("log", "header", "expected"), BURNS)
def test_burns(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


CALLED: dict[str, Any] = {"observes": ["positions", "calls"]}
CALLS = [
    case(f"o {STAND} c"),
    case(f"o N {STAND} c", "3 nmb_missing 1/1"),
    case(f"o N {STAND} c", "3 nmb_missing 1/1", **SLOTS),
    case(f"o N n {STAND} c"),
    case(f"n o {STAND} c", **CALLED),
    case(f"o n {STAND} c", **CALLED),
    case(f"o {STAND} c", "2 nmb_missing 1/1", **CALLED),
    case(f"o P4 n B5 P3 B2 c o n {STAND} c", "2 nmb_missing 1/1", **CALLED),
    case(f"o {STAND} c o {STAND} c", "2 nmb_missing 1/1, 8 nmb_missing 2/1", **CALLED),
    case(f"o n {STAND} c o {STAND} c", "9 nmb_missing 2/1", **CALLED),
    case(f'o {{"type":"call.made","call":"upcard"}} {STAND} c', "3 nmb_missing 1/1", **CALLED),
    case(f"o {STAND} c", "2 burn_missing 1/1", shoe="fresh", **CALLED),
    case("o B4 P5 B3 P2 c", "2 nmb_missing 1/1", **CALLED),
]


@pytest.mark.parametrize(("log", "header", "expected"), CALLS)
def test_the_call(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


LAST_COUP = [
    case(f"/ {coups(2)}", "11 bac_extra_coup 2/1"),
    case(f"/ {coups(2)}", "11 bac_extra_coup 2/1", **CURRENT),
    case(f"o / n {STAND} c {coups(1)}", "11 bac_extra_coup 2/1"),
    case(f"o n / {STAND} c {coups(1)}", "11 bac_extra_coup 2/1"),
    case(f"o n P4^ / B5^ P3^ B2^ c {coups(1)}"),
    case(f"o n P4^ / B5^ P3^ B2^ c {coups(2)}", "18 bac_extra_coup 3/1"),
    case(f"o n P4^ / B5^ P3^ B2^ c {coups(1)}", "11 bac_extra_coup 2/1", **CURRENT),
    case("o n P4_ / B5_ P3_ B2_ t c o n P4_ B5_ P3_ B2_ t c", "12 bac_extra_coup 2/1", **FR),
    case(f"o n P4^ B5^ P3^ / B2^ c {coups(1)}"),
    case(f"o n {FIVE} / P8^ c {coups(2)}", "19 bac_extra_coup 3/1"),
    case(f"o n {STAND} / c {coups(2)}", "18 bac_extra_coup 3/1"),
    case(f"o n {STAND} / c {coups(2)}", "18 bac_extra_coup 3/1", **CURRENT),
    case(f"o n {STAND} =t / c {coups(2)}", "19 bac_extra_coup 3/1"),
    case(f"o n {STAND} c / {coups(2)}", "18 bac_extra_coup 3/1"),
    case(f"/ {coups(3)}", "11 bac_extra_coup 2/1, 18 bac_extra_coup 3/1"),
    case(f"/ {coups(1)} Sa {coups(1)}"),
    case(f"/ {coups(1)} S {coups(1)}"),
    case(f"/ {coups(1)} Sd {coups(1)}", "12 bac_extra_coup 2/1"),
    case(f"/ {coups(1)} L F2^ F F {coups(1)}"),
    case(f'/ {coups(1)} {{"type":"cards.replaced"}} {coups(1)}'),
    case(f"/ o n v o v {coups(2)}", "16 bac_extra_coup 4/1"),
    case(f"/ o n P4^ v {coups(1)}", "8 bac_extra_coup 2/1"),
    case(f"o n P4^ / v {coups(2)}", "15 bac_extra_coup 3/1"),
    case(f"o n P4^ / B5^ v {coups(1)}", "9 bac_extra_coup 2/1", **CURRENT),
    case(f"/ F2^ F F {coups(2)}", "14 bac_extra_coup 2/1", **FRESH),
    case(f"/ {coups(1)} o N P4^ v", "11 nmb_missing 2/1"),
    case("/ o D D D D =t c o D D D D =t c", "10 bac_extra_coup 2/1", observes=[]),
]


@pytest.mark.parametrize(("log", "header", "expected"), LAST_COUP)
def test_the_cutting_card_ends_the_shoe(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


STOCK = [
    case("o n PKs^ BKs^ P7^ B7^ c", "4 inventory 1/2", **ONE_DECK),
    case("o n PKs^ BKh^ P7^ B7^ c", **ONE_DECK),
    case("o n PKs^ BKh^ PKd^ BKc^ PK^ B9 c", "7 inventory 1/5", **ONE_DECK),
    case("o n PKs^ BKs^ PKh^ BKd^ PKc^ B9^ c", "4 inventory 1/2", **ONE_DECK),
    case("o n PKs^ BKs^ PKs^ BKd^ PKc^ BK^ c", "4 inventory 1/2, 5 inventory 1/3", **ONE_DECK),
    case("o n PKs^ BKs^ PK^ BKd^ PKc^ BK^ c", "4 inventory 1/2, 8 inventory 1/6", **ONE_DECK),
    case("o n PK^ BK^ PK^ BK^ PKs^ B9 c", "7 inventory 1/5", **ONE_DECK),
    case("o n PKs_ BKs_ P7_ B7_ t c", "7 inventory 1/-", **ONE_DECK),
    case("o n PKs_ BKs_ P2_ B2_ P3^ v", "7 reveal_order 1/5", **ONE_DECK),
    case("o n PKs_ BKs_ P7_ B7_ =t c", "7 inventory 1/-", options={"decks": 1}, observes=["positions"]),
    case("o PKs BKs P7 B7 c", "6 inventory 1/-", options={"decks": 1}, observes=["positions"]),
    case("o n PKs_ BKs_ P7_ B7_ v", **ONE_DECK),
    case("o P B P B r1=Ks r2=Ks", "7 inventory 1/-", options={"decks": 1}, **SLOTS),
    case("o P B P B r1=Ks r1=Ks r2=Kh", options={"decks": 1}, **SLOTS),
    case("o P B P B r1=K r2=K r1=Ks r2=Ks", "9 inventory 1/-", options={"decks": 1}, **SLOTS),
    case("o n PKs^ BQs^ P7^ B7^ c o n PKs^ v", "10 inventory 2/1", **ONE_DECK),
    case("o n PKs^ BQs^ P7^ B7^ c o n PKs^ v", options={"decks": 1}, observes=["positions", "faces"]),
    case("o n PKs^ BQs^ P7^ B7^ c Sa o n PKs^ v", **ONE_DECK),
    case("o n PKs^ BQs^ P7^ B7^ c S o n PKs^ v", **ONE_DECK),
    case("o n PKs^ BQs^ P7^ B7^ c Sd o n PKs^ v", **ONE_DECK),
    case('o n PKs^ BQs^ P7^ B7^ c {"type":"cards.replaced"} o n PKs^ v', **ONE_DECK),
    case("o n PKs^ BQs^ P7^ B7^ c L F2^ F F o n PKs^ v", **ONE_DECK),
    case("o n PKs^ BQs^ e Sd P7^ BKs^ v", "8 inventory 1/4", **ONE_DECK),
    case("o n P3s^ BQs^ P2s^ BKs^ c o n PAs^ BTs^ e Sd P3s^ v", "7 bac_missing_third 1/-", **ONE_DECK),
    case("L1 F2c^ F F o n PAs^ B7h^ PAs^ v", "9 inventory 1/6"),
    case("L F2c^ F F o n PAs^ B7h^ PAs^ v"),
    case("L1 F2c^ F F o n PAs^ v L F2c^ F F o n PAs^ B7h^ PAs^ v"),
    case('{"type":"cut_card.placed","decks_from_back":0.2,"decks":1} o n PAs^ B7h^ PAs^ v', "6 inventory 1/3"),
    case(
        '{"type":"cut_card.placed","decks_from_back":0.2,"decks":1} L F2c^ F F o n PAs^ B7h^ PAs^ v', "10 inventory 1/6"
    ),
    case("g52 o n P4 v", "4 inventory 1/1", **ONE_DECK),
    case("g51 o n P4 v", **ONE_DECK),
    case("g400 o n P4 v", options={"decks": 1}, **SLOTS),
    case("F2s^ F2s^ F o n P4 v", "2 inventory 1/2", options={"decks": 1}, **FRESH),
    case("F2s^ F2s_ F o n P4 v", options={"decks": 1}, **FRESH),
    case("D!~x r~x=Ks o n PKs^ v", "1 draw_outside_round 1/1, 5 inventory 1/2", **ONE_DECK),
    case("o P B P B P c r1=Ks o P B P B r5=Ks c", options={"decks": 1}, **SLOTS),
    case("o P~a B P B c Sa r~a=Ks o n PKs^ v", **ONE_DECK),
    case("o P~a B P B c r~a=Ks o n PKs^ v", "10 inventory 2/1", **ONE_DECK),
    case("D!~x o P>1 B P B r~x=Ks r2=Ks c", "1 draw_outside_round 1/1, 8 inventory 1/-", options={"decks": 1}, **SLOTS),
]
SHUFFLES = [
    case("o n P4^ Sa B5^ P3^ B2^ c", "4 shuffle_midround 1/-"),
    case("o n P4^ S B5^ P3^ B2^ c", "4 shuffle_midround 1/-"),
    case("o n P4^ Sd B5^ P3^ B2^ c", "4 shuffle_midround 1/-"),
    case('o n P4^ {"type":"cards.replaced"} B5^ P3^ B2^ c', "4 shuffle_midround 1/-"),
    case("o Sa n P4^ B5^ P3^ B2^ c"),
    case(f"o n {STAND} Sa c", "7 shuffle_midround 1/-"),
    case(f"o n {STAND} c Sa"),
    case(f"o n {STAND} PK^ Sa c", "7 bac_draw 1/5, 8 shuffle_midround 1/-"),
    case('o n P4^ e Sd {"type":"cards.cut"} B5^ P3^ B2^ c'),
    case('o n P4^ e S {"type":"cards.cut"} B5^ P3^ B2^ c'),
    case("o n P4^ e Sd F9 B5^ P3^ B2^ c"),
    case("o n P4^ e Sd F9 F8 B5^ P3^ B2^ c", "7 burn_extra 1/3"),
    case("o n P4^ e Sd B5^ F9 P3^ B2^ c", "7 burn_extra 1/3"),
    case("o n D4^ e Sd D5^ D3^ D2^ =t c"),
    case('o n P4^ {"type":"shoe.emptied","reason":"to_hand"} Sd B5^ P3^ B2^ c', "5 shuffle_midround 1/-"),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*STOCK, *SHUFFLES])
def test_the_stock(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)


def opened(*boxes: int) -> str:
    return json.dumps({"type": "round.opened", "boxes": boxes}, separators=(",", ":"))


CUTS = [
    case(cut("box:1", occupied=[1, 2], refused=[]), **FR),
    case(cut("box:2", occupied=[1, 2], refused=[]), "1 cutter_wrong 1/-", **FR),
    case(cut("box:2", occupied=[1, 2], refused=[1]), **FR),
    case(cut("box:2", occupied=[2, 3], refused=[]), **FR),
    case(cut("box:3", occupied=[1, 2, 3], refused=[2]), "1 cutter_wrong 1/-", **FR),
    case(cut("box:3", occupied=[1, 2], refused=[1, 2]), "1 cutter_wrong 1/-", **FR),
    case(cut("dealer", occupied=[1, 2], refused=[1, 2]), **FR),
    case(cut("dealer", occupied=[1, 2], refused=[1]), "1 cutter_wrong 1/-", **FR),
    case(cut("supervisor", occupied=[], refused=[]), **FR),
    case(cut("box:1", refused=[]), **FR),
    case(cut("box:3", refused=[1, 2]), **FR),
    case(cut("box:3", refused=[1]), **FR),
    case(cut("box:2", occupied=[1, 2]), **FR),
    case(cut("box:1", occupied=[1, 2]), **FR),
    case('{"type":"cards.cut"}', **FR),
    case(cut("box:2", occupied=[1, 2], refused=[])),
    case(f"{opened(2, 5)} n P4_ B5_ P3_ B2_ t c {cut('box:5', refused=[])}", "9 cutter_wrong 2/-", **FR),
    case(f"{opened(2, 5)} n P4_ B5_ P3_ B2_ t c {cut('box:2', refused=[])}", **FR),
    case(f"o n P4_ B5_ P3_ B2_ t c {cut('box:2', refused=[])}", **FR),
    case(
        f'{opened(5)} {{"type":"wager.changed","box":2,"change":"made"}} n v {cut("box:5", refused=[])}',
        "5 cutter_wrong 2/-",
        **FR,
    ),
    case(
        f'{opened(2, 5)} {{"type":"wager.changed","box":2,"change":"taken_back"}} n v {cut("box:5", refused=[])}', **FR
    ),
]


def placed(cards: float) -> str:
    return json.dumps({"type": "cut_card.placed", "decks_from_back": cards / 52, "decks": 6}, separators=(",", ":"))


PLACED = [
    case(placed(10), **FR),
    case(placed(10.4), **FR),
    case(placed(9), "1 cutcard_position 1/-", **FR),
    case(placed(11), "1 cutcard_position 1/-", **FR),
    case(placed(78), "1 cutcard_position 1/-", **FR),
    case(placed(78)),
]


@pytest.mark.parametrize(("log", "header", "expected"), [*CUTS, *PLACED])
def test_the_cut_and_the_cutting_card(log: str, header: dict[str, Any], expected: str) -> None:
    held(log, header, expected)
