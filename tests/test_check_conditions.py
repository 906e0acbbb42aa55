"""Stories that hang on one condition of a rule: next to each of them it would be the other way. One story a row."""

from __future__ import annotations

from typing import Any

import pytest
from blackjack_log import holds, lines, story, verdicts
from coup_log import FR, SLOTS, STAND, case, checked, events, start, told
from stud_log import stud_holds, stud_story

from protocols.hidden import Hidden

HEARD = "observes=positions,faces,signals,wagers,collection,cut,shuffle,stub,calls"
FAR_RIGHT = "R1,4 nmb 9>1 6>4 Q>d 8>1 T>4 1.stand 4.stand cutcard=d 7>d close shuffle"

CUT = f"""
nz: {FAR_RIGHT} cut=5/@2,4,5
nz: {FAR_RIGHT} cut=4/@2,4,5 !cutter_wrong
nz: replace shuffle cut=7/1,2,3,4,5,6
nz: replace shuffle cut=s/1,2,3,4,5,6,7
nz max_boxes=5: replace shuffle cut=s/1,2,3,4,5
"""

DEAL = """
sl: R1,8 !box_limit wager8=taken_back 9>1 8>d 8>1 9>d- 1.stand hole close
sl max_boxes=5: R1 wager6=made !box_limit
nh: R1,2 9>1 9>2 A>d 8>1 1.insure !missing_card
nh: R1,2 9>1 9>2 6>d 8>1 1.hit 2>1 !missing_card
np: R1,2 8>1 8>2 6>d 8>2 !order T>d- 2.stand hole close
sl: R1 9>1 8>d 8>1 9>!d burnedd 9>d- 1.stand hole close
np: R 9>2 7>1 !order
np: R 9>2 7>3 6>d 8>2 9>3 T>d- 2.stand 3.stand hole 5>d close
np: R 9>2 6>d 7>3 !order
np: R 9>2 9>2 !order 7>1
nh: R1 A>1 T>d K>1 T>d. close
nh: R1 5>1 6>d 6>1 1.surrender T>d- !action_not_offered
np: R1,2 9>1 9>2 4>5 !box_without_wager 9>1
np: R 9>1 burned1 9>2 ?order
np: R1 9>1 burned3 6>d 8>1 T>d- 1.stand hole 5>d close
sl without=stub: R1 9>1 8>d 8>1 9>!d 9>d- !order
"""

INSURANCE = """
sl insurance=at_turn: R1 9>1 A>d 8>1 9>d- peek=error 1.insure 1.stand hole close
np: R1 9>1 A>d 8>1 9>d- 1.stand hole 1.insure !insurance_late
np: R1 9>1 A>d 8>1 9>d- ins+ 1.insure ins- 1.stand hole close
np: R1 9>1 8>1 !order ins+ !insurance_without_ace
np without=collection: R1,2 6>1 9>2 6>d 5>1 8>2 T>d- 2.hit 2>2 !hand_skipped ins+ !insurance_without_ace
us without=positions: R1 9> 6> 8> 9> ins+ !insurance_without_ace
us signal=required without=positions: R1 9> 6> 8> 9> 2> !draw_without_signal ins+ ?insurance_without_ace
"""

CALLS = f"""
np: R1 5>1 6>d 6>1 T>d- nocall 1.hit 4>1 !call_missing 1.hit 2>1 1.stand hole 5>d close
np: R1,2 5>1 5>2 6>d nocall 6>1 !call_missing 6>2 T>d-
np: R1 9>1 6>d 8>1 T>d- nocall 1.stand hole 5>d close
np: R1 9>1 6>d 8>1 nocall T>d- 1.stand hole 5>d close
np {HEARD}: R1 5>1 6>d 6>1 T>d- 1.hit 4>1 !call_missing
np {HEARD}: R1 5>1 6>d call 6>1 T>d- 1.hit 4>1 1.stand hole 5>d close
np {HEARD}: R1 9>1 6>d 8>1 T>d- 1.stand hole 5>d close
sl: R1 5>1 6>d 6>1 T>d- nototal 1.hit 4>1 !call_missing
sl: R1 9>1 6>d 8>1 T>d- nototal 1.stand hole 5>d close
"""

READER = """
cr: R1,2 9>1 9>2 K>d 3>1 3>2 7>d- 1.hit 2>1 !peek_missing 1.stand 2.hit 2>2 2.stand hole close
np: method=nd-card-reader !method_unreachable R1 9>1 K>d 9>1 7>d- peek !peek_in_no_peek_mode
np: R1 9>1 6>d 8>1 T>d- 1.stand look hole 5>d close
np: R1 9>1 6>d 8>1 T>d- look !look_at_hole
np observes=positions,faces,signals: R1 9>1 6>d 8>1 T>d- look !look_at_hole
np: R1 A>1 T>d- K>1 look !look_at_hole
sl: R1 9>1 6>d 8>1 T>d- 1.stand look !look_at_hole
sl without=signals: R1 9>1 6>d 8>1 T>d- look !look_at_hole
us: R1,2 5>1 9>2 T>d 6>1 9>d- !order 1.hit 2>1
us: R1 9>1 T>d 8>1 A>d- peek=error peek hole close
nh: R1 9>1 A>d 8>1 peek !peek_in_no_peek_mode K>d !dealer_played_early
us: R1 9>1 T>d 8>1 9>d- peek 5>d !hole_not_turned hole ?dealer_played_early
np: R1 9>1 6s>d 8>1 Ts>d- 1.stand hole=6s !reader_mismatch
nh: R1 9>1 6s>d 8>1 1.stand Ts>d 5s>d hole=5s !reader_mismatch
"""

TURNS = """
np: R1 5>1 6>d 6>1 T>d- collectd !hand_skipped
np: R1 5>1 6>d 6>1 T>d- R1 !hand_skipped
np: R1,2 T>1 8>2 6>d 6>1 8>2 T>d- 1.surrender 2.split !action_not_offered
np: R1 5>1 6>d 6>1 T>d- 1.surrender 4>1 !action_not_offered 1.stand hole 5>d close
np draw_on_21=allow: R1 7>1 6>d 7>1 T>d- 1.hit 7>1 1.hit T>1 hole close
np draw_on_21=warn: R1 7>1 6>d 3>1 T>d- 1.hit ?>1 1.hit 2>1 ?draw_on_21
sl: R1 7>1 6>d 3>1 T>d- 1.hit ?>1 1.hit 2>1 ?draw_on_21
np draw_on_21=warn: R1 7>1 6>d 7>1 T>d- 1.hit 7>1 1.hit T>1 ~draw_on_21 hole close
np: R1,2 8>1 5>2 6>d 6>2 !order T>d- 2.hit 2>2 2.stand hole 5>d close
np: R1,2 6>1 9>2 6>d 5>1 8>2 T>d- 2.hit 2>2 !hand_skipped 1.hit 3>1
np without=collection: R1,2 T>1 9>2 6>d 6>1 8>2 T>d- 1.hit ?>1 2.hit 2>2 1.hit 2>1 !draw_after_bust
np: R1,2 T>1 9>2 6>d ?>1 8>2 T>d- 2.hit 2>2 1.hit 3>1 !hand_skipped 1.hit 2>1 ?draw_after_bust
np: R1,2 5>1 T>2 6>d 6>1 ?>2 T>d- 1.hit 2>1 1.stand 2.hit 2>2 ?draw_on_blackjack 2.stand hole 5>d close
np: R1 T>1 6>d T>1 T>d- 1.split 5>1a 1a.hit ?>1a 3>1b 1b.hit 2>1b 1a.hit 2>1a ?draw_after_bust
np: R1,2 T>1 8>2 6>d 6>1 8>2 T>d- 1.hit ?>1 2.split 3>2a 1.hit 2>1 !draw_after_bust
np: R1,2 T>1 8>2 6>d ?>1 8>2 T>d- 2.split 1.hit 2>1 !hand_skipped
nh: R1 T>1 6>d ?>1 T>d 1.hit 2>1 !dealer_played_early
np: R1,2 9>1 6>d !order 8>1 T>d- collect2 1.stand hole 5>d close
us surrender=late: R1,2 A>1 5>2 6>d ?>1 6>2 9>d- 1.surrender 2.hit 2>2 2.surrender hole !action_not_offered
us surrender=late: R1,2 5>1 T>2 6>d 6>1 6>2 9>d- 1.hit 2>1 1.surrender 2.surrender settle2=surrender
"""

ENDS = """
np: R1 9>1 6>d 8>1 T>d- 1.stand settle1=lose !hole_not_turned close
nh: R1 9>1 6>d 8>1 1.stand T>d settle1=lose !dealer_underdraw close
np: R1,2 9>1 9>2 6>d 8>1 8>2 T>d- 1.stand 2.stand settle2=lose !hole_not_turned settle1=lose ?dealer_underdraw close
nh: R1,2 9>1 9>2 6>d 8>1 8>2 1.stand 2.stand T>d settle2=lose !dealer_underdraw settle1=lose ?settlement_wrong close
np: R1,2 5>1 9>2 6>d 6>1 8>2 T>d- settle2=lose !hand_skipped settle1=lose ?dealer_underdraw close
np: R1 5>1 6>d 6>1 T>d- burned1 hole ?missing_card
nh: R1 9>1 6>d 8>1 1.stand T>d 6>d settle1=lose !settlement_wrong close
np: R1 6>1 6>d 9>1 T>d- 1.double ?>1 hole 5>d settle1=win !settlement_wrong
np: R1 6>1 6>d 9>1 T>d- 1.double ?>1 hole 5>d settle1=push ?settlement_wrong
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole 2>d settle1=push close
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole 2>d settle1=lose close
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole 2>d settle1=win !settlement_wrong
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole 2>d settle1a=lose !settlement_wrong
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole 2>d settle1b=push !settlement_wrong
sl: R1,2 T>1 9>2 6>d 6>1 8>2 T>d- 1.hit T>1 collect1 2.stand hole 5>d collect2 collectd close
sl: R1,2 T>1 9>2 6>d 6>1 8>2 T>d- 1.hit T>1 2.stand hole 5>d collect1 collect2 collectd close
sl: R1,2 9>1 9>2 6>d 9>1 8>2 T>d- 1.stand 2.stand hole 5>d collect1 !pickup_order collect2 collectd close
sl: R1,2 9>1 9>2 6>d 9>1 8>2 T>d- 1.stand 2.stand hole 5>d collect2 collect2 collect1 collectd close
sl: R1,2 9>1 9>2 6>d 5>1 8>2 T>d- 1.hit ?>1 1.stand 2.stand hole 5>d collect1 ?pickup_order collect2 collectd close
sl: R1 T>1 6>d 6>1 T>d- 1.hit T>1 hole collectd !pickup_order
np: R1 9>1 A>d 8>1 K>d- 1.stand hole 4>b !burn_extra
us surrender=late: R1 A>1 6>d ?>1 9>d- 1.surrender settle1=natural ?settlement_wrong
us surrender=late: R1 A>1 6>d ?>1 9>d- 1.surrender settle1=push ?settlement_wrong
us surrender=late: R1 A>1 6>d ?>1 9>d- 1.surrender settle1=win !settlement_wrong
us surrender=late: R1 9>1 6>d 7>1 9>d- 1.surrender settle1=natural !settlement_wrong
sl: R1,2,3 9>1 9>2 9>3 collect1 !hole_missing collect2
sl: R1,2 9>1 6>d !order 8>1 T>d- 1.stand hole 5>d collect2 collect1 collectd close
us surrender=late: R1 A>1 6>d ?>1 9>d- 1.surrender settle1=surrender ?action_not_offered
us: R1,2 9>1 9>2 T>d 8>1 8>2 A>d- peek=natural settle2=lose !hole_not_turned settle1=natural !settlement_wrong
np: R1 9>1 6>d 8>1 T>d- 1.stand hole collect1 !dealer_underdraw settle1=win close
np: R1 9>1 T>d 8>1 ?>d- 1.stand hole settle1=win !settlement_wrong
us surrender=late peek=allowed: R1 9>1 T>d 7>1 A>d- 1.surrender peek=natural hole settle1=surrender close
np: R1 9>1 6>d 8>1 T>d- 1.stand hole 5>d 2>d !dealer_overdraw burnedd burnedd settle1=lose ?dealer_underdraw
np: R1 5>1 6>d 6>1 T>d- 1.hit 2>1 burned1 hole ?dealer_played_early
"""

SHOE = """
fr shoe=fresh: 4>b R1 9>1 !burn_count 6>d 8>1 1.stand T>d 2>d close R1 9>1 6>d 8>1 1.stand T>d 2>d close
fr shoe=fresh: 4>b 5>b 6>b 7>b 8>b R1 9>1 6>d 8>1 1.stand T>d 2>d close 3>b !burn_extra
fr shoe=fresh: 4>b 5>b 6>b 7>b 8>b 3>b !burn_count R1 9>1 6>d 8>1
fr shoe=fresh: R1 9>1 !burn_missing 6>d 8>1 1.stand T>d 2>d close R1 9>1 6>d 8>1 1.stand T>d 2>d close
np shoe=fresh: R1 9>1 4>b !burn_extra
"""

_TWO = "R1,2 6>1 9>2 6>d 5>1 8>2 T>d-"
_SKIPPED = f"{_TWO} 2.hit 2>2 !hand_skipped"
OPEN_AFTER = f"""
us: {_TWO} 1.surrender 4>1 !action_not_offered hole ?dealer_played_early
np: {_TWO} hole !dealer_played_early close ?hand_skipped
us: R1,2 T>1 9>2 6>d 6>1 8>2 T>d- 1.hit T>1 2>1 !draw_after_bust hole ?dealer_played_early
np: R1 9>1 A>d 8>1 K>d- 1.stand hole 2>d !draw_after_dealer_natural settle1=win ?settlement_wrong
us: {_TWO} 1.double 2>1 3>1 !draw_after_double hole ?dealer_played_early
us: {_TWO} 1.stand 3>1 !draw_after_stand hole ?dealer_played_early
us surrender=late: {_TWO} 1.surrender 2>1 !draw_after_surrender hole ?dealer_played_early
sl: R1,2 7>1 9>2 6>d 7>1 8>2 T>d- 1.hit 7>1 2>1 !draw_on_21 hole ?dealer_played_early
us: R1,2 A>1 9>2 6>d K>1 8>2 T>d- 2>1 !draw_on_blackjack hole ?dealer_played_early
np: {_TWO} 2>1 !draw_without_signal hole ?dealer_played_early
np: {_SKIPPED} hole ?dealer_played_early
nh: R1,2 6>1 9>2 6>d 5>1 8>2 T>d- !hole_not_allowed close ?hand_skipped
us: R1,2 A>1 9>2 6>d A>1 8>2 T>d- 1.split 5>1a 2>1a !split_ace_extra hole ?dealer_played_early
us max_hands=2: R1,2 8>1 9>2 6>d 8>1 8>2 T>d- 1.split 8>1a 1a.split !split_limit hole ?dealer_played_early
us: {_TWO} 1.split !split_not_pair hole ?dealer_played_early
us: R1,2 8>1 9>2 6>d 8>1 8>2 T>d- 1.split 3>1b !split_order hole ?dealer_played_early
sl: R1,2 9>1 7>2 6>d 8>1 2>1 !extra_card 9>d- ?order
np: {_TWO} 4>5 !box_without_wager hole ?dealer_played_early
np: R1 9>1 6>d 8>1 Ts>d- 1.stand hole=9s !reader_mismatch settle1=lose ?dealer_underdraw
np: {_TWO} 9>* !draw_outside_round hole ?dealer_played_early
sl: 4>b !burn_extra R1,2 9>1 8>1 ?order
np: R close R1,2 6s>1 9>2 6>d 5>1 8>2 T>d- 2.hit 2>2 !hand_skipped show1=3s ?reader_mismatch
"""

STILL_REPORTED = f"""
np max_boxes=2: {_SKIPPED} wager3=raised !box_limit
np: {_SKIPPED} wager1=raised !wager_changed
np: {_SKIPPED} 4>5 !box_without_wager
np: {_SKIPPED} shuffle !shuffle_midround
np: {_SKIPPED} peek !peek_in_no_peek_mode
us signal=required scanner_approved=false: {_SKIPPED} peek !peek_device_not_approved
np: {_SKIPPED} ins+ !insurance_without_ace
np: {_SKIPPED} method=nd-card-reader !method_unreachable
np: {_SKIPPED} 9>* !draw_outside_round
np decks=1: R1,2 6s>1 9s>2 6h>d 5s>1 8s>2 Ts>d- 2.hit 2s>2 !hand_skipped 6s>1 !inventory
sl: cutcard 4>b !burn_extra R1 9>1 !shuffle_overdue
nz burn=0: 4>b !burn_extra R1 nonmb 9>1 !nmb_missing
sl: 4>b !burn_extra 5>b !burn_extra
sl: R1 9>* !draw_outside_round 4>b !burn_extra
sl shoe=fresh: R1 9>* !draw_outside_round 9>1 !burn_missing
fr shoe=fresh: 4>b R1 9>* !draw_outside_round 6>1 !burn_count
nz burn=0: 4>b !burn_extra placed=3/8no !cutcard_position
nz burn=0: 4>b !burn_extra replace shuffle cut=2/@1,2 !cutter_wrong
"""

_NINES = "mix R1 nmb 9s>1 ?>1 5s>c3 Jc>c4 9d>c5 all1"
STUD = f"""
mh uncounted=0: R1 nmb deal1 board stub 1.fold close
mh uncounted=0: go1 1.fold close gap R1 nmb Js>1 ?shuffle_overdue
mh uncounted=0 without=shuffle: R1 nmb Js>1 ?shuffle_overdue
mh: mix R1 nmb Js>1 ?stub_count_overdue
mh uncounted=5: mix R1 nmb Js>1 !stub_count_overdue
mh uncounted=5 without=stub: mix R1 nmb Js>1 ?stub_count_overdue
mh uncounted=4: go1 1.fold close
ms uncounted=0: mix R1,2 nmb 9s>1 Kd>1 4c>2 out !missing_card 7h>2 board stub 1.fold 2.fold close
ms uncounted=0: mix R1,2 nmb 9s>1 Kd>1 4c>2 7h>2 out board stub 1.fold 2.fold close
mh uncounted=0: mix R1 nmb 9s>1 Kd>1 5s>c3 Jc>c4 stub !missing_card
mh uncounted=0: go1,2 1.bet 2.fold turn3 collect1 !hand_skipped
mh uncounted=0: go1 all1 settle1=win collect1 close
mh uncounted=0: go1 1.bet settle1=win !hand_skipped
mh uncounted=0: go1 settle1=lose !hand_skipped
mh uncounted=5: mix R1 nmb 9s>* !draw_outside_round Js>1 !stub_count_overdue
mh uncounted=0: mix=hand R1 nmb 9s>* !draw_outside_round Js>1 !shuffler_required
mh uncounted=0 observes=positions,faces,signals,shuffle: go1 1.fold close R1 nmb Js>1 !shuffle_overdue
mh uncounted=5 observes=positions,faces,shuffle,stub: mix R1 nmb Js>1 !stub_count_overdue
mh uncounted=0 observes=positions,faces,signals: go1,2 2.bet !hand_skipped
mh uncounted=0 observes=positions,faces,signals: go1,2 1.bet turn3 !reveal_early
ms uncounted=0: mix R1,2 nmb Js>1 Jd>1 jam ~round_void clear jam void
mh uncounted=0: go1,2 1.bet 2.fold settle2=lose turn3 1.bet turn4 1.bet turn5 settle1=win close
mh uncounted=0: mix R nmb Js>1 Jd>1 Jc>1 !extra_card
mh uncounted=0: go1 gap close count=30 ?stub_count_mismatch
mh max_boxes=1 uncounted=0: mix R nmb Js> Jd> 5s> Jc> 2d> 9s>
mh uncounted=0: turn3
mh uncounted=0 without=signals: go1 1.bet3 1.bet3
mh uncounted=0 without=collection: go1 1.bet3 1.bet3 !hand_skipped
mh uncounted=0 without=signals: go1 settle1=win !hand_skipped
mh uncounted=0 without=collection: go1 settle1=lose !hand_skipped
mh uncounted=0: go1 1.bet turn4 !reveal_order turn4 !reveal_order
mh uncounted=0: go1 all1 settle1=win close go1 all1 settle1=lose !settlement_wrong close
mh uncounted=0: go1,2 1.bet 2.bet turn3 1.bet 2.bet turn4 1.bet 2.bet turn5 settle2=win !settlement_wrong
mh uncounted=0: go1,2 1.bet 2.bet turn3 1.bet 2.bet turn4 1.bet 2.bet turn5 settle1=win settle2=win !settlement_wrong
mh uncounted=0: {_NINES} settle1=lose !settlement_wrong show2=2h
mh uncounted=0: {_NINES} settle1=push close mix R1 nmb Js>5 !box_without_wager show2=Jd !settlement_wrong
"""

DOWN: dict[str, Any] = {"options": {"deal_faces": "down"}}
COUPS = [
    case("o P B P B P r1=8 r2=K r3=T c o P>5", "9 bac_draw_on_natural 1/-", **SLOTS),
    case(
        "o P~a B~b P~c B~d P~e c o P4^ B5^ P3^ B2^ r~a=8 r~b=K r~c=T P9^ c",
        "15 bac_draw_on_natural 2/-, 16 bac_draw 2/5",
        **SLOTS,
    ),
    case("D c o n P>1", "", observes=["faces"]),
    case(f"o n {STAND} PK^ bP c o n P>5", "7 bac_draw 1/5, 12 order 2/-"),
    case(f"o n {STAND} PK^ c o n P4^ B>5", "7 bac_draw 1/5, 12 order 2/-"),
    case("o n P4_ B9^* bB B5_ P3_ B2_ t c", "", **FR),
    case("o n P4_ B5_ P>1", "5 order 1/-", **DOWN),
    case("P9_ bP o n P>1", "5 order 1/-", observes=["faces"], **DOWN),
    case("P9_! bP o n P_ B_ P_ B_ t P^ c o n P>1", "1 draw_outside_round 1/1, 14 order 2/-", **DOWN),
    case("o n P4 F_ r2=5", "3 burn_missing 1/1, 5 burn_count 1/-", shoe="fresh"),
    case("o n P2 BK P2 B P5 bB r4=8", ""),
    case("o n P4_ P9^! B5_ P3_ B2_ t c", "4 draw_outside_round 1/2", **FR),
]
NOT_JUDGED = {
    "o P B P B P B r1=2": "6 bac_draw_on_natural 1/5, 7 bac_draw_on_natural 1/6",
    "o P B P B P r1=8 r2=K r3=T c o P>5": "6 bac_draw_on_natural 1/5",
    "o P4^ B5^ P4^ B2^ PK^ r1=9": "7 reader_mismatch 1/-",
    "o P B P B P c o P>5": "6 bac_draw_on_natural 1/5, 7 bac_draw_on_natural 1/-, 9 order 2/-",
}


@pytest.mark.parametrize(
    "text", lines(CUT, DEAL, INSURANCE, CALLS, READER, TURNS, ENDS, SHOE, OPEN_AFTER, STILL_REPORTED)
)
def test_blackjack(text: str) -> None:
    holds(text)


@pytest.mark.parametrize("text", lines(STUD))
def test_stud(text: str) -> None:
    stud_holds(text)


@pytest.mark.parametrize(("log", "header", "expected"), COUPS)
def test_a_coup(log: str, header: dict[str, Any], expected: str) -> None:
    assert told(checked(log, **header)) == expected


@pytest.mark.parametrize("log", NOT_JUDGED)
def test_what_waits_for_a_value_is_open_on_its_card_only(log: str) -> None:
    assert told(checked(log, **SLOTS), "unobservable") == NOT_JUDGED[log]


def test_a_card_that_proves_wrong_later_is_named() -> None:
    wrong = checked("o P B P B P r1=8 r2=K r3=T", **SLOTS)[-1]
    assert (wrong.draw, wrong.detail) == (None, "card 5 of the coup: with an eight or nine on the table nobody draws")


FACES = {
    "us shoe=fresh: 4>b": None,
    "us observes=faces: R 4>": None,
    "us: R1 8>1.": "up",
    "us: R1 8>1 6>d 8>1 T>d.": "down",
    "us: R1 8>1 6>d 8>1 T>d 1.hit 3>1.": "up",
    "us: R1 8>1 6>d 8>1 T>d- 1.double 3>1.": None,
    "us: R1 8>1 6>d 8>1 T>d- 1.double 3>1 2>1.": "up",
}


@pytest.mark.parametrize("text", FACES)
def test_a_card_whose_face_nobody_saw_lies_as_the_procedure_says(text: str) -> None:
    assert verdicts(story(text))[-1].face == FACES[text]


def test_the_second_card_of_a_split_hand_may_lie_closed_where_nobody_hears_a_double() -> None:
    log = story("us observes=positions,wagers: R1 8>1. 6>d. 8>1. T>d. 1.split 3>1a.")
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert [isinstance(card, Hidden) for card in check.values().values()] == [False] * 3 + [True, True]


def test_what_may_be_the_card_of_a_double_stays_closed() -> None:
    deal, played = "5>1. 9>2. 9>3. 6>d. 6>1. 9>2. 9>3. T>d.", "2>1. 3>1. hole 9>d."
    log = story(f"us observes=positions,wagers: R1,2,3 {deal} {played}")
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert [isinstance(card, Hidden) for card in check.values().values()] == [False] * 8 + [True, True, False]


FOUR_CARDS = "R1 9h>1 7s>d 8d>1 Th>d- 1.stand hole close"
DETAILS = {
    "nz: R1 nmb A>1 6>d A>1 1.split A>1a 1a.split": "split aces are not split again",
    "nz: R1 nmb 8>1 6>d 8>1 1.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split": "a box has at most 4 hands",
    "np: R1 9>1 6>d 8>1 T>d- 1.stand close": "the hole card was not turned",
    "nh: R1 9>1 6>d 8>1 1.stand T>d close": "the dealer has to draw",
    "nz: placed=3/8no": "the cutting card lies 156 cards from the back, it belongs 52 to 104 from there",
    "fr: placed=0.4/6": "the cutting card lies 21 cards from the back, it belongs further in from there",
    "nz: replace shuffle cut=4/@1,4": "box 1 should have been offered the cut first",
    "nz: replace shuffle cut=2/@1,4": "box 2 has no player, box:2 cannot cut",
    "us burn=0: shuffle placed=1.5/2 R1 9h>1": None,
    f"us burn=0: shuffle placed=1.5/2 {' '.join([FOUR_CARDS] * 4)} cutcard": None,
}


def test_the_places_that_wait_for_a_stack_are_named() -> None:
    log = stud_story("ms uncounted=0: mix R1,2 nmb 9s>1 Kd>1 4c>2 out")
    assert verdicts(log)[-1].detail == "the deal is not complete: box:2"


def test_a_result_that_waits_for_a_card_is_open_on_its_own_event_only() -> None:
    deal, play = "9s>1 ?>1 4c>2 7h>2 5s>c3 Jc>c4 9d>c5", "1.bet 2.fold turn3 1.bet turn4 1.bet turn5"
    found = verdicts(stud_story(f"mh uncounted=0: mix R1,2 nmb {deal} {play} settle1=push settle2=lose"))
    assert [verdict.code for verdict in found[-2:]] == ["settlement_wrong", None]


def test_a_settled_coup_only_waits_for_its_end() -> None:
    check = start()
    for event in events("o n P2 B2 P2 B2 s"):
        check, _ = check.step(event)
    assert check.due() == ("round.closed",)


def test_a_round_of_which_no_box_is_known_is_not_at_its_end_before_the_community_is_turned() -> None:
    log = stud_story("mh uncounted=0: mix R nmb 5s>c3 Jc>c4 2d>c5")
    check = log.check()
    for event in log.events:
        check, _ = check.step(event)
    assert check.due() == ("stub.discarded", "community.revealed")


@pytest.mark.parametrize("text", DETAILS)
def test_what_a_supervisor_reads(text: str) -> None:
    assert verdicts(story(text))[-1].detail == DETAILS[text]
