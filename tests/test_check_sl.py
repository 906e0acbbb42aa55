"""Saint Lucia: burn, deal, the scanner that may be used, totals, the cut, pickup. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

DEAL = """
sl: R1,3 9>1 6>3 8>d 8>1 5>3 T>d- 1.stand 3.double 9>3 hole close
sl: R1,3 9>1 6>3 8>d- !face 8>1 5>3 T>d
sl: R1 9>1 8>d 8>1 T>d !face 1.stand
sl: R1 9>1 8>d 8>1- !face T>d-
sl: R1 6>1 8>d 5>1 T>d- 1.double 9>1- !face hole
sl: R1 6>1 8>d 5>1 T>d- 1.hit 3>1- !face 1.stand hole
sl: R1,3 9>1 6>2 !box_without_wager
sl: R1,2 9>1 7>2 6>d 8>1 2>1 !extra_card
sl: R1,8 !box_limit
sl max_boxes=5: R1,6 !box_limit
sl: R1,2 9>1 wager2=raised !wager_changed
sl: R1,2 9>1 7>2 8>1 !order T>2 8>d 9>d- 1.stand 2.stand hole close
sl: R1,2 9>1 7>2 8>d 8>1 9>d- !order T>2 1.stand 2.stand hole close
sl: R1,2 9>1 5>!b 7>2 8>d 8>1 T>2 9>d- 1.stand 2.stand hole close
sl: 9>1 !draw_outside_round R1 9>1
sl decks=1: R1 As>1 7h>d As>1 !inventory
sl: load=1 4c>b R1 As>1 7h>d As>1 !inventory
sl: R1 9>1 8>d 8>1 1.hit 2>1 !hole_missing
sl: R1 9>1 8>d 8>1 peek !hole_missing
"""

BURN = """
sl shoe=fresh: 4>b- R1 9>1 8>d 8>1 9>d- 1.stand hole close
sl shoe=fresh: R1 9>1 !burn_missing 8>d 8>1 9>d-
sl shoe=fresh: 4>b 9>b !burn_extra R1 5>1
sl shoe=fresh: R1 4>b !burn_missing 9>1 8>d
sl shoe=new_dealer: R1 9>1 8>d 8>1 9>d-
sl: dealer R1 9>1 8>d 8>1 9>d- 1.stand hole close
sl: dealer 4>b !burn_extra R1
sl shoe=fresh: dealer 4>b 5>b !burn_extra R1
sl: R1 9>1 8>d 8>1 9>d- 1.stand hole close shuffle cut=1 placed=1.5/6 load 4>b R1 9>1
"""

SCANNER = """
sl: R1 9>1 K>d 9>1 7>d- peek=no_natural 1.stand hole close
sl: R1 9>1 K>d 9>1 7>d- 1.stand hole close
sl: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 1.stand hole close
sl: R1 6>1 Q>d 5>1 A>d- 1.hit 8>1 1.stand hole close
sl: R1 9>1 A>d 8>1 K>d- 1.stand hole settle1=lose close
sl: R1 9>1 A>d 8>1 K>d- ins+ 1.insure ins- peek=natural hole settle1=lose close
sl: R1 9>1 A>d 8>1 9>d- ins+ peek=no_natural !peek_before_insurance_closed ins-
sl: R1 9>1 A>d 8>1 9>d- peek=no_natural !peek_before_insurance_closed
sl: R1 9>1 A>d 8>1 9>d- ins- peek=no_natural 1.stand hole close
sl insurance=at_turn: R1,2 9>1 8>2 A>d 8>1 9>2 9>d- peek=no_natural 1.stand 2.stand hole close
sl insurance=at_turn: R1,2 9>1 8>2 A>d 8>1 9>2 9>d- 1.insure 1.hit 2>1 1.stand 2.insure 2.stand hole close
sl insurance=at_turn: R1,2 9>1 8>2 A>d 8>1 9>2 9>d- peek=no_natural 1.insure !insurance_late
sl insurance=none: R1 9>1 A>d 8>1 9>d- peek=no_natural 1.stand hole close
sl: R1 9>1 6>d 9>1 T>d- peek !peek_forbidden_upcard 1.stand
sl: R1 9>1 9>d 9>1 A>d- peek=no_natural !peek_forbidden_upcard
sl: R1 9>1 K>d 9>1 7>d- peek=no_natural peek=no_natural !peek_repeated
sl: R1 9>1 K>d 9>1 7>d- peek=error peek=no_natural 1.stand hole close
sl: R1 9>1 K>d 9>1 7>d- 1.hit 2>1 peek=no_natural 1.stand hole close
sl peek=required: R1 9>1 K>d 9>1 7>d- 1.stand hole !peek_missing
sl peek=required scanner_approved=false: R1 9>1 K>d 9>1 7>d- 1.stand hole close
sl scanner_approved=false: R1 9>1 K>d 9>1 7>d- 1.stand hole close
sl scanner_approved=false: R1 9>1 K>d 9>1 7>d- peek !peek_device_not_approved 1.stand hole close
sl scanner_approved=false: R1 9>1 6>d 9>1 7>d- peek !peek_device_not_approved
sl scanner_approved=false: R1 9>1 A>d 9>1 7>d- peek !peek_device_not_approved
sl scanner_approved=false: R1 9>1 K>d 9>1 7>d- peek !peek_device_not_approved peek !peek_device_not_approved
sl scanner_approved=false: fault R1 9>1 K>d 9>1 7>d- peek !peek_in_no_peek_mode
sl scanner_approved=false: R1 9>1 8>d 9>1 7>d- 1.stand 2>1 !draw_after_stand peek !peek_device_not_approved
sl scanner_approved=false: R1 9>1 8>d 9>1 peek !hole_missing
sl: R1 5>1 K>d 8>1 A>d- peek=natural 6>1 !draw_after_dealer_natural
sl: R1 9>1 K>d 9>1 7>d- look !look_at_hole 1.stand hole close
sl: R1 9>1 K>d 9>1 7>d- 1.stand look !look_at_hole hole close
sl: R1 9>1 K>d 9>1 7>d- 1.stand hole look close
sl: R1 9>1 K>d 9>1 A>d- peek=no_natural 1.stand hole !reader_mismatch
sl: R1 9>1 Q>d 8>1 A>d- ins+ !insurance_without_ace
"""

FALLBACK = """
sl: R1 9>1 Q>d 7>1 5>d- fault 1.hit 4>1 1.stand hole 8>d close
sl: R1 9>1 Q>d 7>1 5>d- fault peek !peek_in_no_peek_mode
sl: fault R1 9>1 Q>d 7>1 5>d- 1.stand hole 8>d close
sl: fault R1 9>1 Q>d- 7>1 5>d 1.stand hole 8>d close
sl: fault R1 9>1 Q>d- 7>1 5>d- !face
sl: R1 9>1 fault Q>d- 7>1 5>d 1.stand hole 8>d close
sl: R1 9>1 Q>d fault 7>1 5>d- 1.stand hole 8>d close
sl: R1 9>1 Q>d fault 7>1 5>d !face
sl: fault method=nd-no-hole R1 9>1 A>d 8>1 1.stand 9>d close
sl: fault method=nd-no-hole R1 9>1 A>d- !face
sl fallback=nd-no-hole: R1 9>1 Q>d fault 8>1 1.stand 7>d close
sl fallback=nd-no-hole: R1 9>1 Q>d 8>1 7>d- fault 1.stand hole close R1 9>1 8>d 9>1 1.stand 9>d close
sl: R1 9>1 Q>d 8>1 7>d- fault method=nd-no-hole !method_unreachable
sl: fault R1 6>1 8>d 5>1 T>d- 7>1 1.stand hole close
sl: fault R1 6>1 8>d 5>1 T>d- 1.double 9>1- !face hole
sl: fault R1 9>1 8>d 9>1 T>d- nototal 1.hit 2>1 !call_missing
sl: fault R1 9>1 8>d 9>1 T>d- 1.stand look !look_at_hole
sl: fault R1 7>1 8>d 7>1 T>d- 1.hit 7>1 1.hit 2>1 !draw_on_21
sl: fault restore R1 9>1 K>d- !face
sl observes=positions,signals,wagers: R1 9>1 A>d. fault 8>1 9>d. 1.insure ins- 1.stand hole close
sl: fault R1 9>1 8>d- 9>1 7>d 1.stand hole 2>d close restore R1 9>1 8>d- !face
"""

TOTALS = """
sl: R1 9>1 6>d 5>1 9>d- nototal 1.hit 3>1 !call_missing
sl: R1 9>1 6>d 5>1 9>d- nototal1 1.hit 3>1 !call_missing
sl: R1 9>1 6>d 5>1 9>d- total 1.hit 3>1 total 1.stand hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- nototal total 1.hit 3>1 1.stand hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- nototal1 total1 1.hit 3>1 1.stand hole 5>d close
sl: R1,2 9>1 8>2 6>d 5>1 9>2 9>d- nototal1 total2 1.hit 3>1 !call_missing 1.stand 2.stand hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- nototal 1.hit 3>1 !call_missing nototal 1.hit 2>1 !call_missing 1.stand hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- nototal 1.hit 3>1 !call_missing 1.hit 2>1 1.stand hole 5>d close
sl: R1,2 9>1 6>2 6>d 5>1 5>2 9>d- 1.hit 6>1 nototal1 1.stand 2.hit T>2 !call_missing hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- 1.stand nototal hole 5>d close R1 9>1
sl: R1 9>1 6>d 5>1 9>d- nototal 1.stand hole 5>d close
sl: R1 9>1 6>d 5>1 9>d- 3>1 1.stand 4>1 !draw_after_stand nototal 5>1 ?draw_after_stand
sl observes=positions,faces,signals: R1 9>1 6>d 5>1 9>d- 1.hit 3>1 1.stand hole 5>d close
"""
CALLS_HEARD = """
sl {0}: R1 9>1 6>d 5>1 9>d- total1 1.hit 3>1 total1 1.hit 2>1 total1 1.stand hole 5>d close
sl {0}: R1 9>1 6>d 5>1 9>d- total 1.hit 3>1 total 1.hit 2>1 total 1.stand hole 5>d close
sl {0}: R1 9>1 6>d 5>1 9>d- 1.hit 3>1 !call_missing total1 1.stand hole 5>d close
sl {0}: R1 9>1 6>d 5>1 9>d- total1 1.hit 3>1 1.hit 2>1 !call_missing total1 1.stand hole 5>d close
sl {0}: R1,2 9>1 9>2 6>d 5>1 8>2 9>d- total1 total2 1.stand 2.hit 3>2 total2 2.stand hole 5>d close
sl {0}: R1,2 9>1 9>2 6>d 5>1 3>2 9>d- total1 1.hit 3>1 1.stand total2 2.hit 3>2 !call_missing total2 2.stand hole 5>d
sl {0}: R1,2 9>1 9>2 6>d 5>1 3>2 9>d- total1 1.hit 3>1 total1 1.stand 2.hit 3>2 !call_missing total2 2.stand hole 5>d
sl {0}: R1 8>1 6>d 8>1 9>d- total1 1.split 3>1a total1 1a.hit T>1a 1a.stand 9>1b !call_missing total1 1b.stand hole 5>d
sl {0}: R1 8>1 6>d 8>1 9>d- total1 1.split 3>1a total1 1a.hit 9>1a total1 1a.stand 9>1b total1 1b.stand hole 5>d
sl {0}: R1 9>1 6>d 5>1 9>d- 1.stand hole 5>d close
"""

CUT = """
sl shoe=fresh: shuffle cut=3/@3 placed=1.5/6 load 4>b R3 9>3
sl shoe=fresh: shuffle cut=1/@1,3 ?cutter_wrong load 4>b R1,3 9>1
sl shoe=fresh: shuffle cut=2/@1,3 !cutter_wrong
sl shoe=fresh: shuffle cut=d/1@1,3 !cutter_wrong
sl shoe=fresh: shuffle cut=d/1,3@1,3
sl shoe=fresh: shuffle cut=s/1,3@1,3
sl: R1,4 9>1 6>4 8>d 8>1 cutcard=4 T>4 9>d- 1.stand 4.stand hole close shuffle cut=4/
sl: R1,4 9>1 6>4 8>d 8>1 cutcard=4 T>4 9>d- 1.stand 4.stand hole close shuffle cut=1/ !cutter_wrong
sl: R1,4 9>1 6>4 8>d 8>1 cutcard=4 T>4 9>d- 1.stand 4.stand hole close shuffle cut=1/4
sl: R1,4 9>1 6>4 8>d 8>1 cutcard T>4 9>d- 1.stand 4.stand hole close shuffle cut=1/ !cutter_wrong
sl: R1,4 9>1 6>4 8>d 8>1 T>4 cutcard 9>d- 1.stand 4.stand hole close shuffle cut=4/
sl: R1,4 9>1 6>4 8>d 8>1 T>4 cutcard 9>d- 1.stand 4.stand hole close shuffle cut=1/ !cutter_wrong
sl: R1,4 9>1 6>4 8>d 8>1 T>4 9>d- 1.stand 4.stand hole close shuffle cut=4/
sl: R1,4 9>1 6>4 8>d 8>1 T>4 9>d- 1.stand 4.stand hole close shuffle cut=1/ !cutter_wrong
sl: R1,4 9>1 6>4 8>d 8>1 T>4 9>d- 1.stand 4.stand hole close replace shuffle cut=1/ !cutter_wrong
sl: R1 5>1 8>d 6>1 9>d- empty shuffle=discards cut=1 1.hit 9>1 1.stand hole close
sl: R1,2 5>1 9>2 8>d 6>1 9>2 9>d- empty shuffle=discards cut=1/ 1.stand 2.stand hole close
sl: placed=1/6 placed=1.5/6 placed=3/6 placed=5.5/6 placed=0.9/6 !cutcard_position
sl: placed=1.5/8 placed=1.4/8 !cutcard_position
sl: placed=0.2/2 placed=0/1
"""

PLAY = """
sl: R1,2 9>1 7>2 6>d 8>1 T>2 9>d- 1.stand 3>1 !draw_after_stand
sl: R1,2 6>1 7>2 6>d 5>1 T>2 9>d- 7>1 1.stand 2.stand hole 2>d close
sl: R1,2 6>1 7>2 6>d 5>1 T>2 9>d- 2.hit 3>2 !hand_skipped
sl: R1 6>1 6>d 5>1 9>d- 1.double 2>1 7>1 !draw_after_double
sl: R1 6>1 6>d 5>1 9>d- 1.hit 2>1 1.double 7>1 !action_not_offered
sl: R1 T>1 6>d 6>1 9>d- 1.surrender 9>1 !action_not_offered
sl: R2 T>2 6>d K>2 T>d- 2.split 9>2a 2a.stand 9>2b 2b.stand hole 2>d close
sl: R2 9>2 6>d K>2 T>d- 2.split !split_not_pair
sl: R2 8>2 6>d 8>2 T>d- 2.split 3>2a 9>2b !split_order
sl: R2 8>2 6>d 8>2 T>d- 2.split 8>2a 2a.split !split_limit
sl max_hands=4: R2 8>2 6>d 8>2 T>d- 2.split 8>2a 2a.split 3>2a 2a.double 9>2a 2>2c 2c.hit K>2c 2c.stand 9>2b
sl: R2 A>2 6>d A>2 T>d- 2.split 9>2a 4>2b hole 2>d close
sl: R2 A>2 6>d A>2 T>d- 2.split A>2a 2a.split !split_limit
sl: R2 A>2 6>d A>2 T>d- 2.split 5>2a 2>2a !split_ace_extra
sl: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 1.hit 2>1 !draw_on_21
sl: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 hole close
sl: R1,2 7>1 9>2 8>d 7>1 9>2 9>d- 1.hit 7>1 2.stand hole close
sl: R1 T>1 8>d A>1 9>d- 2>1 !draw_on_blackjack
sl: R1 T>1 8>d T>1 9>d- 1.split A>1a 9>1b 1b.stand hole settle1a=win settle1b=win close
sl: R1 T>1 6>d 6>1 9>d- 1.hit T>1 2>1 !draw_after_bust
"""

DEALER = """
sl: R1 9>1 6>d 8>1 5>d- 1.stand 7>d !hole_not_turned hole
sl: R1,2 9>1 9>2 6>d 8>1 8>2 5>d- 1.stand hole !dealer_played_early
sl: R1 9>1 9>d 8>1 7>d- 1.stand hole close !dealer_underdraw
sl: R1 9>1 9>d 8>1 8>d- 1.stand hole 4>d !dealer_overdraw burnedd close
sl: R1 9>1 A>d 8>1 6>d- ins- 1.stand hole 4>d !dealer_overdraw
sl soft_17=hit: R1 9>1 A>d 8>1 6>d- ins- 1.stand hole close !dealer_underdraw
sl: R1 9>1 6>d 7>1 T>d- 1.hit 9>1 hole 3>d !dealer_draw_no_live_hands
sl: R1 9>1 6>d 7>1 T>d- 1.hit 9>1 hole close
sl: R1 9>1 6>d 7>1 T>d- 1.hit 9>1 close
sl: R1 A>1 6>d K>1 T>d- settle1=natural close
sl: R1 A>1 6>d K>1 T>d- hole 2>d !dealer_draw_no_live_hands
sl dealer_draw_no_live_hands=warn: R1 9>1 6>d 7>1 T>d- 1.hit 9>1 hole 3>d ~dealer_draw_no_live_hands
sl: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collect3 collect1 collectd close
sl: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collectd !pickup_order collect3 collect1
sl: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collect1 !pickup_order collect3 collectd
sl: R1,3 9>1 8>3 9>d 7>1 9>3 8>d- 1.hit 9>1 collect1 3.stand hole collect3 collectd close
sl pickup=unchecked: R1,3 9>1 8>3 9>d 8>1 9>3 8>d- 1.stand 3.stand hole collectd collect1 collect3 close
sl: R1 9>1 7>d 9>1 T>d- 1.stand hole settle1=lose !settlement_wrong
sl: R1 9>1 cutcard 9>d 8>1 8>d- 1.stand hole close shuffle R1 9>1
sl: R1 9>1 cutcard 9>d 8>1 8>d- 1.stand hole close R1 9>1 !shuffle_overdue
sl: R1 9>1 cutcard 9>d shuffle !shuffle_midround 8>1
sl: cutcard R1 9>1 !shuffle_overdue
sl: R1 cutcard shuffle 9>1
sl cut_card_first=play: cutcard R1 9>1 9>d 8>1 8>d- 1.stand hole close R1 9>1 !shuffle_overdue
"""


@pytest.mark.parametrize("story", lines(DEAL, BURN, SCANNER, FALLBACK, TOTALS, CUT, PLAY, DEALER))
def test_saint_lucia(story: str) -> None:
    holds(story)


@pytest.mark.parametrize("story", lines(CALLS_HEARD))
def test_a_table_that_hears_the_calls(story: str) -> None:
    holds(story.format("observes=positions,faces,signals,wagers,calls"))
    told = [word for word in story.split() if word != "!call_missing"]
    holds(" ".join(told).format("observes=positions,faces,signals,wagers"))
