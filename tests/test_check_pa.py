"""Pennsylvania and United States house rules: burns of new dealers, cover card, reader, options. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

_ROUND = "R1 9>1 8>d 8>1 9>d- 1.stand hole close"
BURN = f"""
{{0}} shoe=fresh: 4>b {_ROUND}
{{0}} shoe=fresh: R1 9>1 !burn_missing 8>d
{{0}} shoe=fresh: 4>b 5>b !burn_extra R1 9>1
{{0}} shoe=new_dealer: 3>b {_ROUND}
{{0}} shoe=new_dealer: R1 9>1 !burn_missing 8>d
{{0}} shoe=new_dealer: 3>b 4>b !burn_extra R1
{{0}} shoe=new_dealer: R1 3>b !burn_missing 9>1 8>d 8>1 9>d- 1.stand hole close {_ROUND}
{{0}}: 4>b !burn_extra R1
{{0}}: {_ROUND} dealer R1 9>1 !burn_missing 8>d 8>1 T>d-
{{0}}: {_ROUND} dealer 4>b {_ROUND} 5>b !burn_extra
{{0}}: {_ROUND} dealer 4>b 5>b !burn_extra R1 9>1
{{0}}: dealer load 4>b 5>b {_ROUND}
{{0}}: dealer load 4>b {_ROUND}
{{0}}: dealer load 4>b 5>b 6>b !burn_extra R1 9>1
{{0}}: load dealer 4>b 5>b {_ROUND}
{{0}}: load dealer 4>b {_ROUND}
{{0}}: load dealer 4>b 5>b 6>b !burn_extra R1 9>1
{{0}}: load dealer R1 9>1 !burn_missing 8>d
{{0}}: dealer load R1 9>1 !burn_missing 8>d
{{0}}: load 4>b dealer R1 9>1 !burn_missing 8>d
{{0}}: load 4>b dealer 5>b {_ROUND}
{{0}}: load 4>b dealer 5>b 6>b !burn_extra R1 9>1
{{0}}: dealer 4>b load R1 9>1 !burn_missing
{{0}}: dealer 4>b load 5>b {_ROUND}
{{0}}: dealer 4>b load 5>b 6>b !burn_extra R1
{{0}} shoe=fresh: dealer 4>b {_ROUND}
{{0}} shoe=fresh: dealer 4>b 5>b {_ROUND}
{{0}} shoe=fresh: 4>b dealer R1 9>1 !burn_missing
{{0}} shoe=new_dealer: load 4>b 5>b {_ROUND}
{{0}} shoe=new_dealer: dealer 4>b {_ROUND}
{{0}}: dealer load 4>b dealer 5>b {_ROUND}
{{0}}: dealer load 4>b dealer R1 9>1 !burn_missing
{{0}}: dealer load load 4>b 5>b {_ROUND}
{{0}}: R1 9>1 dealer 8>d 8>1 9>d- 1.stand hole close 4>b {_ROUND}
{{0}}: R1 9>1 dealer 8>d 8>1 9>d- 1.stand hole close R1 9>1 !burn_missing
{{0}}: R1 9>1 8>d dealer 4>b !burn_extra 8>1 9>d- 1.stand hole close {_ROUND}
{{0}}: R1 dealer 9>1 8>d 8>1 9>d- 1.stand hole close 4>b {_ROUND}
{{0}}: R1 dealer 9>1 8>d 8>1 9>d- 1.stand hole close R1 9>1 !burn_missing
{{0}}: R1 9>1 dealer void 4>b {_ROUND}
{{0}}: R1 9>1 dealer void R1 9>1 !burn_missing
{{0}}: R1 9>1 dealer 8>d 8>1 9>d- 1.stand hole close load 4>b 5>b {_ROUND}
{{0}}: R1 9>1 dealer 8>d 8>1 9>d- 1.stand hole close load 4>b 5>b 6>b !burn_extra
{{0}}: R1 load dealer 4>b 9>1 8>d 8>1 9>d- 1.stand hole close {_ROUND}
{{0}}: R1 load dealer 4>b 5>b 9>1 8>d 8>1 9>d- 1.stand hole close {_ROUND}
{{0}}: R1 dealer load 4>b 9>1 8>d 8>1 9>d- 1.stand hole close {_ROUND}
{{0}}: R1 load 4>b dealer 9>1 8>d 8>1 9>d- 1.stand hole close R1 9>1 !burn_missing
{{0}}: R1 load 9>1 !burn_missing 8>d
{{0}}: R1 5>1 8>d 6>1 9>d- dealer empty shuffle=discards 4>b 1.hit 9>1 1.stand hole close {_ROUND}
{{0}}: dealer gap R1 9>1 8>d
{{0}}: gap dealer R1 9>1 !burn_missing
{{0}} shoe=fresh: gap dealer 4>b {_ROUND}
{{0}} shoe=fresh: gap dealer R1 9>1 !burn_missing
{{0}}: dealer 5>!b R1 9>1 !burn_missing
{{0}}: dealer 5>!b 4>b {_ROUND}
{{0}} observes=: R 9> 8> 9> T> close dealer R 9> !burn_missing
{{0}} observes= shoe=fresh: R 9> !burn_missing 8>
{{0}} observes=signals,wagers: dealer 4> R1 9> 8> 8> 9> 1.stand hole close
"""
BURNS_OF_THE_HOUSE = f"""
us burn=0: dealer {_ROUND}
us burn=0: dealer 4>b !burn_extra R1
us burn=0 shoe=new_dealer: {_ROUND}
us burn=0 shoe=fresh: {_ROUND}
us burn=3: dealer 4>b {_ROUND}
us burn=3: dealer 4>b 5>b !burn_extra R1
us burn=3 shoe=fresh: dealer 4>b 5>b 6>b {_ROUND}
us burn=3 shoe=fresh: dealer 4>b 5>b 6>b 7>b {_ROUND}
us burn=3 shoe=fresh: dealer 4>b 5>b R1 9>1 !burn_count
us burn=3 shoe=fresh: dealer 4>b 5>b 6>b 7>b 8>b !burn_count
us burn=3 shoe=fresh: 4>b 5>b dealer 6>b {_ROUND}
us burn=3 shoe=fresh: 4>b 5>b dealer R1 9>1 !burn_count
us burn=3 shoe=fresh: 4>b 5>b 6>b dealer R1 9>1 !burn_missing
us burn=unset: dealer R1 9>1 !burn_missing
us burn=unset shoe=fresh: dealer 4>b {_ROUND}
us burn=unset shoe=fresh: dealer R1 9>1 !burn_missing
us burn=unset: dealer 4>b {_ROUND}
us burn=unset: dealer 4>b 5>b !burn_extra
us burn=unset shoe=fresh: dealer 4>b 5>b {_ROUND}
us burn=unset: dealer load R1 9>1 !burn_missing
us burn=unset: dealer load 4>b {_ROUND}
us burn=unset: dealer load 4>b 5>b {_ROUND}
us burn=unset: dealer load 4>b 5>b 6>b !burn_extra
np burn=1: dealer {_ROUND}
np burn=1: dealer 4>b !burn_extra
"""

COVER_CARD = f"""
{{0}}: cutcard {_ROUND} R1 4>1 !shuffle_overdue
{{0}}: R1 cutcard 9>1 8>d 8>1 9>d- 1.stand hole close R1 4>1 !shuffle_overdue
{{0}}: cutcard {_ROUND} dealer R1 4>1 !burn_missing
{{0}}: cutcard {_ROUND} dealer 5>b R1 4>1 !shuffle_overdue
{{0}}: R1 9>1 8>d cutcard 8>1 9>d- 1.stand hole close shuffle load 4>b {_ROUND}
{{0}}: {_ROUND} cutcard {_ROUND} shuffle {_ROUND}
{{0}}: R1 9>1 replace !shuffle_midround
us cut_card_first=reshuffle: cutcard R1 9>1 !shuffle_overdue
us cut_card_first=reshuffle: cutcard shuffle {_ROUND}
"""

DEAL = """
{0}: R1,3 9>1 6>3 8>d 8>1 5>3 T>d- 1.stand 3.double 9>3 hole close
{0}: R1 9>1 8>d- !face 8>1
{0}: R1 9>1 8>d 8>1 9>d !face
{0}: R1 6>1 8>d 5>1 T>d- 1.double 9>1- hole settle1=win close
{0}: R1 6>1 8>d 5>1 T>d- 7>1 1.stand hole close
{0}: R1 6>1 8>d 5>1 T>d- nototal 7>1 1.stand hole close
{0}: R1 nonmb 9>1 8>d 8>1 9>d-
{0}: R1,2 9>1 wager2=made !wager_changed
{0}: R1 9>1 8>d 8>1 9>d- 1.stand look !look_at_hole
{0}: R1 9>1 8>d 8>1 1.hit 2>1 !hole_missing
"""

READER = """
{0}: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.stand hole close
{0}: R1 9>1 K>d 9>1 7>d- 1.stand hole !peek_missing
{0}: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 !peek_missing
{0}: R1 9>1 A>d 9>1 7>d- ins+ ins- peek=no_natural 1.stand hole close
{0}: R1 9>1 A>d 9>1 7>d- peek !peek_before_insurance_closed
{0}: R1 9>1 9>d 9>1 7>d- peek !peek_forbidden_upcard
{0}: R1 9>1 K>d 9>1 7>d- peek=no_natural peek !peek_repeated
{0}: R1 9>1 K>d 9>1 A>d- peek=natural hole settle1=lose close
{0}: R1 9>1 K>d 9>1 A>d- peek=natural 2>1 !draw_after_dealer_natural
{0} scanner_approved=false: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 1.stand hole close
{0} scanner_approved=false: R1 9>1 K>d 9>1 A>d- 1.hit 2>1 1.stand hole close
{0} scanner_approved=false: R1 9>1 K>d 9>1 7>d- peek=no_natural !peek_device_not_approved 1.stand hole close
{0} scanner_approved=false: R1 9>1 6>d 9>1 7>d- peek !peek_device_not_approved
{0} scanner_approved=false: R1 9>1 A>d 9>1 7>d- ins+ 1.insure ins- 1.stand hole close
{0} scanner_approved=false: R1 T>1 8>d 8>1 7>d- 1.hit 9>1 2>1 !draw_after_bust peek !peek_device_not_approved
{0} peek=allowed: R1 9>1 K>d 9>1 7>d- 1.stand hole close
{0}: R1 9>1 K>d 9>1 peek=error !hole_missing
{0}: R1 9>1 K>d 9>1 7>d- fault 1.hit 2>1 1.stand hole close
{0}: fault R1 9>1 8>d- 9>1 K>d 1.stand hole close
{0}: fault R1 9>1 8>d- 9>1 K>d- !face
{0}: fault method=nd-no-hole R1 9>1 8>d 9>1 1.stand 9>d close
{0}: method=nd-no-peek !method_unreachable
{0} insurance=at_turn: R1 9>1 A>d 9>1 7>d- peek=no_natural 1.insure !insurance_late
{0} insurance=at_turn: R1 9>1 A>d 9>1 7>d- 1.insure peek=no_natural 1.stand hole close
{0} insurance=at_turn: R1 9>1 A>d 9>1 7>d- 1.stand hole !peek_missing
"""

PLAY = """
{0}: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.double T>1a 9>1b 1b.stand hole 2>d close
{0} double_after_split=false: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.double T>1a !action_not_offered
{0}: R1,2 T>1 9>2 6>d 6>1 9>2 T>d- 1.surrender 1.stand 2.stand hole=T 5>d close
{0}: R1 T>1 7>d T>1 T>d- 1.stand hole=T settle1=lose !settlement_wrong close
{0}: R1 7>1 9>d 7>1 8>d- 1.hit 7>1 1.hit 2>1 ~draw_on_21
{0}: R1 8>1 6>d 8>1 T>d- 1.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split !split_limit
{0}: R1 A>1 6>d A>1 T>d- 1.split A>1a 1a.split !split_limit
{0} resplit_aces=true: R1 A>1 6>d A>1 T>d- 1.split A>1a 1a.split 2>1a 3>1c 4>1b hole 2>d close
{0} surrender=late: R1 T>1 K>d 6>1 7>d- peek=no_natural 1.surrender settle1=surrender close
{0} surrender=late: R1 T>1 K>d 6>1 7>d- 1.surrender close
{0} surrender=early: R1 T>1 K>d 6>1 7>d- 1.surrender peek=no_natural settle1=surrender close
{0}: R1,2 9>1 T>2 6>d 6>1 9>2 T>d- 2.stand 1.hit 1.stand hole=T 5>d close
{0} split_second_card=at_split: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 9>1b 1a.double T>1a 1b.stand hole 2>d close
{0} soft_17=hit: R1 T>1 6>d 8>1 A>d- 1.stand hole close !dealer_underdraw
{0}: R1 T>1 6>d 8>1 A>d- 1.stand hole close
{0} pickup=checked: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collect1 !pickup_order collect3 collectd
{0} signal=required: R1 6>1 8>d 5>1 T>d- 7>1 !draw_without_signal
"""


@pytest.mark.parametrize("procedure", ["pa", "us"])
@pytest.mark.parametrize("story", lines(BURN, COVER_CARD, DEAL, READER, PLAY))
def test_pennsylvania_and_house_rules(story: str, procedure: str) -> None:
    holds(story.format(procedure))


@pytest.mark.parametrize("story", lines(BURNS_OF_THE_HOUSE))
def test_burns_that_the_house_chooses(story: str) -> None:
    holds(story)
