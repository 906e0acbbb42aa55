"""The deal of blackjack: shoe, burn, wagers, the first two cards, insurance, calls. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

DEAL = """
np: R1,2 9>1 7>2 8>d 8>1 T>2 9>d- 1.stand 2.stand hole close
np: R1,2 9>1 7>2 6>d- 8>1 T>2 9>d 1.stand 2.stand hole 2>d close
nh: R1,2 9>1 7>2 6>d 8>1 T>2 1.stand 2.stand 9>d 4>d close
nh: R2,5 9>2 7>5 6>d 8>2 T>5 2.stand 5.stand 9>d 4>d close

np: R1,2 9>2 !order 7>1 6>d 8>1 T>2 9>d- 1.stand 2.stand hole 5>d close
np: R1,2 9>1 6>d !order 7>2 8>1 T>2 9>d- 1.stand 2.stand hole 5>d close
np: R1,2 9>1 7>2 8>1 !order T>2 6>d 9>d- 1.stand 2.stand hole 5>d close
np: R1,2 9>1 7>2 6>d T>2 !order 8>1 9>d- 1.stand 2.stand hole 5>d close
np: R1,2 9>1 7>2 6>d 8>1 9>d- !order T>2 1.stand 2.stand hole 5>d close
np: R1,2,3 9>1 7>3 !order 6>2 8>d 8>1 T>2 9>3 9>d- 1.stand 2.stand 3.stand hole close
np: R1,2 9>2 !order 7>d 8>2 6>d- 9>1 8>1 1.stand 2.stand hole 5>d close
np: R1,2 9>2 !order 7>d 8>2 6>d- 2.stand hole 5>d close
cr: R1,2 9>2 !order K>d 8>2 6>d- 9>1 8>1 peek 1.stand 2.stand hole 5>d close
np: R1,2 9>1 7>2 6>d 8>1 9>d- !order 1.hit 2>1 1.stand 4>1 !draw_after_stand
np: R1,2 9>1 7>2 6>d 8>1 9>d- !order 1.stand 2.stand 4>1 ?draw_after_stand close
nh: R1 9>1 8>1 !order 6>d 1.stand 5>d 9>d close

"""

FACES = """
np: R1,2 9>1 7>2 6>d 8>1- !face T>2 9>d- 1.stand 2.stand hole 5>d close
np: R1 9>1 6>d 8>1 T>d !face 1.stand 5>d close
np: R1 9>1 6>d- 8>1 T>d- !face 1.stand hole 5>d close
np: R1 9>1 6>d 8>1 T>d- 1.hit 2>1- !face 1.stand hole 5>d ?dealer_draw_no_live_hands close
np: R1 9>1 6>d 8>1 T>d- 1.stand hole 5>d- !face close
np: R1 6>1 6>d 5>1 T>d- 1.double 2>1- hole 5>d close
nh: R1 9>1 6>d- !face 8>1 1.stand 9>d close ?dealer_underdraw
nh: R1 9>1 6>d 8>1 1.stand 9>d- !face close ?dealer_underdraw
cr: R1 9>1 K>d 8>1 K>d !face 1.stand close
us: R1 9>1 8>d- !face 8>1 9>d- 1.stand hole=9 ?peek_missing close
us: R1 9>1 8>d- !face 8>1 9>d 1.stand hole=8 close
us: R1 9>1 8>d 8>1 9>d !face 1.stand close
"""

WAGERS = """
np: R1,3 9>1 6>2 !box_without_wager 8>3 6>d
np: R1,3 wager2=made 9>1 7>2 8>3 6>d
np: R1,3 wager3=taken_back 9>1 6>d 8>1 9>d-
np: R1,3 wager3=taken_back 9>1 6>3 !box_without_wager
np: R1,3 wager3=raised 9>1 8>3 6>d
np: R1,3 9>1 wager3=raised !wager_changed 8>3 6>d 9>1 8>3 7>d-
np: R1,3 9>1 wager2=made !wager_changed 8>3 6>d 9>1 8>3 7>d- wager1=taken_back !wager_changed 1.stand
np: R1,8 !box_limit
np: R1,2,3,4,5,6,7 wager8=made !box_limit 9>1
np: R1 9>1 wager8=made !box_limit
np max_boxes=3: R1,2 9>1 wager3=made !wager_changed
np max_boxes=3: R1,4 !box_limit
np: R1,2 9>1 7>2 6>d 8>1 8>3 !box_without_wager 9>1 ?extra_card 5>4 !box_without_wager
"""

EXTRA = """
np: R1,2 9>1 7>2 6>d 8>1 2>1 !extra_card burned1 T>2 9>d-
np: R1,2 9>1 7>2 8>1 !order 2>1 !extra_card T>2
np: R1,2 9>1 7>2 6>d 5>d- !order 4>d !extra_card
nh: R1,2 9>1 7>2 6>d 8>1 5>d !extra_card T>2
nh: R1,2 9>1 7>2 6>d 8>1 5>d- !extra_card T>2
nh: R1,2 9>1 7>2 6>d 8>1 1.hit 5>d !extra_card T>2
nh: R1 9>1 8>1 !order 5>1 !extra_card
np: R1,2 9>1 7>2 6>d 8>1 9>d- !order 2>1 !extra_card
"""

MISSING = """
nh: R1,2 9>1 7>2 A>d 8>1 ins+ !missing_card ins- 1.stand 2.stand
nh: R1,2 9>1 7>2 A>d 8>1 ins- !missing_card
nh: R1,2 9>1 7>2 6>d 9>1 1.split !missing_card 2>1a
nh: R1,2 9>1 7>2 6>d 8>1 1.hit 2>1 !missing_card T>2 1.stand 2.stand 9>d
nh: R1,2 9>1 7>2 6>d 8>1 close !missing_card
nh: R1 9>1 close !missing_card
np: R1,2 9>1 7>2 6>d 8>1 1.hit 2>1 !hole_missing
np: R1,2 9>1 7>2 6>d 8>1 close !hole_missing
np: R1 9>1 close !hole_missing
np: R1,2 9>1 7>2 6>d 8>1 void R1 9>1 6>d 8>1 9>d-
np: R1,2 9>1 7>2 6>d 8>1 2>2 1.hit 3>1 !hole_missing 9>d- 1.stand 2.stand hole 5>d close
np: R1 9>1 6>d 8>1 1.hit 9>d- 3>1 1.stand hole 5>d close
np: R1 9>1 6>d 8>1 2>1 !hole_missing
np: R1 9>1 6>d 8>1 1.stand hole !hole_missing close
np: R1 9>1 6>d 8>1 1.stand settle1 !hole_missing close
np: R1 9>1 6>d 8>1 1.stand collect1 !hole_missing close
np: R1 T>1 8>d 8>1 1.hit 9>1 !hole_missing settle1=lose 9>d- hole close
cr: R1 9>1 K>d 8>1 peek !hole_missing 9>d- 1.stand hole close
cr: R1 9>1 K>d 8>1 1.hit 2>1 !hole_missing 9>d- 1.stand hole close
nh: R1 9>1 6>d 8>1 9>d- !hole_not_allowed 1.stand
nh: R1,2 9>1 7>2 6>d 8>1 T>2 1.stand 9>d- !hole_not_allowed
nh: R1,2 9>1 7>2 6>d 8>1 T>2 9>d !dealer_played_early
nh: R1,2 9>1 7>2 6>d 8>1 T>2 9>d. !hole_not_allowed
nh: R1,2 9>1 7>2 6>d 8>1 T>2 1.stand 9>d. !dealer_played_early
"""

BURN = """
np shoe=fresh: R1 9>1 6>d 8>1 9>d-
np shoe=fresh: 4>b R1 9>1 6>d 8>1 9>d-
np shoe=fresh: 4>b- R1 9>1 6>d 8>1 9>d-
np shoe=fresh: 4>b 5>b !burn_extra R1 9>1 8>d 8>1 9>d- 1.stand hole close
np shoe=fresh: R1 4>b !burn_missing 9>1 6>d
np shoe=fresh burn=0: R1 9>1 6>d 8>1 9>d-
np shoe=fresh burn=0: 4>b !burn_extra R1 9>1 6>d
np shoe=fresh burn=1: 4>b R1 9>1 6>d
np shoe=fresh burn=1: R1 9>1 !burn_missing 8>d 8>1 9>d- 1.stand hole close
np shoe=fresh burn=1: R1 4>b !burn_missing 9>1 6>d 8>1 9>d-
np shoe=fresh burn=1: R1 9>1 !burn_missing 4>b 6>d 8>1 9>d-
np shoe=fresh burn=1: 4>b 5>b !burn_extra R1 9>1 6>d
np shoe=fresh burn=3: 4>b 5>b 6>b R1 9>1 6>d
np shoe=fresh burn=3: 4>b 5>b R1 9>1 !burn_count 6>d 8>1 9>d-
np shoe=fresh burn=3: 4>b 5>b 6>b 7>b !burn_count R1 9>1 6>d 8>1
np shoe=fresh burn=3: R1 9>1 !burn_missing 6>d
np burn=1: R1 9>1 6>d 8>1 9>d-
np burn=1: 4>b !burn_extra R1 9>1
np burn=1: R1 load 4>b 9>1 6>d 8>1 9>d-
np burn=1: R1 9>1 8>d 8>1 9>d- 1.stand hole close load R1 9>1 !burn_missing
np burn=1: load 4>b R1 9>1 6>d
np burn=1 shoe=fresh: shuffle 4>b R1 9>1 6>d
np burn=1 shoe=new_dealer: R1 9>1 6>d
np: R1 9>1 4>b !burn_extra 6>d 8>1
"""

SHOE = """
np: R1 cutcard 9>1 !shuffle_overdue 6>d 8>1 9>d-
np: cutcard R1 9>1 !shuffle_overdue
np: cutcard shuffle R1 9>1
np cut_card_first=play: cutcard R1 9>1 8>d 8>1 9>d- 1.stand hole close R1 9>1 !shuffle_overdue
np cut_card_first=play: cutcard R1 9>1 8>d 8>1 9>d- 1.stand hole close shuffle R1 9>1
np: R1 9>1 cutcard 8>d 8>1 9>d- 1.stand hole close R1 9>1 !shuffle_overdue
np: R1 9>1 cutcard 8>d 8>1 9>d- 1.stand hole close load R1 9>1
np: R1 9>1 8>d 8>1 9>d- cutcard 1.stand hole close R1 9>1 !shuffle_overdue
np: R1 9>1 8>d 8>1 9>d- 1.stand hole cutcard close shuffle R1 9>1
np: R1 9>1 cutcard shuffle !shuffle_midround 8>d 8>1 9>d- 1.stand hole close
np: R1 9>1 replace !shuffle_midround 6>d
np: R1 shuffle 9>1
np: R1 5>1 8>d 6>1 9>d- empty shuffle=discards 1.hit 9>1 1.stand hole close
np: R1 5>1 8>d 6>1 9>d- empty shuffle 1.hit 9>1 1.stand hole close
np: R1 9>1 4>!1 6>d !order 8>1
np: R1 9>1 4>!1 burned1 6>d 8>1 9>d- 1.stand hole 6>d close
np: R1,2 9>1 5>!b 7>2 8>d 8>1 T>2 9>d- 1.stand 2.stand hole close
np: 9>1 !draw_outside_round R1 9>1 8>d 8>1 9>d- 1.stand hole close
np: R1 9>1 8>d 8>1 9>d- 1.stand hole close 5> !draw_outside_round R1 9>1
np: R1 9>1 5>* !draw_outside_round burned1 6>d 8>1 9>d-
np: jam R1 9>1 !draw_outside_round 6>d
np: jam clear R1 9>1 6>d
np: R1 9>1 jam clear 6>d 8>1 9>d-
np decks=1: R1 As>1 7h>d As>1 !inventory 9c>d-
np decks=1: R1 As>1 7h>d 8s>1 As>d- 1.stand hole !inventory
np decks=1: R1 As>1 7h>d 8s>1 As>d- 1.stand void R1 9>1
np decks=1: R1 As>1 7h>d 8s>1 As>d- 1.stand hole=Ac !reader_mismatch
np decks=1: R1 6s>1 8h>d 5s>1 9c>d- 1.double 6s>1- hole settle1 !inventory
np: load=1 R1 As>1 7h>d As>1 !inventory
np decks=1: R1 As>1 7h>d 8s>1 9c>d- 1.stand hole 2c>d close shuffle R1 As>1
np decks=1: R1 As>1 7h>d 8s>1 9c>d- 1.stand hole 2c>d close R1 As>1 !inventory
"""

INSURANCE = """
np: R1 9>1 A>d 8>1 9>d- ins+ 1.insure ins- 1.stand hole close
np: R1 9>1 A>d 8>1 9>d- 1.insure 1.stand hole close
np: R1 9>1 Q>d 8>1 9>d- ins+ !insurance_without_ace
np: R1 9>1 Q>d 8>1 9>d- 1.insure !insurance_without_ace
np: R1 9>1 Q>d 8>1 A>d- ins+ !insurance_without_ace
np: R1 ins+ !insurance_without_ace
np: R1 9>1 ?>d 8>1 9>d- ins+ ?insurance_without_ace
np: R1 9>1 A>d 8>1 9>d- ins- 1.insure !insurance_late
np: R1 9>1 A>d 8>1 9>d- 1.hit 1.insure 2>1 1.stand hole close
np: R1 9>1 A>d 8>1 9>d- 1.hit 2>1 1.insure !insurance_late
np: R1 9>1 A>d 8>1 9>d- 1.hit 2>1 ins+ !insurance_late
np: R1 9>1 A>d 9>1 9>d- 1.split 1.insure 2>1a
np: R1 9>1 A>d 9>1 9>d- 1.split 2>1a 1.insure !insurance_late
np: R1 9>1 A>d 8>1 9>d- ins+ ins- ins+ !insurance_late
np insurance=at_turn: R1,2 9>1 9>2 A>d 8>1 8>2 9>d- 1.hit 2>1 2.insure 1.insure !insurance_late
np insurance=at_turn: R1 9>1 A>d 8>1 9>d- 1.stand 1.insure !insurance_late
np insurance=at_turn: R1 9>1 A>d 9>1 9>d- 1.split 1.insure !insurance_late
nh: R1 A>1 A>d. T>1 6>d ins+ !insurance_late
np insurance=at_turn: R1 9>1 A>d 8>1 9>d- ins- 1.insure !insurance_late
np insurance=none: R1 9>1 A>d 8>1 9>d- ins+ !action_not_offered
np insurance=none: R1 9>1 A>d 8>1 9>d- 1.insure !action_not_offered
cr: R1 9>1 A>d 8>1 9>d- ins+ 1.insure ins- peek=no_natural 1.insure !insurance_late
cr: R1 9>1 A>d 8>1 9>d- ins- peek=error 1.insure !insurance_late
"""

CALLS = """
np: R1 9>1 6>d 8>1 9>d- nocall 1.hit 2>1 !call_missing 1.hit 2>1 1.stand hole 2>d close
np: R1 9>1 6>d 8>1 9>d- nocall call 1.hit 2>1
np: R1 9>1 6>d nocall 8>1 !call_missing 9>d- 1.hit 2>1
np observes=positions,faces,signals,calls: R1 9>1 6>d 8>1 9>d- 1.hit 2>1 !call_missing
np observes=positions,faces,signals,calls: R1 9>1 6>d 8>1 9>d- call 1.hit 2>1
np observes=positions,faces,signals: R1 9>1 6>d 8>1 9>d- 1.hit 2>1
nh: R1 9>1 6>d 8>1 nocall 1.stand T>d 9>d close
"""


TABLES = (DEAL, FACES, WAGERS, EXTRA, MISSING, BURN, SHOE, INSURANCE, CALLS)


@pytest.mark.parametrize("story", lines(*TABLES))
def test_the_deal(story: str) -> None:
    holds(story)
