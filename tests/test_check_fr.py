"""France: five cards burned, one dealer card, house options, pickup, the stop card. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

SHOE = """
fr shoe=fresh: 4>b 5>b 6>b 7>b 8>b R1 6>1 5>d 5>1 1.hit T>1 1.stand T>d 2>d close
fr shoe=fresh: R1 6>1 !burn_missing 5>d
fr shoe=fresh: 4>b 5>b 6>b 7>b R1 6>1 !burn_count 5>d
fr shoe=fresh: 4>b 5>b 6>b 7>b 8>b 9>b !burn_count R1 6>1
fr shoe=fresh: 4>b 5>b 6>b 7>b R1 8>b !burn_missing 6>1
fr shoe=new_dealer: R1 6>1 5>d
fr: dealer 4>b !burn_extra
fr: R1 6>1 5>d T>1 1.stand T>d 2>d close load 4>b 5>b 6>b 7>b 8>b R1 6>1
fr: cutcard R1 6>1 5>d T>1 1.stand T>d 2>d close R1 6>1 !shuffle_overdue
fr: R1 6>1 cutcard 5>d T>1 1.stand T>d 2>d close R1 6>1 !shuffle_overdue
fr: R1 6>1 cutcard 5>d T>1 1.stand T>d 2>d close shuffle cut=1 placed=1/6 load 4>b 5>b 6>b 7>b 8>b R1 6>1
fr: R1 6>1 shuffle !shuffle_midround
fr: R1 nonmb 6>1 5>d
fr: R1,8 !box_limit
"""

DEAL = """
fr: R1,2,7 6>1 9>2 T>7 5>d 5>1 8>2 9>7 1.hit T>1 1.stand 2.stand 7.stand T>d 3>d close
fr: R1,2 6>1 5>d !order 9>2 5>1 8>2
fr: R1 6>1- !face 5>d
fr: R1 6>1 5>d 5>1 1.double T>1- !face T>d 3>d
fr: R1 6>1 5>d 5>1 T>d- !hole_not_allowed
fr: R1 6>1 5>d T>1 T>d !dealer_played_early
fr: R1,2 6>1 9>2 5>d T>1 8>2 1.hit 2>1 1.stand 2.stand T>d 3>d close
fr: R1,2 6>1 9>2 5>d T>1 8>2 2.hit 2>2 !hand_skipped
fr: R1 6>1 wager1=raised !wager_changed
fr: R1 6>1 A>d 5>1 peek !peek_in_no_peek_mode
fr: R1 6>1 A>d 5>1 fault method=nd-no-hole !method_unreachable
"""

PLAY = """
fr: R1 6>1 5>d 5>1 1.hit T>1 1.hit 9>1 settle1=lose close
fr: R1 6>1 5>d 5>1 1.hit T>1 T>d !dealer_played_early
fr: R1 6>1 5>d 5>1 1.hit T>1 1.stand T>d 3>d close
fr draw_on_21=violation: R1 6>1 5>d 5>1 1.hit T>1 1.hit 9>1 !draw_on_21
fr draw_on_21=warn: R1 6>1 5>d 5>1 1.hit T>1 1.hit 9>1 ~draw_on_21
fr: R1 T>1 5>d 5>1 1.hit 9>1 2>1 !draw_after_bust
fr: R1 A>1 5>d T>1 2>1 !draw_on_blackjack
fr: R1 8>1 5>d 8>1 1.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split 3>1a 1a.stand
fr max_hands=2: R1 8>1 5>d 8>1 1.split 8>1a 1a.split !split_limit
fr pair=rank: R1 K>1 5>d T>1 1.split !split_not_pair
fr: R1 K>1 5>d T>1 1.split 9>1a 1a.stand A>1b 1b.stand T>d 3>d settle1b=win settle1a=win close
fr: R1 A>1 5>d A>1 1.split T>1a 4>1b T>d 3>d settle1a=win settle1b=lose close
fr: R1 A>1 5>d A>1 1.split T>1a 2>1a !split_ace_extra
fr: R1 A>1 5>d A>1 1.split A>1a 1a.split !split_limit
fr resplit_aces=true: R1 A>1 5>d A>1 1.split A>1a 1a.split 2>1a 3>1c 4>1b T>d 3>d close
fr: R1 8>1 5>d 8>1 1.split 3>1a 1a.double 9>1a 2>1b 1b.double 9>1b T>d 3>d close
fr double_after_split=false: R1 8>1 5>d 8>1 1.split 3>1a 1a.double 9>1a !action_not_offered
fr: R1 6>1 5>d 5>1 1.double 2>1 7>1 !draw_after_double
"""

INSURANCE = """
fr: R1,2 6>1 9>2 A>d 5>1 8>2 1.insure 1.hit 9>1 1.stand 2.insure 2.stand K>d settle2=lose settle1=lose close
fr: R1 6>1 A>d 5>1 ins+ 1.hit 2>1 1.insure !insurance_late
fr: R1,2 6>1 9>2 A>d 5>1 8>2 2.insure 1.hit 9>1 1.stand 2.stand K>d close
fr: R1,2 6>1 9>2 A>d 5>1 ins+ !missing_card 8>2
fr: R1 6>1 K>d 5>1 1.insure !insurance_without_ace
fr: R1 6>1 A>d 5>1 1.double 2>1 1.insure !insurance_late
"""

SURRENDER = """
fr: R1 T>1 A>d 6>1 1.surrender 2>1 !action_not_offered
fr: R1 T>1 A>d 6>1 1.surrender K>d !action_not_offered
fr surrender=early: R1,2 T>1 T>2 A>d 6>1 6>2 1.surrender 2.surrender settle2=surrender settle1=surrender close
fr surrender=early: R1,2 T>1 5>2 A>d 6>1 6>2 1.surrender 2.hit 9>2 2.stand 7>d close
fr surrender=early: R1,2 T>1 5>2 6>d 6>1 6>2 1.hit 3>1 1.stand 2.surrender 9>2 !action_not_offered
fr surrender=early: R1,2 T>1 T>2 6>d 6>1 6>2 2.surrender 1.hit 3>1 1.stand T>d T>d settle2=surrender settle1=win close
fr surrender=early: R1 T>1 A>d 6>1 1.surrender 2>1 !draw_after_surrender
fr surrender=early: R1,2 T>1 5>2 A>d 6>1 5>2 1.surrender 1.stand 2.hit 9>2 2.stand 8>d settle1=win !settlement_wrong
fr surrender=early: R1 T>1 A>d 6>1 1.surrender K>d ~dealer_draw_no_live_hands close
fr surrender=early: R1 A>1 K>d T>1 1.surrender 9>d !action_not_offered
fr surrender=early: R1 8>1 K>d 8>1 1.split 2>1a 1a.surrender 9>1a !action_not_offered
fr surrender=early: R1,2 8>1 T>2 K>d 8>1 6>2 1.split 2.surrender 2>1a 1a.stand 9>1b 1b.stand 9>d settle2=surrender close
"""

DEALER = """
fr: R1 6>1 A>d T>1 1.stand 6>d close
fr: R1 6>1 A>d T>1 1.stand 6>d 2>d !dealer_overdraw burnedd settle1=lose close
fr: R1 6>1 9>d T>1 1.stand 7>d close !dealer_underdraw
fr: R1 6>1 9>d T>1 1.stand K>d 2>d !dealer_overdraw
fr: R1 6>1 A>d T>1 1.stand K>d 2>d !draw_after_dealer_natural
fr: R1 A>1 K>d T>1 9>d settle1=natural close
fr: R1 A>1 K>d T>1 A>d settle1=push close
fr: R1 A>1 9>d T>1 settle1=natural close
fr: R1 A>1 K>d T>1 close !dealer_underdraw
fr: R1 A>1 9>d T>1 9>d ~dealer_draw_no_live_hands close
fr: R1,3 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collect3 collect1 collectd close
fr: R1,3 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collect1 !pickup_order collect3 collectd close
fr: R1,3 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collect3 collectd !pickup_order
fr: R1,3 9>1 8>3 9>d 7>1 9>3 1.hit T>1 collect1 3.stand 8>d collect3 collectd close
fr: R3 8>3 9>d 8>3 3.split T>3a 3a.stand 3>3b 3b.stand 8>d collect3b collect3a collectd close
fr: R3 8>3 9>d 8>3 3.split T>3a 3a.stand 3>3b 3b.stand 8>d collect3a !pickup_order
fr pickup=unchecked: R1,3 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collectd collect1 collect3 close
"""


@pytest.mark.parametrize("story", lines(SHOE, DEAL, PLAY, INSURANCE, SURRENDER, DEALER))
def test_france(story: str) -> None:
    holds(story)
