"""The players' hands in blackjack: turns, signals, splits, doubles, surrender. One story a row."""

from __future__ import annotations

import pytest
from blackjack_log import holds, lines

TURNS = """
np: R1,2 9>1 7>2 8>d 8>1 5>2 9>d- 1.hit 2>1 1.stand 2.hit 4>2 2.stand hole close
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 2.hit 7>2 !hand_skipped 1.stand hole ?dealer_played_early close
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.hit 2.hit 7>2 !hand_skipped
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.double 2.hit 7>2 !hand_skipped
np: R1,2 6>1 9>2 8>d 5>1 9>2 9>d- 2.split !hand_skipped
np: R1,2,3 6>1 9>2 7>3 8>d 5>1 9>2 7>3 9>d- 1.stand 3.hit 2>3 !hand_skipped
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand settle1=lose !hand_skipped hole ?dealer_played_early close
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand collect1 !hand_skipped close ?dealer_underdraw
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand close !hand_skipped
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand R1 !hand_skipped
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand void R1 6>1 9>d
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand hole !dealer_played_early
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.stand 2>d !hole_not_turned
nh: R1,2 6>1 9>2 8>d 5>1 3>2 1.stand 9>d !dealer_played_early
nh: R1,2 6>1 9>2 8>d 5>1 3>2 1.stand 2.stand 9>d close
np: R1,2 9>1 T>2 8>d 6>1 9>2 9>d- 1.hit 2>1 1.stand hole !dealer_played_early
np: R1,2 A>1 T>2 8>d K>1 9>2 9>d- 2.stand hole close
np: R1,2 T>1 T>2 8>d 6>1 9>2 9>d- 1.hit 9>1 settle1=lose collect1 2.stand hole close
"""

SIGNALS = """
np: R1 6>1 8>d 5>1 9>d- 7>1 !draw_without_signal
np: R1 6>1 8>d 5>1 9>d- 1.hit 3>1 2>1 !draw_without_signal 1.stand 4>1 ?draw_after_stand
np: R1 6>1 8>d 5>1 9>d- 1.stand 7>1 !draw_after_stand
np: R1 6>1 8>d 5>1 9>d- 1.stand 1.hit 7>1 !draw_after_stand
np: R1 6>1 8>d 5>1 9>d- 1.stand 1.double 7>1 !draw_after_stand
np: R1 6>1 8>d 5>1 9>d- 1.hit 1.stand hole close
np: R1 6>1 8>d 5>1 9>d- 1.hit 1.stand 7>1 !draw_after_stand
np: R1 6>1 8>d 5>1 9>d- 1.double 1.stand hole close
np: R1 6>1 8>d 5>1 9>d- 1.double 1.hit 2>1 1.hit 3>1 1.stand hole close
np: R1,2 9>1 T>2 8>d 6>1 9>2 9>d- 2.stand 1.hit 2>1 1.stand hole close
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.stand 1.stand 2.hit 3>2 2.stand hole close
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.stand 1.stand 3>2 !draw_after_stand
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.stand 2.hit 1.stand 3>2 !draw_after_stand
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.stand 1.stand 2.stand hole close
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.stand 1.stand 2.stand 2.hit 3>2 !draw_after_stand
np: R1,2 9>1 8>2 8>d 6>1 8>2 9>d- 2.stand 1.stand 2.split 3>2a 2a.stand 9>2b 2b.stand hole close
np: R1,2 9>1 T>2 8>d 6>1 2>2 9>d- 2.hit 1.stand 3>2 2.stand hole close
np: R1,2 9>1 T>2 8>d 1.stand 6>1 2>2 9>d- 2.stand hole close
np: R1 9>1 8>d 6>1 9>d- 3.hit 2.stand 1.stand hole close
np: R1 T>1 8>d 6>1 9>d- 1.hit 9>1 1.stand 1.hit hole close
np: R1 T>1 8>d 6>1 9>d- 1.hit 9>1 1.hit 2>1 !draw_after_bust
np: R1 T>1 8>d A>1 9>d- 1.hit 2>1 !draw_on_blackjack
np: R1 T>1 8>d A>1 9>d- 2>1 !draw_on_blackjack
"""

TWENTY_ONE = """
np: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 1.hit 2>1 ~draw_on_21 hole
np: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 1.stand hole close
np: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 hole !dealer_played_early
np draw_on_21=allow: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 1.hit 2>1
np draw_on_21=violation: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 hole close
np draw_on_21=violation: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 1.hit 2>1 !draw_on_21
np: R1 7>1 8>d 7>1 9>d- 1.hit 7>1 2>1 !draw_without_signal
np: R1 T>1 8>d T>1 9>d- 1.split A>1a 1a.hit 2>1a ~draw_on_21
"""

DOUBLES = """
np: R1 6>1 8>d 5>1 9>d- 1.double 2>1 hole close
np: R1 6>1 8>d 5>1 9>d- 1.double 2>1 7>1 !draw_after_double
np: R1 6>1 8>d 5>1 9>d- 1.double 2>1 1.hit 7>1 !draw_after_double
np: R1 6>1 8>d 5>1 9>d- 1.double 2>1- 1.hit 7>1 !draw_after_double
np: R1 6>1 8>d 5>1 9>d- 1.hit 2>1 1.double 7>1 !action_not_offered
np: R1 6>1 8>d 5>1 9>d- 1.hit 2>1 1.double 1.hit 7>1 1.stand hole close
np: R1 6>1 8>d 5>1 9>d- 1.hit 2>1 1.double 1.stand hole close
np: R1 6>1 8>d 5>1 9>d- 1.hit 2>1 1.double hole !action_not_offered
np: R1,2 6>1 9>2 8>d 5>1 3>2 9>d- 1.hit 2>1 1.double 2.hit 7>2 !action_not_offered
np: R1 8>1 8>d 8>1 9>d- 1.split 3>1a 1a.double T>1a 3>1b 1b.stand hole close
np double_after_split=false: R1 8>1 8>d 8>1 9>d- 1.split 3>1a 1a.double T>1a !action_not_offered
np double_after_split=false: R1 8>1 8>d 8>1 9>d- 1.split 3>1a 1a.double 3>1b !action_not_offered
np double_after_split=false: R1 8>1 8>d 8>1 9>d- 1.split 3>1a 1a.double 1a.hit 9>1a 1a.stand 3>1b 1b.stand hole
"""

SURRENDER = """
np: R1 6>1 8>d 1.hit 5>1 9>d- 2>1 1.stand hole close
np: R1 8>1 8>d 8>1 9>d- 1.split 1a.double 3>1a T>1a 3>1b 1b.stand hole close
np surrender=late: R1 T>1 8>d 6>1 9>d- 1.surrender settle1=surrender close
np surrender=late: R1 T>1 8>d 6>1 9>d- 1.surrender 2>1 !draw_after_surrender
np surrender=late: R1 T>1 8>d 6>1 9>d- 1.surrender 1.hit 2>1 !draw_after_surrender
np surrender=late: R1 T>1 8>d 6>1 9>d- 1.surrender 1.stand 2>1 !draw_after_surrender
np surrender=late: R1 5>1 8>d 6>1 9>d- 1.hit 2>1 1.surrender 3>1 !action_not_offered
np surrender=late: R1,2 5>1 T>2 8>d 6>1 6>2 9>d- 2.surrender 1.hit 3>1 1.stand hole close
np surrender=late: R1 8>1 8>d 8>1 9>d- 1.split 2>1a 1a.surrender 3>1a !action_not_offered
np surrender=late: R1,2 A>1 T>2 8>d K>1 6>2 9>d- 1.surrender 2.hit 3>2 !action_not_offered
us surrender=late: R1 A>1 6>d K>1 T>d- 1.surrender settle1=surrender !action_not_offered
us: R1,2 A>1 9>2 6>d K>1 9>2 T>d- 1.surrender settle1=surrender !action_not_offered 2.stand hole=T 5>d close
us surrender=late: R1,2 A>1 9>2 6>d K>1 9>2 T>d- 1.surrender 1.stand settle1=natural 2.stand hole=T 5>d close
np: R1 T>1 8>d 6>1 9>d- 1.surrender 2>1 !action_not_offered
np: R1 T>1 8>d 6>1 9>d- 1.surrender 1.hit 2>1 1.stand hole close
np: R1 T>1 8>d 6>1 9>d- 1.surrender hole !action_not_offered close
np: R1 T>1 8>d 6>1 9>d- 1.surrender close !hole_not_turned
np: R1,2 T>1 T>2 8>d 6>1 6>2 9>d- 1.surrender 2.hit 3>2 !action_not_offered
np: R1,2 5>1 T>2 8>d 6>1 6>2 9>d- 2.surrender 1.hit 3>1 1.stand 2>2 !action_not_offered
np surrender=early: R1,2 T>1 T>2 8>d 6>1 6>2 9>d- 2.surrender 1.surrender settle1=surrender settle2=surrender close
np surrender=early: R1,2 5>1 T>2 8>d 6>1 6>2 9>d- 1.hit 3>1 1.stand 2.surrender 9>2 !action_not_offered
np surrender=late: R1,2 5>1 T>2 8>d 6>1 6>2 9>d- 1.hit 3>1 1.stand 2.surrender settle2=surrender hole close
"""

SPLITS = """
np: R2 T>2 8>d K>2 9>d- 2.split 9>2a 2a.stand 9>2b 2b.stand hole close
np pair=rank: R2 T>2 8>d K>2 9>d- 2.split !split_not_pair
np: R2 9>2 8>d K>2 9>d- 2.split !split_not_pair 3>2a
np: R2 3>2 8>d 3>2 9>d- 2.hit 3>2 2.split !split_not_pair
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 9>2b !split_order
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2b !split_order
np: R2 8>2 8>d 8>2 9>d- 3>2b !split_order
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2c !split_order
np: R2 8>2 8>d 8>2 9>d- 2b.split !split_order
np: R2 8>2 8>d 8>2 9>d- 2b.hit 2.stand hole close
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2 2.stand 9>2 2.stand hole close
np: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 2a.split 3>2a 2a.stand 9>2c 2c.stand 2>2b 2b.stand hole close
np: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 2a.split 3>2a 2a.stand 2>2b !split_order
np: R2 8>2 8>d 8>2 9>d- 2.split 8>2 2.split 3>2 2.stand 9>2 2.stand 2>2 2.stand hole close
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2a.stand 8>2b 2b.split 9>2b 2b.stand 2>2c 2c.stand hole close
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2b.split !split_not_pair
np: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 2a.split 8>2a 2a.split 8>2a 2a.split !split_limit
np max_hands=2: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 2a.split !split_limit
np max_hands=none: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 2a.split 8>2a 2a.split 8>2a 2a.split 8>2a 2a.split
np: R2 A>2 8>d A>2 9>d- 2.split 9>2a 4>2b hole close
np: R2 A>2 8>d A>2 9>d- 2.split 5>2a 2a.hit 4>2a !split_ace_extra
np: R2 A>2 8>d A>2 9>d- 2.split T>2a 2a.hit 4>2a !split_ace_extra
np: R2 A>2 8>d A>2 9>d- 2.split 5>2a 2a.double 4>2a !split_ace_extra
np: R2 A>2 8>d A>2 9>d- 2.split A>2a 2a.split 5>2a A>2c 2c.split 9>2c 2>2d 3>2b hole close
np: R2 A>2 8>d A>2 9>d- 2.split A>2a 2a.split 5>2a A>2c 2c.split 9>2c A>2d 2d.split !split_limit
np: R2 A>2 8>d A>2 9>d- 2.split A>2 2.split 5>2 9>2 4>2 hole close
np: R2 A>2 8>d A>2 9>d- 2.split 5>2 A>2 2.split 9>2 4>2 hole close
np: R2 A>2 8>d A>2 9>d- 2.split A>2a 5>2b hole close
np resplit_aces=false: R2 A>2 8>d A>2 9>d- 2.split A>2a 2a.split !split_limit
np: R2 T>2 8>d T>2 9>d- 2.split A>2a 2a.stand 9>2b 2b.stand hole settle2a=win settle2b=win close
np: R1,2 8>1 9>2 8>d 8>1 9>2 9>d- 1.split 3>1a 1a.stand 2.hit 3>2 !hand_skipped
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 9>2b 2a.hit 2>2a 2a.stand 2b.stand hole close
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2 9>2 2.hit 2>2 2.stand 2.stand hole close
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2b !split_order
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2a.stand 2a.hit 9>2b 4>2a !draw_after_stand
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2a.stand 9>2b 2a.hit 4>2a 2a.stand 2b.stand hole
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2a.hit 9>2a !split_order
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 9>2b 2b.hit 2>2b !split_order
np split_second_card=at_split: R2 8>2 8>d 8>2 9>d- 2.split 8>2a 9>2b 2a.split 3>2a 4>2c 2a.stand 2c.stand 2b.stand hole
np: R2 8>2 8>d 8>2 9>d- 2.split 3>2a 2>2a !draw_without_signal
np: R2 8>2 8>d 8>2 9>d- 2.split 2a.stand 3>2a 9>2b 2b.stand hole close
"""


TABLES = (TURNS, SIGNALS, TWENTY_ONE, DOUBLES, SURRENDER, SPLITS)


@pytest.mark.parametrize("story", lines(*TABLES))
def test_the_hands(story: str) -> None:
    holds(story)
