"""The dealer's hand in blackjack: reader, hole card, fallback, drawing, settlement, pickup. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

PEEK = """
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.stand hole close
cr: R1 9>1 K>d- 9>1 A>d ins- peek=natural hole close
cr: R1 9>1 A>d- 9>1 K>d peek=natural hole settle1=lose close
cr: R1 9>1 K>d 9>1 7>d- 1.stand hole !peek_missing close
cr: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 !peek_missing 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 !peek_missing 1.hit A>1 peek=no_natural 1.stand hole close
cr: R1 9>1 A>d 9>1 7>d- 1.hit 2>1 !peek_missing 1.stand hole close
cr: R1 9>1 A>d 9>1 7>d- 1.stand 2>d !hole_not_turned
cr: R1 9>1 6>d 9>1 T>d- peek=no_natural !peek_forbidden_upcard 1.stand hole 5>d close
cr: R1 9>1 6>d- 9>1 7>d peek !peek_forbidden_upcard 1.stand
cr: R1 9>1 A>d 9>1 7>d- peek=no_natural !peek_before_insurance_closed ins- 1.stand hole close
cr: R1 9>1 A>d 9>1 7>d- ins+ peek=no_natural !peek_before_insurance_closed ins- 1.stand hole close
cr: R1 9>1 A>d 9>1 7>d- ins+ ins- peek=no_natural 1.stand hole close
cr: R1 9>1 A>d 9>1 7>d- ins- peek=no_natural 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural peek=no_natural !peek_repeated 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.hit 2>1 peek=no_natural !peek_repeated
cr: R1 9>1 K>d 9>1 7>d- peek peek !peek_repeated
cr: R1 9>1 K>d 9>1 7>d- peek=error peek=no_natural 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=error 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=error 1.hit peek=no_natural 2>1 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=error 1.hit 2>1 peek=no_natural !peek_repeated
cr: R1 9>1 K>d 9>1 7>d- peek=error fault peek=no_natural !peek_in_no_peek_mode
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural fault 1.stand peek=no_natural !peek_in_no_peek_mode
np: R1 9>1 K>d 9>1 7>d- peek=no_natural !peek_in_no_peek_mode 1.stand hole close
np: R1 9>1 6>d 9>1 T>d- peek=no_natural !peek_in_no_peek_mode
nh: R1 9>1 A>d 9>1 peek !peek_in_no_peek_mode 1.stand
cr: R1 9>1 K>d 9>1 A>d- peek=natural 2>1 !draw_after_dealer_natural
cr: R1 9>1 K>d 9>1 A>d- peek=natural hole 1.hit 2>1 !draw_after_dealer_natural
cr: R1 9>1 K>d 9>1 A>d- peek=natural hole 2>d !draw_after_dealer_natural
np: R1 9>1 K>d 9>1 A>d- 1.stand hole 2>d !draw_after_dealer_natural
nh: R1 9>1 K>d 9>1 1.stand A>d 2>d !draw_after_dealer_natural
np: R1 9>1 K>d 9>1 A>d- hole !dealer_played_early
cr: R1 9>1 K>d 9>1 A>d- peek=natural settle1=lose !hole_not_turned
cr: R1 9>1 K>d 9>1 A>d- peek=natural close !hole_not_turned
cr: R1 A>1 K>d T>1 A>d- peek=natural settle1=push !hole_not_turned
cr: R1 A>1 K>d T>1 A>d- peek=natural collect1 !hole_not_turned
cr: R1 A>1 A>d- T>1 T>d peek=natural settle1=natural !hole_not_turned
cr: R1 A>1 K>d T>1 A>d- peek=natural hole settle1=push collect1 collectd close
cr: R1,2 A>1 9>2 K>d T>1 9>2 A>d- peek=natural settle1=push !hole_not_turned settle2=lose ?settlement_wrong close
cr: R1 9>1 A>d 9>1 K>d- ins- peek=no_natural 1.stand hole !reader_mismatch 2>d ?draw_after_dealer_natural
cr: R1 9>1 K>d 9>1 7>d- peek=natural hole !reader_mismatch
cr: R1 9>1 6>d 9>1 T>d- 1.stand hole=9 !reader_mismatch
np: R1 9>1 6>d 9>1 Td>d- 1.stand hole=Th !reader_mismatch
np: R1 9>1 6>d 9>1 T>d- 1.stand hole=Th 5>d close
np: R1 9>1 6>d 9>1 ?>d- 1.stand hole=T 5>d close
np: R1 9>1 6>d 9>1 T>d- show4=9 !reader_mismatch
np: R1 9>1 6>d. 9>1 T>d. 1.stand hole=9 !reader_mismatch
np: R1 9>1 6>d. 9>1 T>d. 1.stand hole=6 5>d close
"""

FALLBACK = """
cr: fault R1 9>1 K>d 9>1 7>d- 1.stand hole close
cr: fault R1 9>1 K>d 9>1 7>d- peek !peek_in_no_peek_mode
cr: fault method=nd-no-hole R1 9>1 A>d 8>1 ins- 1.stand 9>d close
cr: fault method=nd-no-hole R1 9>1 K>d- !face
cr: fault method=nd-no-peek R1 9>1 A>d 8>1 ins- 9>d- 1.stand hole close
cr fallback=nd-no-hole: fault R1 9>1 8>d 9>1 1.stand 9>d close
cr fallback=nd-no-hole: fault R1,2 9>1 9>2 8>d 9>1 9>2 9>d- !hole_not_allowed
cr fallback=nd-no-hole: fault method=nd-no-peek R1 9>1 8>d 9>1 9>d- 1.stand hole close
cr: R1 fault method=nd-no-hole 9>1 8>d 9>1 1.stand 9>d close
cr: R1 9>1 Q>d fault method=nd-no-hole 8>1 1.stand 7>d close
cr: R1 9>1 Q>d fault method=nd-no-peek 8>1 7>d- 1.stand hole close
cr: R1 9>1 Q>d fault 8>1 7>d- 1.stand hole close
cr fallback=nd-no-hole: R1 9>1 Q>d fault 8>1 1.stand 7>d close
cr: R1 9>1 Q>d- fault method=nd-no-hole !method_unreachable 8>1 7>d 1.stand hole close
cr fallback=nd-no-hole: R1 9>1 Q>d- fault 8>1 7>d 1.stand hole close fault R1 9>1 8>d 9>1 1.stand 9>d close
cr: R1 9>1 Q>d. fault method=nd-no-hole ?method_unreachable
cr: R1 9>1 Q>d 8>1 7>d- fault method=nd-no-hole !method_unreachable 1.stand hole close
cr: R1 9>1 Q>d 8>1 7>d- fault method=nd-no-peek 1.stand hole close
cr fallback=nd-no-hole: R1 9>1 Q>d 8>1 7>d- fault 1.stand hole close R1 9>1 8>d 9>1 1.stand 9>d close
cr: R1 9>1 Q>d 8>1 7>d- peek=error fault 1.stand hole close
cr: R1 9>1 Q>d 8>1 7>d- peek=no_natural fault 1.stand hole close R1 9>1 Q>d 8>1 7>d- 1.stand hole close
cr: R1 9>1 Q>d 8>1 7>d- peek=no_natural fault method=nd-no-hole 1.stand hole close R1 9>1 8>d 9>1 1.stand 9>d close
cr: R1 9>1 Q>d 8>1 7>d- method=nd-no-peek !method_unreachable peek 1.stand hole close
cr: method=nd-no-peek !method_unreachable R1 9>1
np: method=nd-no-hole !method_unreachable R1 9>1
np: fault R1 9>1 Q>d 8>1 7>d- 1.stand hole close
cr: fault method=nd-card-reader !method_unreachable R1 9>1
cr: fault R1 9>1 K>d 9>1 7>d- restore 1.stand hole close R1 9>1 K>d 9>1 8>d- 1.hit 2>1 !peek_missing
cr: fault R1 9>1 K>d 9>1 7>d- restore peek !peek_in_no_peek_mode 1.stand hole close
cr: fault restore R1 9>1 K>d 9>1 7>d- 1.stand hole !peek_missing
cr: fault method=nd-no-hole R1 9>1 8>d 9>1 1.stand 9>d close restore fault R1 9>1 8>d 9>1 9>d- 1.stand hole close
cr: fault method=nd-no-hole R1 9>1 8>d 9>1 1.stand 9>d close R1 9>1 8>d 9>1 1.stand 9>d close
cr: R1 9>1 Q>d fault restore 8>1 7>d- 1.stand hole close
"""

HOLE = """
np: R1 9>1 K>d 9>1 7>d- look !look_at_hole 1.stand hole close
np: R1 9>1 K>d 9>1 7>d- 1.stand look hole close
np: R1 9>1 K>d 9>1 7>d- 1.stand hole look close
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural look !look_at_hole 1.stand hole close
cr: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.stand look hole close
nh: R1 9>1 K>d 9>1 look 1.stand
np: look R1 9>1
np: R1 9>1 8>d 9>1 5>d- 1.stand 4>d !hole_not_turned hole close
np: R1 9>1 8>d 9>1 9>d- 1.stand settle1=win !hole_not_turned close
np: R1 9>1 8>d 9>1 9>d- 1.stand close !hole_not_turned
np: R1 T>1 8>d 6>1 9>d- 1.hit 9>1 close
np: R1 T>1 8>d A>1 9>d- settle1=natural close
np: R1 T>1 A>d A>1 9>d- close !hole_not_turned
cr: R1 T>1 A>d A>1 9>d- ins- peek=no_natural settle1=natural close
cr: R1 T>1 A>d A>1 9>d- ins- peek=no_natural settle1=push !settlement_wrong close
"""

DRAWING = """
np: R1 9>1 T>d 9>1 6>d- 1.stand hole close !dealer_underdraw
np: R1 9>1 T>d 9>1 6>d- 1.stand hole settle1=win !dealer_underdraw close
np: R1 9>1 T>d 9>1 6>d- 1.stand hole collect1 !dealer_underdraw close
np: R1 9>1 T>d 9>1 6>d- 1.stand hole R1 !dealer_underdraw 9>1
np: R1 9>1 T>d 9>1 6>d- 1.stand hole void
np: R1 9>1 T>d 9>1 7>d- 1.stand hole 2>d !dealer_overdraw burnedd settle1=win close
np: R1 9>1 T>d 9>1 7>d- 1.stand hole 2>d !dealer_overdraw close
np: R1 9>1 T>d 9>1 7>d- 1.stand hole 2>d !dealer_overdraw burnedd 3>d !dealer_overdraw
np: R1 9>1 A>d 9>1 6>d- ins- 1.stand hole close
np: R1 9>1 A>d 9>1 6>d- ins- 1.stand hole 2>d !dealer_overdraw
np soft_17=hit: R1 9>1 A>d 9>1 6>d- ins- 1.stand hole close !dealer_underdraw
np soft_17=hit: R1 9>1 A>d 9>1 6>d- ins- 1.stand hole 5>d 8>d close
np soft_17=hit: R1 9>1 A>d 9>1 6>d- ins- 1.stand hole T>d close
np soft_17=hit: R1 9>1 A>d 9>1 7>d- ins- 1.stand hole 5>d !dealer_overdraw
np: R1 T>1 8>d 6>1 5>d- 1.hit 9>1 hole 3>d ~dealer_draw_no_live_hands close
np dealer_draw_no_live_hands=allow: R1 T>1 8>d 6>1 5>d- 1.hit 9>1 hole 3>d close
np dealer_draw_no_live_hands=violation: R1 T>1 8>d 6>1 5>d- 1.hit 9>1 hole 3>d !dealer_draw_no_live_hands close
np: R1 T>1 8>d 6>1 5>d- 1.hit 9>1 hole close
np: R1 T>1 8>d A>1 5>d- hole 3>d ~dealer_draw_no_live_hands close
nh: R1 T>1 8>d A>1 close
nh: R1 T>1 8>d A>1 5>d ~dealer_draw_no_live_hands close
nh: R1 T>1 K>d A>1 close !dealer_underdraw
nh: R1 T>1 K>d A>1 5>d close
nh: R1 T>1 K>d A>1 5>d 2>d ~dealer_draw_no_live_hands close
nh: R1 9>1 8>d 9>1 1.stand 9>d close
nh: R1 9>1 8>d 9>1 1.stand close !dealer_underdraw
np: R1 7>1 8>d 5>1 5>d- 1.double ?>1- hole close ?dealer_underdraw
np: R1 6>1 8>d 5>1 5>d- 1.double 3>1- hole settle1=win !dealer_underdraw close
np surrender=late: R1 T>1 8>d 6>1 5>d- 1.surrender hole 3>d ~dealer_draw_no_live_hands close
"""

SETTLEMENT = """
np: R1 T>1 7>d T>1 T>d- 1.stand hole settle1=lose !settlement_wrong close
np: R1 T>1 7>d T>1 T>d- 1.stand hole settle1=win close
np: R1 T>1 7>d 7>1 T>d- 1.stand hole settle1=push close
np: R1 T>1 7>d 6>1 T>d- 1.stand hole settle1=lose close
np: R1 T>1 6>d 6>1 T>d- 1.stand hole T>d settle1=win close
np: R1 T>1 7>d A>1 T>d- hole settle1=win !settlement_wrong close
np: R1 T>1 7>d A>1 T>d- hole settle1=natural close
np: R1 T>1 A>d A>1 T>d- settle1=natural ?settlement_wrong hole close
np: R1 T>1 A>d A>1 T>d- settle1 ?settlement_wrong hole close
np: R1 T>1 A>d A>1 T>d- hole settle1=push close
np: R1 T>1 A>d A>1 T>d- hole settle1=natural !settlement_wrong close
np: R1 T>1 A>d T>1 T>d- 1.stand hole settle1=push !settlement_wrong close
np: R1 T>1 7>d 6>1 T>d- 1.hit 9>1 settle1=win !settlement_wrong hole close
np: R1,2 T>1 9>2 7>d 6>1 9>2 T>d- 1.hit 9>1 settle1=lose collect1 2.stand hole settle2=win close
np surrender=late: R1 T>1 7>d 6>1 T>d- 1.surrender settle1=lose !settlement_wrong close
us surrender=late: R1 T>1 A>d 6>1 T>d- 1.surrender ins- peek=natural hole=T settle1=surrender !settlement_wrong
us surrender=late: R1 T>1 A>d 6>1 T>d- 1.surrender ins- peek=natural hole=T settle1=lose close
us surrender=late: R1 T>1 K>d 6>1 A>d- 1.surrender peek=natural hole=A settle1=lose collect1 close
us surrender=early: R1 T>1 A>d 6>1 T>d- 1.surrender ins- peek=natural hole=T settle1=surrender close
us surrender=late peek=allowed: R1 T>1 K>d 6>1 A>d- 1.surrender hole=A settle1=surrender close
np surrender=late: R1 T>1 K>d 6>1 A>d- call 1.surrender hole=A settle1=surrender close
np: R1 6>1 7>d 5>1 T>d- 1.double 2>1- hole settle1=win !settlement_wrong close
np: R1 6>1 7>d 5>1 T>d- 1.double 9>1- hole settle1=win close
np: R1 8>1 7>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole settle1b=lose settle1a=win close
np: R1 8>1 7>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole settle1=lose settle1=win close
np: R1 8>1 7>d 8>1 T>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole settle1=push !settlement_wrong
nh: R1 T>1 K>d A>1 settle1=natural ?settlement_wrong 5>d close
nh: R1 T>1 9>d A>1 settle1=natural close
"""

PICKUP = """
np pickup=checked: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collect3 collect1 collectd close
np pickup=checked: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collectd !pickup_order collect3 collect1 close
np pickup=checked: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collect1 !pickup_order collect3 collectd close
np pickup=checked: R1,3 T>1 8>3 9>d 6>1 9>3 8>d- 1.hit 9>1 collect1 3.stand hole collect3 collectd close
nh pickup=checked: R1,3 T>1 8>3 9>d 6>1 9>3 1.hit 9>1 collect1 3.hit 9>3 collect3 collectd close
np pickup=checked: R1 8>1 9>d 8>1 8>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole collect1b collect1a collectd close
np pickup=checked: R1 8>1 9>d 8>1 8>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole collect1a !pickup_order
np pickup=checked: R1 8>1 9>d 8>1 8>d- 1.split T>1a 1a.stand 3>1b 1b.stand hole collect1 collectd close
np: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collectd collect1 collect3 close
nh pickup=checked: R1,2 9>1 8>2 7>d 9>1 9>2 1.stand 2.stand T>d collect1 !pickup_order collect2 collectd close
"""

DISPUTED = """
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal 4>1 ?draw_after_bust hole 2>d ?dealer_overdraw 3>d ?dealer_overdraw
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal 6>3 !box_without_wager wager1=raised !wager_changed
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal shuffle !shuffle_midround peek !peek_in_no_peek_mode
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal ins+ !insurance_without_ace method=nd-no-hole !method_unreachable
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal 5>* !draw_outside_round
np decks=1: R1 9s>1 K>d 9h>1 7>d- 9s>1 !draw_without_signal 9h>1 !inventory
np: R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal close R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal
np: R1 9>1 K>d gap 5>1 4>2 close R1 9>1 K>d 9>1 7>d- 5>1 !draw_without_signal
np: R1 9>1 K>d gap 9>1 7>d- 3>d 5>d close
"""

TABLES = (PEEK, FALLBACK, HOLE, DRAWING, SETTLEMENT, PICKUP, DISPUTED)


@pytest.mark.parametrize("story", lines(*TABLES))
def test_the_dealers_hand(story: str) -> None:
    holds(story)
