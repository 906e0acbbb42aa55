"""Mississippi stud: what is legal, and each code at its event; a fresh round after a violation is clean."""

from __future__ import annotations

import pytest
from blackjack_log import lines
from stud_log import stud_holds

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
mh: shuffle R1 nmb Js>1 ?shuffler_required Jd>1 board stub 1.fold close
mh: mix=hand mix R1 nmb deal1 board stub 1.fold close
mh: go1 1.fold close mix go1 1.fold close
mh: go1 1.fold close R1 mix nmb deal1 board stub 1.fold close
mh: go1 1.fold close shuffle=discards R1 nmb Js>1 ?shuffler_required Jd>1 board stub 1.fold close
mh: go1 1.fold close replace R1 nmb Js>1 ?shuffle_overdue Jd>1 board stub 1.fold close
mh: go1 close ?hand_skipped R1 close go1 1.fold
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
ms: mix R1,2,3 nmb deal1,2 jam ~round_void close ?hand_skipped clear go1 1.fold close
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
mh: mix R1,2 nmb 9s>1 Kd>1 4c>2 5s>c3 !order Jc>c4 2d>c5 stub 1.bet 2.fold turn3 close ?hand_skipped
mh: mix R1 nmb deal1 Jc>c4 !order 5s>c3 2d>c5 stub 1.fold close
mh: mix R1 nmb deal1 2d>c5 !order
mh: mix R1 nmb 9s>1 3c>!1 Kd>1 !order
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub 2.bet turn3 2.fold close go1 1.fold close
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub 2.fold mix close R1 nmb deal1 board stub 1.fold close
mh: mix R1,2 nmb 9s>2 !order Kd>2 board stub settle1=push ?settlement_wrong 2.bet turn3 2.bet turn4 2.bet turn5
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
mh: go1,2 1.fold 3c>1 !draw_after_fold 2.bet turn3 close ?hand_skipped go1 1.fold close
mh: go1,2 1.fold 3c>2 !extra_card
mh: mix R1,3 nmb 9s>1 Kd>1 4c>2 !box_without_wager 7h>2 !box_without_wager close ?hand_skipped go1 1.fold close
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
ms: mix R1,2 nmb deal1,2 5s>c3 !community_from_shoe Jc>c4 ?community_from_shoe 2d>c5 ?community_from_shoe
ms: mix R1,2 nmb deal1,2 5s>c3 !community_from_shoe close ?hand_skipped go1 1.fold close
ms: mix R1,2 nmb deal1 5s>c3 !community_from_shoe
ms: mix R1,2 nmb 9s>1 4c>2 !order
ms: mix R1 nmb 9s>1 out !missing_card Kd>1 board stub 1.fold close go1 1.fold close
ms: mix R1 nmb 9s>1 out !missing_card board stub 1.fold close
ms: mix R1,2 nmb deal1 out !missing_card board stub 1.fold close go1 1.fold close
ms: mix R1,2 nmb 4c>2 !order 7h>2 out board stub 2.fold close
ms: mix R1 nmb 9s>1 gone 5s>c3 !order
ms: R1 out mix nmb deal1 5s>c3 !community_from_shoe
ms: mix R1,3 nmb 9s>1 Kd>1 4c>1 !extra_card 7h>3 2h>3 close ?hand_skipped
ms: mix R1,2,3 nmb deal1,2 jam ~round_void 9s>3 !round_void Kd>3 close ?hand_skipped clear go1 1.fold close
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
mh: go1,2 2.bet !hand_skipped 1.bet turn3 close ?hand_skipped go1 1.fold close
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


@pytest.mark.parametrize("text", lines(LEGAL, DEAL, DECK, STREETS))
def test_a_story(text: str) -> None:
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
