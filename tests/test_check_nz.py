"""New Zealand 1994: no more bets, one dealer card, the cut and the cutting card. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

DEAL = """
nz: R1,4 nmb 9>1 6>4 Q>d 8>1 5>4 1.stand 4.hit 9>4 4.stand 7>d settle4=win settle1=push close
nz: nmb R1 9>1 Q>d 8>1 1.stand 7>d close
nz: R1 9>1 Q>d 8>1 1.stand 7>d close
nz: R1 nonmb 9>1 !nmb_missing Q>d 8>1 1.stand 7>d close
nz: R1 nonmb nmb 9>1 Q>d 8>1
nz observes=positions,faces,signals,calls: R1 nmb 9>1 Q>d 8>1 1.stand 7>d close R1 9>1 !nmb_missing
nz observes=positions,faces,signals: R1 9>1 Q>d 8>1 1.stand 7>d close
nz: R1,4 nmb 9>4 !order 9>1 Q>d 8>1 8>4 1.stand 4.stand 7>d close
nz: R1,4 nmb 9>1 9>2 !box_without_wager
nz: R1 nmb 9>1 8>1 !order Q>d 1.stand 7>d close
nz: R1 nmb 9>1 Q>d- !face 8>1 1.stand 7>d close ?dealer_underdraw
nz: R1 nmb 9>1 Q>d 8>1- !face 1.stand 7>d close
nz: R1 nmb 6>1 Q>d 5>1 1.double 7>1- !face 7>d close
nz: R1 nmb 9>1 Q>d 8>1 1.stand 7>d- !face close ?dealer_underdraw
nz: R1 nmb 9>1 Q>d 8>1 7>d- !hole_not_allowed
nz: R1 nmb 9>1 Q>d 8>1 7>d !dealer_played_early
nz: R1 nmb 9>1 Q>d 8>1 7>d. !hole_not_allowed
nz: R1,2 nmb 9>1 9>2 Q>d 8>1 8>2 1.stand 7>d. !dealer_played_early
nz: R1,2 nmb 9>1 9>2 Q>d 8>1 7>d !extra_card
nz: R1,2 nmb 9>1 9>2 Q>d 8>1 8>2 1.stand 7>d !dealer_played_early
nz: R1 nmb 9>1 A>d 8>1 peek !peek_in_no_peek_mode 1.stand
nz: R1 nmb 9>1 A>d 8>1 look 1.stand 7>d close
nz: R1 nmb 9>1 A>d 8>1 fault method=nd-no-peek !method_unreachable restore 1.stand 7>d close
nz: R1,2 nmb 9>1 wager2=raised !wager_changed
nz: R1,2 nmb wager2=taken_back 9>1 Q>d 8>1 1.stand 7>d close
nz: R1,8 !box_limit
nz: R1 nmb 9>1 8>1 !order 1.hit 2>1 1.stand Q>d 7>d close
nz: R1,2 nmb 9>1 8>2 A>d 9>1 ins+ !missing_card
nz: R1 nmb 9>1 A>d 8>1 1.stand K>d 2>d !draw_after_dealer_natural
nz decks=4: R1 nmb 9>1 Q>d 8>1 1.stand 7>d close
"""

BURN = """
nz shoe=fresh: R1 nmb 9>1
nz shoe=fresh: 4>b R1 nmb 9>1
nz shoe=fresh: 4>b 5>b !burn_extra R1
nz shoe=fresh burn=1: R1 nmb 9>1 !burn_missing
nz shoe=fresh burn=0: 4>b !burn_extra
nz shoe=new_dealer: R1 nmb 9>1
nz: dealer 4>b !burn_extra
nz shoe=fresh burn=1: R1 nonmb 9>1 !burn_missing
"""

INSURANCE = """
nz: R1,2 nmb 9>1 9>2 A>d 8>1 8>2 1.insure 1.stand 2.insure 2.stand 7>d close
nz: R1,2 nmb 9>1 9>2 A>d 8>1 8>2 ins+ 1.insure 2.insure ins- 1.stand 2.stand 7>d close
nz: R1,2 nmb 9>1 9>2 A>d 3>1 8>2 1.hit 7>1 2.insure 1.insure !insurance_late
nz: R1 nmb 9>1 A>d 8>1 1.stand 1.insure !insurance_late
nz: R1 nmb 8>1 A>d 8>1 1.split 1.insure !insurance_late
nz: R1 nmb 9>1 A>d 8>1 ins- 1.insure !insurance_late
nz: R1 nmb A>1 A>d K>1 1.insure 7>d close
nz: R1 nmb A>1 A>d K>1 7>d 1.insure !insurance_late
nz: R1 nmb 9>1 K>d 8>1 1.insure !insurance_without_ace
nz: R1 nmb 9>1 K>d 8>1 ins+ !insurance_without_ace
nz insurance=none: R1 nmb 9>1 A>d 8>1 1.insure !action_not_offered
nz insurance=pre_peek_round: R1 nmb 9>1 A>d 3>1 ins+ 1.insure ins- 1.hit 7>1 1.stand 7>d close
nz insurance=pre_peek_round: R1 nmb 9>1 A>d 3>1 1.hit 7>1 1.insure !insurance_late
"""

SHUFFLE = """
nz: R1 nmb cutcard 9>1 !shuffle_overdue
nz: cutcard R1 nmb 9>1 !shuffle_overdue
nz: cutcard shuffle R1 nmb 9>1
nz: R1 nmb 9>1 cutcard Q>d 8>1 1.stand 7>d close R1 nmb 9>1 !shuffle_overdue
nz: R1 nmb 9>1 cutcard Q>d 8>1 1.stand 7>d close shuffle R1 nmb 9>1
nz: R1 nmb 9>1 cutcard Q>d shuffle !shuffle_midround
nz: R1 nmb 9>1 replace !shuffle_midround
nz cut_card_first=play: cutcard R1 nmb 9>1 Q>d 8>1 1.stand 7>d close R1 nmb 9>1 !shuffle_overdue
"""

_ROUND = "R1,4 nmb 9>1 6>4 Q>d 8>1 T>4 1.stand 4.stand 7>d close"
_ON_BOX_4 = "R1,4 nmb 9>1 6>4 Q>d 8>1 cutcard=4 T>4 1.stand 4.stand 7>d close shuffle"
_ON_BOX_4_UNTOLD = "R1,4 nmb 9>1 6>4 Q>d 8>1 cutcard T>4 1.stand 4.stand 7>d close shuffle"
_ON_DEALER = "R1,4 nmb 9>1 6>4 Q>d 8>1 T>4 1.stand 4.stand cutcard=d 7>d close shuffle"
_ON_DEALER_UNTOLD = "R1,4 nmb 9>1 6>4 Q>d 8>1 T>4 1.stand 4.stand cutcard 7>d close shuffle"
_AT_THE_END = "R1,4 nmb 9>1 6>4 Q>d 8>1 T>4 1.stand 4.stand 7>d cutcard close shuffle"
_ON_SPLIT = "R1,4 nmb 9>1 8>4 Q>d 8>1 8>4 1.stand 4.split 3>4a 4a.stand cutcard 9>4b 4b.stand 7>d close shuffle"
CUT = f"""
nz: {_ON_BOX_4} cut=4/
nz: {_ON_BOX_4} cut=4
nz: {_ON_BOX_4} cut=1/ !cutter_wrong
nz: {_ON_BOX_4} cut=1 ?cutter_wrong
nz: {_ON_BOX_4} cut=1/4
nz: {_ON_BOX_4} cut=5/4@1,4,5
nz: {_ON_BOX_4} cut=1/4@1,4,5 !cutter_wrong
nz: {_ON_BOX_4} cut=1/4,5@1,4,5
nz: {_ON_BOX_4} cut=1/@1,2 cut=2/@1,2 !cutter_wrong
nz: {_ON_BOX_4} cut=6/@1,6
nz: {_ON_BOX_4} cut=s/4 !cutter_wrong
nz: {_ON_BOX_4} cut=s/1,4
nz: {_ON_BOX_4} cut=d/1,4 !cutter_wrong
nz: {_ON_BOX_4} cut=s/@
nz: {_ON_BOX_4} cut=d/@ !cutter_wrong
nz: {_ON_BOX_4} cut=2/ !cutter_wrong
nz: {_ON_BOX_4} cut ?cutter_wrong
nz: {_ON_BOX_4} cut=/4 ?cutter_wrong
nz: {_ON_BOX_4_UNTOLD} cut=4/
nz: {_ON_BOX_4_UNTOLD} cut=1/ !cutter_wrong
nz: {_ON_SPLIT} cut=4/
nz: {_ON_SPLIT} cut=1/ !cutter_wrong
nz: {_ON_DEALER} cut=4/
nz: {_ON_DEALER} cut=1/ !cutter_wrong
nz: {_ON_DEALER} cut=1/4
nz: {_ON_DEALER} cut=5/@2,5
nz: {_ON_DEALER} cut=2/@2,5 !cutter_wrong
nz: {_ON_DEALER_UNTOLD} cut=4/
nz: {_ON_DEALER_UNTOLD} cut=1/ !cutter_wrong
nz: {_AT_THE_END} cut=4/ ?cutter_wrong
nz: {_AT_THE_END} cut=1/ ?cutter_wrong
nz: {_AT_THE_END} cut=2/ !cutter_wrong
nz: R1,4 nmb cutcard shuffle cut=1/ placed=1.5/8 9>1 6>4
nz: R1,4 nmb cutcard shuffle cut=4/ !cutter_wrong
nz: R1,4 nmb cutcard=4 shuffle cut=4/
nz: {_ROUND} cutcard shuffle cut=4/ ?cutter_wrong
nz: {_ROUND} replace shuffle cut=1/
nz: {_ROUND} replace shuffle cut=4/ !cutter_wrong
nz: {_ROUND} replace shuffle cut=4/1
nz: {_ROUND} replace shuffle cut=1/@1,4 cut=2/@2,4 cut=4/@2,4 !cutter_wrong
nz: {_ON_DEALER} replace shuffle cut=1/
nz: {_ON_DEALER} replace shuffle cut=4/ !cutter_wrong
nz: {_ROUND} shuffle cut=1/ ?cutter_wrong
nz: {_ROUND} shuffle cut=4/ ?cutter_wrong
nz: {_ROUND} shuffle cut=s/4 !cutter_wrong
nz: {_ROUND} shuffle cut=d/1,4 !cutter_wrong
nz: {_ON_BOX_4} cut=4/ {_ROUND} shuffle cut=1/ ?cutter_wrong
nz: {_ON_DEALER} cut=4/ {_ON_BOX_4} cut=1/ !cutter_wrong
nz shoe=fresh: replace shuffle cut=1/ placed=1.5/8 R1,4 nmb 9>1 6>4 Q>d 8>1 5>4
nz shoe=fresh: replace shuffle cut=2/ ?cutter_wrong
nz shoe=fresh: replace shuffle cut=2/1@1,2
nz shoe=fresh: replace shuffle cut=2/@1,2 !cutter_wrong
nz shoe=fresh: shuffle cut=1/ ?cutter_wrong
nz shoe=fresh: shuffle cut=1/@1
nz shoe=fresh: shuffle cut=4/@1,4 ?cutter_wrong
nz shoe=fresh: shuffle cut=s/1,4@1,4
nz shoe=fresh: shuffle cut=s/4@1,4 !cutter_wrong
nz: shuffle cut=1/@1,4 ?cutter_wrong
nz: replace shuffle cut=1/@1,4
nz: replace shuffle cut=4/@1,4 !cutter_wrong
nz: {_ON_BOX_4} gap cut=1/ ?cutter_wrong
nz: gap {_ON_BOX_4} cut=1/ !cutter_wrong
nz: R1,4 nmb 9>1 6>4 gap Q>d 8>1 5>4 1.stand 4.stand 7>d close shuffle cut=1/ ?cutter_wrong
nz: R1,4 nmb 9>1 6>4 Q>d 8>1 5>4 empty shuffle=discards cut=1/ 1.stand 4.stand 7>d close
fr: {_ON_DEALER.replace("nmb ", "")} cut=1/
pa: R1,4 9>1 6>4 8>d cutcard 8>1 T>4 9>d- 1.stand 4.stand hole close shuffle cut=1/
"""

POSITION = """
nz: placed=1.5/8 placed=1/8 placed=2/8 placed=1.5/4
nz: placed=0.9/8 ?cutcard_position placed=2.1/8 ?cutcard_position
nz: placed=3/8no !cutcard_position
nz: placed=3/8mno !cutcard_position
nz: placed=3/8min placed=4/8min placed=0.5/8min
nz: placed=3/8m ?cutcard_position placed=3/8in ?cutcard_position
nz: placed=4.5/8min !cutcard_position
nz: placed=4.5/8 !cutcard_position
nz: placed=3/4min !cutcard_position
nz: placed=1.5/8no
fr: placed=1/6 placed=0.6/6 placed=2/6 placed=3/6
fr: placed=0.4/6 !cutcard_position
pa: placed=0.1/6 placed=5/6
us: placed=0.1/6 placed=5/6
"""

PLAY = """
nz: R1 nmb 2>1 6>d 3>1 1.hit 4>1 1.double T>1 !action_not_offered
nz: R1,2 nmb T>1 A>2 7>d 6>1 K>2 1.hit 9>1 settle1=lose settle2=natural close
nz: R1 nmb 7>1 6>d 7>1 1.hit 7>1 1.hit 2>1 !draw_on_21
nz: R1 nmb 7>1 6>d 7>1 1.hit 7>1 T>d 2>d close
nz: R1 nmb 8>1 6>d 8>1 1.split 8>1a 1a.split 8>1a 1a.split 3>1a 1a.stand 4>1d 1d.stand 5>1c 1c.stand 6>1b
nz: R1 nmb 8>1 6>d 8>1 1.split 8>1a 1a.split 8>1a 1a.split 8>1a 1a.split !split_limit
nz: R1 nmb A>1 6>d A>1 1.split A>1a 1a.split !split_limit
nz: R1 nmb A>1 6>d A>1 1.split T>1a T>1b T>d 5>d settle1a=push settle1b=push close
nz: R1 nmb 9>1 A>d 8>1 1.stand 6>d close
nz: R1 nmb 9>1 A>d 8>1 1.stand 6>d 2>d !dealer_overdraw burnedd close
nz: R1 nmb 9>1 9>d 8>1 1.stand 5>d close !dealer_underdraw
nz: R1 nmb T>1 6>d 6>1 1.hit T>1 5>d ~dealer_draw_no_live_hands close
nz pickup=checked: R1,3 nmb 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collect3 collect1 collectd close
nz pickup=checked: R1,3 nmb 9>1 8>3 9>d 8>1 9>3 1.stand 3.stand 8>d collect1 !pickup_order
nz surrender=early: R1 nmb T>1 A>d 6>1 1.surrender settle1=surrender close
nz: R1 nmb T>1 A>d 6>1 1.surrender 7>d !action_not_offered
nz signal=required: R1 nmb T>1 A>d 6>1 2>1 !draw_without_signal
nz: R1 nmb T>1 A>d 6>1 2>1 1.stand 7>d close
nz: R1 nmb A>1 K>d K>1 A>d settle1=push close
nz: R1 nmb 9>1 K>d 9>1 1.stand 8>d settle1=natural !settlement_wrong
nz: R1 nmb 7>1 K>d 7>1 1.hit 7>1 A>d settle1=lose close
nz: R1 nmb A>1 K>d K>1 9>d settle1=natural close
"""


@pytest.mark.parametrize("story", lines(DEAL, BURN, INSURANCE, SHUFFLE, CUT, POSITION, PLAY))
def test_new_zealand(story: str) -> None:
    holds(story)
