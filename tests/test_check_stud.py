"""Mississippi stud: what is legal, and each code at its event; a fresh round after a violation is clean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from blackjack_log import lines
from stud_log import stud_event, stud_holds, stud_story

from protocols.dealing.catalog import procedure_named
from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.dealing.rules import STUD
from protocols.errors import LogError, ProcedureError
from protocols.events import LogHeader

LEGAL = """
mh: go1 all1 settle1=win collect1 close
mh: go1,2 1.bet3x1 2.bet3x3 turn3=5s 1.bet4x2 2.fold turn4=Jc 1.bet5x3 turn5=2d settle1=win close
mh: go1,2,3,4 1.fold 2.fold 3.bet 4.bet turn3 3.bet 4.fold turn4 3.bet turn5 settle3=lose close
mh: go1,2,3,4,5,6 1.fold 2.fold 3.fold 4.bet 5.fold 6.bet turn3 4.bet 6.bet turn4 4.bet 6.fold turn5 settle4=win close
mh: go1,2 1.fold 2.fold close
mh: go1,2 1.fold 2.fold turn3 turn4 turn5 close
mh: go1,2 1.fold 2.fold turn3 close
mh: go1,2 1.fold collect1 settle1=lose 2.bet turn3 2.fold settle2=lose mix close go1 1.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>2 4c>3 7h>1 Js>2 Jd>3 board stub 1.fold 2.fold 3.fold close
mh deal_pattern=passes: mix R1,3 nmb 9s>1 Kd>3 4c>1 7h>3 board stub 1.fold 3.fold close
mh deal_pattern=pairs: go1,3 1.fold 3.fold close
mh: mix R1 nmb deal1 board 1.fold close
mh: mix R2,1 nmb wager3=made wager1=taken_back deal2,3 board stub 2.fold 3.fold close
mh: R1 nmb deal1 board stub 1.fold close
mh: mix R1 deal1 board stub 1.fold close
mh: shuffle R1 nmb deal1 board stub 1.fold close
mh: mix=hand mix R1 nmb deal1 board stub 1.fold close
mh: go1 1.fold close mix go1 1.fold close
mh: go1 1.fold close R1 mix nmb deal1 board stub 1.fold close
mh: go1 1.fold close shuffle=discards R1 nmb deal1 board stub 1.fold close
mh: go1 1.fold close replace R1 nmb deal1 board stub 1.fold close
mh: go1 close R1 close go1 1.fold
mh: mix R close mix R1 nmb deal1 board
mh: go1 count=47 1.fold close go1,2,3 count=43 1.fold 2.fold 3.fold close
mh: go1 1.fold close count=47 go1 1.fold count=47 close
mh: go1 1.fold close mix count=52 R1 nmb deal1 board
mh: mix R1 nmb 3c>!1 burned1 deal1 board count=46 stub 1.fold close
mh: mix R1 nmb 9s>1 3c>!1 burned1 Kd>1 board stub 1.fold close
mh without=collection: mix R1 nmb 9s>1 3c>!1 Kd>1 board stub 1.fold close
mh burn=1 shoe=fresh: mix 3c>b go1 1.fold close
mh burn=1: mix load 3c>b R1 nmb deal1 board count=46
mh burn=unset shoe=fresh: go1 1.fold close
mh burn=unset shoe=fresh: mix 3c>b R1 nmb deal1 board
mh: load go1 1.fold close cutcard go1 1.fold close
mh: go1 1.fold close jam clear go1 1.fold close
mh: jam clear go1,2 jam clear 1.fold 2.fold close
mh: mix R1,2 nmb 9s>1a Kd>1a jam 4c>2 7h>2 board
mh: mix R1 nmb deal1 void mix R1 nmb deal1 board stub 1.fold close
mh: R1 nmb ?>1 ?>1 ?>c3 ?>c4 ?>c5 1.bet turn3=K turn4 !reveal_early
mh: go1 all1 R2 mix nmb 3c>2 4d>2 8c>c3 Qc>c4 Kc>c5 2.fold
ms: go1,3 1.bet 3.fold turn3 1.bet turn4 1.bet turn5 settle1=win close load go2 2.fold close
ms: mix=hand R1,3 nmb deal1,3 out board stub 1.fold 3.fold close
ms: mix R1,3 nmb deal1,3 empty board stub 1.fold 3.fold close
ms: mix R1,3 nmb deal1,3 gone board stub 1.fold 3.fold close
ms: mix R1,2 nmb deal1,2 jam out board stub 1.fold 2.fold close
ms: mix R1,2 nmb deal1,2 out jam board stub 1.fold 2.fold close
ms: mix R1,2 nmb jam clear deal1,2 out board stub 1.fold 2.fold close
ms: mix R1,2,3 nmb deal1,2 jam ~round_void void clear mix R1 nmb deal1 out board stub 1.fold close
ms: mix R1,2,3 nmb deal1,2 jam ~round_void close clear go1 1.fold close
ms: mix R1,2,3 nmb 9s>1 jam ~round_void clear void go1 1.fold close
"""
DEAL = """
mh: mix R1,2 nmb 9s>2 !order Kd>2 4c>1 7h>1 board stub 1.fold 2.fold close go1 1.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>1 4c>2 7h>3 !order 3h>3 3d>2 board stub 1.fold 2.fold 3.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>2 4c>2 !order 7h>1 3h>3 3d>3 board stub 1.fold 2.fold 3.fold close
mh deal_pattern=pairs: mix R1,2 nmb 9s>1 4c>2 !order Kd>1 7h>2 board stub 1.fold 2.fold close
mh deal_pattern=passes: mix R1,2 nmb 9s>1 Kd>1 !order 4c>2 7h>2 board stub 1.fold 2.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>1 4c>3 !order 7h>3 3h>2 3d>2 board stub 1.fold 2.fold 3.fold close go1 1.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>1 4c>3 !order 7h>3 board stub 1.fold 2.fold 3.fold close
mh: mix R1,2,3 nmb 9s>1 Kd>1 4c>3 !order 7h>3 5s>c3 Jc>c4 stub !missing_card
mh: mix R1,2 nmb 9s>1 Kd>1 5s>c3 !order Jc>c4 2d>c5 stub 1.fold
mh: mix R1,2 nmb 9s>1 Kd>1 4c>2 5s>c3 !order Jc>c4 2d>c5 stub 1.bet 2.fold turn3 close
mh: mix R1 nmb deal1 Jc>c4 !order 5s>c3 2d>c5 stub 1.fold close
mh: mix R1 nmb deal1 2d>c5 !order
mh: mix R1 nmb 9s>1 3c>!1 Kd>1 !order
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub 2.bet turn3 2.fold close go1 1.fold close
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub 2.fold mix close R1 nmb deal1 board stub 1.fold close
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub settle1=push 2.bet turn3 2.bet turn4 2.bet turn5 settle2=lose close
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub 2.bet 1.bet turn3 2.bet turn4 2.bet turn5 close
mh: mix R1,2 nmb 9s>2 !order Kd>2 4c>1 7h>1 board stub 2.bet !hand_skipped
mh: mix R1,2,3 nmb 9s>2 !order Kd>2 4c>3 7h>3 board stub 3.bet !hand_skipped
mh: mix R1,2 nmb 9s>2 !order mix !shuffle_midround
mh: mix R1,2 nmb 5s>c3 !order mix !shuffle_midround
mh: mix R1,2 nmb 9s>1 Kd>1 1.bet !missing_card turn3 1.fold close go1 1.fold close
mh: mix R1 nmb 9s>1+ !face Kd>1 board stub 1.fold close go1 1.fold close
mh: mix R1 nmb deal1 5s>c3 Jc>c4+ !face 2d>c5 stub 1.fold close
mh: mix R1 nmb 9s>1 Kd>1 3c>1 !extra_card board stub 1.fold close go1 1.fold close
mh: mix R1,2 nmb 9s>1 Kd>1 3c>1 !extra_card burned1 4c>2 7h>2 board
mh: mix R1 nmb deal1 5s>c3 Jc>c3 !extra_card
mh: mix R1 nmb deal1 board 3c>c5 !extra_card
mh: mix R1 nmb 9s>1 Kd>1 5s>c3 7h>c3 !extra_card Jc>c4 2d>c5 1.bet turn3=5s 1.bet turn4 1.bet turn5 close
mh: mix R1 nmb 9s>1 Kd>1 5s>c3 7h>c3 !extra_card Jc>c4 2d>c5 1.bet turn3=7h 1.bet turn4 1.bet turn5 close
mh: mix R1 nmb ?>1 ?>1 ?>c3 ?>c3 !extra_card ?>c4 ?>c5 1.bet turn3=5s 1.bet turn4=Jc 1.bet turn5=2d close
mh: go1,2 1.bet 3c>2 !extra_card
mh: go1,2 1.fold 3c>1 !draw_after_fold 2.bet turn3 close go1 1.fold close
mh: go1,2 1.fold 3c>2 !extra_card
mh: mix R1,3 nmb 9s>1 Kd>1 4c>2 !box_without_wager 7h>2 !box_without_wager close go1 1.fold close
mh: mix R1,3 nmb 9s>2 !box_without_wager
mh: go1,3 1.bet 2.bet !box_without_wager
mh: mix R1,7 !box_limit nmb deal1,7 board stub 1.fold 7.fold close
mh: mix R1,2,3,4,5,6,7 !box_limit
mh: mix R1 wager7=made !box_limit
mh max_boxes=2: mix R1,3 !box_limit
mh: mix R1 nonmb 9s>1 !nmb_missing Kd>1 board stub 1.fold close go1 1.fold close
mh observes=positions,faces,signals,wagers,calls: mix R1 9s>1 !nmb_missing
mh: mix R1 nmb 9s>1 wager1=raised !wager_changed Kd>1 board stub 1.fold close
mh: mix R1 nmb deal1 5s>c3 Jc>c4 stub !missing_card 1.fold close go1 1.fold close
mh: mix R1 nmb deal1 5s>c3 Jc>c4 count=48 !missing_card
mh: mix R1 nmb deal1 5s>c3 Jc>c4 1.bet !missing_card turn3 1.fold close
mh: mix R1 nmb deal1 turn3 !missing_card
mh: mix R1 nmb deal1 5s>c3 Jc>c4 1.fold !missing_card close
mh: mix R1,2 nmb 9s>1 Kd>2 4c>1 close !missing_card go1 1.fold close
mh: mix R1 nmb deal1 5s>c3 R1 !missing_card
mh: mix R1 nmb 1.fold !missing_card
mh: mix R1 nmb deal1 board 3c>b !burn_extra
mh burn=1 shoe=fresh: mix R1 nmb 9s>1 !burn_missing Kd>1 board
mh burn=2 shoe=fresh: mix 3c>b R1 nmb 9s>1 !burn_count
mh: 9s>1 !draw_outside_round mix R1 nmb deal1 board
mh: mix R1 nmb 9s>* !draw_outside_round
ms: jam mix R1 nmb 9s>1 !draw_outside_round
ms: mix R1,2 nmb deal1,2 5s>c3 !community_from_shoe Jc>c4 2d>c5 close go1 1.fold close
ms: mix R1,2 nmb deal1 5s>c3 !community_from_shoe
ms: mix R1,2 nmb 9s>1 4c>2 !order
ms: mix R1 nmb 9s>1 out !missing_card Kd>1 board stub 1.fold close go1 1.fold close
ms: mix R1 nmb 9s>1 out !missing_card board stub 1.fold close
ms: mix R1,2 nmb deal1 out !missing_card board stub 1.fold close go1 1.fold close
ms: mix R1,2 nmb 4c>2 !order 7h>2 out board stub 2.fold close
ms: mix R1 nmb 9s>1 gone 5s>c3 !order
ms: R1 out mix nmb deal1 5s>c3 !community_from_shoe
ms: mix R1,3 nmb 9s>1 Kd>1 4c>1 !extra_card 7h>3 2h>3 close
ms: mix R1,2,3 nmb deal1,2 jam ~round_void 9s>3 !round_void Kd>3 close clear go1 1.fold close
ms: mix R1,2,3 nmb 9s>1 jam ~round_void clear Kd>1 !round_void
ms: mix R1,2,3 nmb 9s>1 jam ~round_void Kd>* !round_void
ms: mix R1,2,3 nmb 9s>1 jam ~round_void 4c>4 !box_without_wager
"""
DECK = """
mh: go1 1.fold close R1 nmb 9s>1 !shuffle_overdue Kd>1 board count=47 stub 1.fold close go1 1.fold close
mh: go1 1.fold close load R1 nmb 9s>1 !shuffle_overdue
mh: go1 1.bet mix !shuffle_midround 1.fold close go1 1.fold close
mh: mix R1 nmb 9s>1 mix !shuffle_midround
mh: go1 1.bet turn3 1.bet mix !shuffle_midround turn4 1.bet turn5 close R1 nmb 9s>1 !shuffle_overdue
mh: go1 1.bet replace !shuffle_midround
ms: mix R1 nmb deal1 gone board mix !shuffle_midround
ms: mix R1 nmb deal1 gone mix !shuffle_midround
ms: mix R1 nmb gone deal1 mix !shuffle_midround
ms: go1 1.fold close gone mix R1 nmb deal1 out board
mh burn=1: go1 1.fold close load 3c>b R1 nmb 9s>1 !shuffle_overdue Kd>1 board count=46 stub 1.fold close
mh: mix=hand R1 nmb 9s>1 !shuffler_required Kd>1 board stub 1.fold close go1 1.fold close
mh: mix mix=hand R1 nmb 9s>1 !shuffler_required
mh: go1 1.fold close mix=hand R1 nmb 9s>1 !shuffler_required
mh uncounted=5: mix R1 nmb 9s>1 !stub_count_overdue Kd>1 board count=47 stub 1.fold close go1 1.fold close
mh uncounted=4: go1 1.fold close mix R1 nmb 9s>1 !stub_count_overdue
mh uncounted=4: go1 count=47 1.fold close go1 1.fold close
mh uncounted=4: go1 1.fold close count=47 go1 1.fold close
mh uncounted=5: count=52 go1 1.fold close
mh uncounted=7: mix R1 count=52 nmb deal1 board
mh stub_count_rounds=1: go1 count=47 1.fold close go1 1.fold close mix R1 nmb 9s>1 !stub_count_overdue
mh stub_count_rounds=2: go1 1.fold close go1 1.fold close mix R1 nmb 9s>1 !stub_count_overdue
mh stub_count_rounds=2: go1 1.fold close mix R1 nmb 9s>1 void go1 1.fold close mix R1 nmb 9s>1 !stub_count_overdue
mh stub_count_rounds=1: go1 1.fold gap close go1 1.fold close
mh uncounted=4: go1 1.fold close gap go1 1.fold close
mh: go1 count=46 !stub_count_mismatch 1.fold close go1 1.fold close
mh: go1,2,3,4,5,6 count=36 !stub_count_mismatch
mh: go1 1.fold close count=46 !stub_count_mismatch mix R1 nmb deal1 board
mh: mix R1 nmb deal1 board exposed !stub_exposed 1.fold close go1 1.fold close
mh: mix R1,2 nmb 9s>1 Kd>1 3c>1 !extra_card 4c>2 7h>2 board exposed !stub_exposed
mh: go1 all1 settle1=win close mix R1 nmb Ks>1 Ks>1 board all1 settle1=win !inventory
mh: mix R1 nmb 9s>1 Kd>1 9s>c3 3c>c4 4d>c5 all1 settle1=push !inventory close go1 1.fold close
mh: mix R1 nmb 9s>1 Kd>1 9s>c3 3c>c4 4d>c5 1.fold turn3 close
"""
STREETS = """
mh: go1,2 2.bet !hand_skipped 1.bet turn3 close go1 1.fold close
mh: go1,2 2.fold !hand_skipped
mh: go1,2 1.bet 1.bet !hand_skipped
mh: go1,2 1.bet3 1.bet3 !hand_skipped
mh: go1 1.bet3 1.bet3 !hand_skipped
mh: go1,2 1.bet 2.bet turn3 2.bet !hand_skipped
mh: go1,2 1.bet4 !reveal_order
mh: go1,2 1.bet 2.bet turn3 1.bet turn4 !reveal_early 2.bet4 1.bet 2.bet turn5 settle1=win close
mh: go1,2 1.bet 2.bet turn3 1.bet turn4 !reveal_early 1.bet turn5 settle1=win close go1 1.fold close
mh: go1,2 1.bet close !hand_skipped go1 1.fold close
mh: go1,2 1.bet 2.bet turn3 R1 !hand_skipped mix nmb 3c>1
mh: go1,2 1.bet 2.bet turn3 collect1 !hand_skipped
mh: go1,2 1.bet 2.bet turn3 settle2=win !hand_skipped
mh: go1,2 1.fold settle1=lose 2.bet turn3 2.bet turn4 2.bet turn5 collect2 close
mh: go1,2 1.fold 2.bet turn3 1.bet !wager_after_fold 2.bet turn4 2.bet turn5 close go1 1.fold close
mh: go1,2 1.fold 1.fold 2.fold close
mh: go1 1.betx4 !wager_range turn3 1.betx2 turn4 1.bet turn5 close
mh: go1 1.betx0 !wager_range
mh: go1,2 2.betx4 !hand_skipped
mh: go1,2 1.bet 3c>1 !extra_card 2.betx4 !wager_range
mh: go1,2 1.bet turn3 !reveal_early 2.bet3 1.bet 2.bet turn4 1.bet 2.bet turn5 close go1 1.fold close
mh: go1,2 turn3 !reveal_early
mh: go1 1.bet turn4 !reveal_order 1.bet turn3 1.bet turn5 close
mh: go1 1.bet turn4 !reveal_order 1.bet turn5 1.bet turn3 close go1 1.fold close
mh: go1 1.bet turn3 1.bet turn5 !reveal_order
mh: go1 1.bet turn3 turn3 !reveal_order
mh: go1,2 1.fold 2.fold turn4 !reveal_order
mh: go1 1.bet turn3 turn4 !reveal_early
mh: go1 1.bet 1.bet4 !reveal_order turn3 1.bet4 turn4 1.bet turn5 close go1 1.fold close
mh: go1 1.bet 1.bet4 !reveal_order turn3 turn4 1.bet turn5 close go1 1.fold close
mh: go1 1.bet 1.bet !reveal_order
mh: go1 1.bet5 !reveal_order
mh: go1 1.bet turn3 1.bet turn4 1.bet settle1=win !reveal_order
mh: go1 1.bet turn3=6s !reader_mismatch 1.bet turn4
mh: go1 1.bet turn3=5 1.bet turn4=J 1.bet turn5=2h !reader_mismatch close
mh: go1 1.bet show3=6s !reader_mismatch
mh: go1 1.bet show3=5s turn3 1.bet
mh: go1 peek !peek_in_no_peek_mode 1.fold close
mh: go1 ins+ !insurance_without_ace 1.fold close
mh: go1 method=nj-ms-shoe !method_unreachable 1.fold close
mh: go1 1.fold gap 1.betx9 close go1 1.fold close
"""
HANDS = [
    ("Kd 9s Ks 4c 2h", "win"),
    ("Jd 9s Js 4c 2h", "win"),
    ("Td 9s Ts 4c 2h", "push"),
    ("6d 9s 6s 4c 2h", "push"),
    ("5d 9s 5s 4c 2h", "lose"),
    ("2d 9s 2s 4c 3h", "lose"),
    ("2d 9s 2s 9c 3h", "win"),
    ("2d 2c 2s 9c 3h", "win"),
    ("2d 2c 2s 9c 9h", "win"),
    ("2d 2c 2s 2h 9h", "win"),
    ("Ad 2c 3s 4c 5h", "win"),
    ("Ad Kc Qs Jc Th", "win"),
    ("Qd Kc As 2c 3h", "lose"),
    ("6d 7c 8s 9c Th", "win"),
    ("Kd 9d 7d 4d 2d", "win"),
    ("Kd 9d 7d 4d 2s", "lose"),
]


@pytest.mark.parametrize("text", lines(LEGAL, DEAL, DECK, STREETS))
def test_a_story(text: str) -> None:
    stud_holds(text)


@pytest.mark.parametrize(("hand", "result"), HANDS)
@pytest.mark.parametrize("told", ["win", "push", "lose", "natural"])
def test_a_hand_is_settled_by_its_five_cards(hand: str, result: str, told: str) -> None:
    cards = " ".join(f"{card}>{to}" for card, to in zip(hand.split(), ["1", "1", "c3", "c4", "c5"], strict=True))
    wrong = "" if told == result else "!settlement_wrong"
    stud_holds(f"mh: mix R1 nmb {cards} all1 settle1={told} {wrong} close go1 1.fold close")


@pytest.mark.parametrize(
    "text",
    lines("""
mh: mix R1 nmb K>1 9>1 7>c3 4>c4 2>c5 all1 settle1=lose ?settlement_wrong close
mh: mix R1 nmb K>1 9>1 7>c3 4>c4 2>c5 all1 settle1=push !settlement_wrong close
mh: mix R1 nmb K>1 K>1 7>c3 4>c4 2>c5 all1 settle1=win close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong show4=Ks !settlement_wrong close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong show4=5s close
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose ?settlement_wrong close show4=Ks !settlement_wrong
mh: mix R1 nmb Kd>1 Ks>1 7d>c3 ?>c4 2h>c5 all1 settle1=lose !settlement_wrong
mh: mix R1 nmb Kd>1 9s>1 7d>c3 ?>c4 2h>c5 all1 settle1=natural !settlement_wrong show4=Ks close
mh: go1 1.fold settle1=win !settlement_wrong
mh: go1 1.fold settle1=lose close
mh: go1 all1 settle1 close
"""),
)
def test_a_settlement_as_far_as_the_cards_are_known(text: str) -> None:
    stud_holds(text)


GRADES = """
mh without=positions,faces: mix R1,2 nmb 9s> Kd> 4c> 7h> 5s> Jc> 2d> stub 1.fold 2.bet turn3 2.fold close
mh without=positions,faces: mix R1,2 nmb 9s> Kd> 4c> 7h> 5s> Jc> 2d> 3c> !extra_card
mh without=positions,faces: mix R1,2 nmb 9s> Kd> 4c> 7h> 5s> Jc> stub !missing_card
ms without=positions,faces: mix R1,2 nmb 9s> Kd> 4c> 7h> 5s> !community_from_shoe
ms without=positions,faces: mix R1 nmb 9s> Kd> out 5s> Jc> 2d> all1 settle1=win !settlement_wrong
ms observes=wagers,shuffle: mix R1,2 nmb 9s> Kd> 4c> jam ~round_void 7h> !round_void
ms observes=: R1 9s> Kd> out 5s> Jc> 2d> turn3 turn4 turn5 settle1=win !settlement_wrong close
ms observes=: R1 9s> ?shuffle_overdue Kd> out 5s> Jc> 2d> turn3 turn5 !reveal_order close
mh without=wagers: mix R nmb 9s>1 Kd>1 4c>3 7h>3 board stub 1.fold 3.bet turn3 3.fold close
mh without=wagers: mix R nmb 9s>1 4c>3 Kd>1 7h>3 board stub 1.fold 3.fold close
mh without=wagers: mix R nmb 9s>1 4c>3 Kd>2 !order
mh without=wagers: mix R nmb 9s>1 4c>3 5s>c3 !order Jc>c4 2d>c5 1.fold
mh without=signals: go1,2 turn3 turn4 turn5 settle1=lose ?settlement_wrong settle2=lose close
mh without=signals: go1,2 turn4 !reveal_order
mh without=signals: go1,2 turn3 settle1=win !hand_skipped
mh without=signals: go1,2 settle2=push !hand_skipped turn3 turn4 turn5 settle1=lose ?settlement_wrong close
mh without=signals: go1,2 turn3 turn4 settle1=win !reveal_order
mh without=signals: go1 settle1=lose turn3 turn4 turn5 close
mh without=signals: go1,2 settle1=lose 9c>1 !draw_after_fold
mh without=signals: go1,2 turn3 collect2 9c>2 !draw_after_fold
mh without=signals: go1,2 turn3 turn4 turn5 settle1=lose ?settlement_wrong 9c>1 !extra_card
mh without=signals: go1,2 turn3 turn4 turn5 collect1 9c>1 !extra_card
mh without=signals: go1 collect1 settle1=lose close
mh without=shuffle: go1 close R1 nmb 9s>1 ?shuffle_overdue Kd>1 board count=47 close count=47 ?stub_count_mismatch
mh burn=1 without=shuffle: go1 1.fold close load 3c>b R1 nmb deal1 board count=46 1.fold close
mh burn=1 without=shuffle: go1 1.fold close 3c>b !burn_extra load 8h>b R1 nmb deal1 board count=46 1.fold close
mh burn=1 without=shuffle: go1 1.fold close load 3c>b R1 nmb deal1 board count=47 !stub_count_mismatch
mh without=positions: mix R1 nmb 9s> 3c>!+ burned1 Kd> 5s> Jc> 2d> stub all1 settle1=lose close
mh without=positions: mix R1 nmb 9s> 3c>!+ Kd> 5s> Jc> 2d> stub all1 settle1=lose close
mh: mix R1 nmb 9s> 3c>!+ burned1 Kd> board stub all1 settle1=lose close
mh: mix R1 nmb 9s>1 3c>!b burned1 Kd>1 Jd>1 stub ?missing_card
mh observes=stub,shuffle: mix R 9> K> 5> J> 2> count=46 !stub_count_mismatch close mix R 9> count=51 close
mh observes=stub,shuffle: mix 9> K> 5> J> 2> count=47 count=46 !stub_count_mismatch
mh observes=stub: R 9> K> 5> J> 2> count=46 !stub_count_mismatch
mh observes=stub,shuffle: mix R 9> K> 6>* !draw_outside_round count=46 ?stub_count_mismatch
mh observes=stub: R 9> K> 5> turn4 ?missing_card turn3 close
mh observes=faces,signals: R 9s> Kd> 4c> 7h> 5s> Jc> 2d> 3c> 1.fold close
mh without=faces: mix R1 nmb 9s>1. Kd>1. 5s>c3. Jc>c4. 2d>c5. 1.fold close
mh: mix R1,2 nmb 9s>1 Kd>. 4c>2 7h>. board stub 1.fold 2.fold close
mh: mix R1,2 nmb 9s> Kd> 4c> 7h>2 board 1.fold 2.fold close
mh: mix R1,2 nmb gap 9s>1 close go1 1.fold close
mh: mix R1,2 nmb 9s>1 gap=2 7h>2 board 1.bet close
mh: R1 nmb ?>1 ?>1 ?>c3 ?>c4 ?>c5 1.bet turn3=K 1.bet turn4=K 1.bet turn5=2 settle1=lose !settlement_wrong
"""


@pytest.mark.parametrize("text", lines(GRADES))
def test_what_a_table_observes_is_judged(text: str) -> None:
    stud_holds(text)


@pytest.mark.parametrize(
    ("header", "token", "part"),
    [
        ("mh", "9>7", "no 'box:7'"),
        ("mh", "9>d", "no 'dealer'"),
        ("mh", "9>1b", "no 'box:1/b'"),
        ("mh", "7.bet", "no box 7"),
        ("mh", "1.hit", "does not have the act 'hit'"),
        ("mh", "hole", "does not have this act"),
        ("mh", "settle1b=win", "one hand a box"),
        ("mh", "collectd", "no 'dealer'"),
    ],
)
def test_what_the_game_does_not_have_makes_the_log_wrong(header: str, token: str, part: str) -> None:
    with pytest.raises(LogError, match=part):
        stud_story(f"{header}:").check().step(stud_event(token))


@pytest.mark.parametrize(
    ("procedure", "options"),
    [
        ("nj-ms-hand", {"decks": 2}),
        ("nj-ms-hand", {"stub_count_rounds": 6}),
        ("nj-ms-hand", {"stub_count_rounds": 0}),
        ("nj-ms-hand", {"pickup": "checked"}),
        ("nj-ms-hand", {"deal_pattern": "both"}),
        ("nj-ms-hand", {"soft_17": "hit"}),
        ("nj-ms-shoe", {"deal_pattern": "either"}),
    ],
)
def test_an_option_that_the_text_settles_has_no_other_value(procedure: str, options: dict[str, object]) -> None:
    with pytest.raises(ProcedureError):
        Check.start(LogHeader(procedure=procedure, options=options))


DUE = [
    ("mh: go1 1.fold close", ("cards.shuffled",)),
    ("mh: mix", ("round.opened",)),
    ("mh uncounted=5: mix", ("stub.counted",)),
    ("mh burn=1 shoe=fresh: mix", ("card.drawn to burn",)),
    ("mh: jam", ("shoe.restored",)),
    ("mh: mix R1,2 9>1", ("card.drawn to box:1 down", "card.drawn to box:2 down")),
    ("mh: mix R1,2 9>1 8>2", ("card.drawn to box:1 down",)),
    ("mh: mix R1 nmb deal1", ("card.drawn to community:3 down",)),
    ("ms: mix R1 nmb deal1", ("shoe.emptied",)),
    ("ms: mix R1 nmb deal1 out", ("card.drawn to community:3 down",)),
    ("mh: mix R1,2,3 nmb 9>1 9>1 8>3", ("card.drawn to box:3 down",)),
    ("mh: mix R1,2,3 nmb 9>1 9>1 8>3 8>3", ("card.drawn to box:2 down", "card.drawn to community:3 down")),
    ("mh: mix R1 nmb deal1 board", ("stub.discarded", "player.acted box:1")),
    ("mh uncounted=4: mix R1 nmb deal1 board", ("stub.counted", "stub.discarded", "player.acted box:1")),
    ("mh: go1,2 1.bet", ("player.acted box:2",)),
    ("mh: go1,2 1.bet 2.fold", ("community.revealed",)),
    ("mh: go1,2 1.fold 2.fold", ("community.revealed", "round.closed")),
    ("mh: go1 all1", ("hand.settled box:1", "round.closed")),
    ("mh: go1 all1 settle1=win", ("round.closed",)),
    ("ms: mix R1,2 nmb 9>1 jam", ("round.voided",)),
    ("mh: mix R1,2 nmb 9>3", ()),
]


@pytest.mark.parametrize(("text", "due"), DUE)
def test_what_is_due(text: str, due: Sequence[str]) -> None:
    log = stud_story(text)
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert check.due() == due


@pytest.mark.parametrize("procedure", ["nj-ms-hand", "nj-ms-shoe"])
def test_each_code_has_one_paragraph(procedure: str) -> None:
    claimed = Counter(code for rule in procedure_named(procedure).rules.values() for code in rule.codes)
    assert claimed == Counter({rule.code for rule in STUD})


def shorter_game() -> Check:
    """Three cards to each box, two community cards, pairs of aces win."""
    procedure = procedure_named("nj-ms-hand")
    assert procedure.stud is not None
    deal = procedure.stud.model_copy(update={"hand_cards": 3, "streets": (3, 4), "winning_pairs": "A"})
    return Check.start(LogHeader(), procedure.model_copy(update={"stud": deal}))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "mix R1,2 nmb 2s>1 2d>1 5h>1 Ks>2 Kd>2 9h>2 Ac>c3 7d>c4 1.bet 2.bet turn3 1.fold 2.bet turn4 settle2=lose",
            [],
        ),
        ("mix R1,2 nmb 2s>1 Ks>2 2d>1 Kd>2 5h>1 9h>2 Ac>c3 7d>c4 1.fold 2.fold close", []),
        ("mix R1,2 nmb 2s>1 2d>1 Ks>2", ["order"]),
        ("mix R1 nmb 2s>1 2d>1 5h>1 6h>1", ["extra_card"]),
        ("mix R1 nmb 2s>1 2d>1 5h>1 6h>c3 1.bet", ["missing_card"]),
        ("mix R1 nmb As>1 Ad>1 5h>1 6h>c3 7h>c4 1.bet turn3 1.bet turn4 settle1=lose", ["settlement_wrong"]),
    ],
)
def test_the_document_says_how_many_cards_and_streets_there_are(text: str, told: list[str]) -> None:
    verdicts = checked(shorter_game(), map(stud_event, text.split()))
    assert [verdict.code for verdict in verdicts if verdict.outcome == "violation"] == told


def test_a_street_that_the_document_does_not_have_makes_the_log_wrong() -> None:
    for token in ("1.bet5", "turn5", "9>c5"):
        with pytest.raises(LogError, match="5"):
            shorter_game().step(stud_event(token))
