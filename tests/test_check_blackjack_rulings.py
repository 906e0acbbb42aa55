"""What the contract rules on one by one, told as rounds of tables that choose otherwise than the default."""

from __future__ import annotations

from dataclasses import replace

import pytest
from blackjack_log import holds, lines, verdicts
from blackjack_log import story as told

TURNS = """
us: R1,2 9>1 9>2 8>d 3>1 3>2 9>d- 2.stand 1.stand 2.hit 3>2 2.stand hole=9 close
us: R1,2 9>1 9>2 8>d 3>1 3>2 9>d- 2.stand 2.hit 1.stand 3>2 !draw_after_stand
us: R1,2 9>1 9>2 8>d 3>1 3>2 9>d- 1.double 3>2 !hand_skipped
us: R1 8>1 6>d 8>1 T>d- 1.split 8>1a 1a.split 3>1a 1a.stand 3>1b !split_order
us: R1 8>1 6>d 8>1 T>d- 1.split 8>1a 1a.split 3>1a 1a.stand 3>1c 1c.stand 3>1b 1b.stand hole=T 5>d close
us: R1,2 8>1 9>2 6>d 8>1 9>2 T>d- 1.split 3>1a 1a.stand 3>2 !hand_skipped
us: R1 8>1 6>d 8>1 T>d- 1.split T>1 1.stand T>1 1.stand hole=T 5>d close
us: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.hit 3>1c !split_order
us split_second_card=at_split: R1 8>1 6>d 8>1 T>d- 1.split 8>1a 8>1b 1b.split !split_order
us split_second_card=at_split: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.hit 5>1a !split_order
"""

LIMITS = """
sl max_hands=none: R1 8>1 6>d 8>1 T>d- 1.split 8>1a 1a.split 8>1a 1a.split T>1a 1a.stand T>1d 1d.stand T>1c 1c.stand
us max_hands=2 resplit_aces=true: R1 A>1 6>d A>1 T>d- 1.split A>1a 1a.split !split_limit
us max_hands=1: R1 8>1 6>d 8>1 T>d- 1.split !split_limit
us resplit_aces=true: R1 A>1 6>d A>1 T>d- 1.split A>1a 1a.split A>1a 1a.split 3>1a 4>1d 4>1c A>1b 1b.split !split_limit
fr max_hands=3: R1 8>1 6>d 8>1 1.split 8>1a 1a.split 8>1a 1a.split !split_limit
fr resplit_aces=true: R1 A>1 6>d A>1 1.split A>1a 1a.split 9>1a 9>1c 9>1b T>d 5>d close
us draw_on_21=violation: R1 T>1 6>d T>1 T>d- 1.split A>1a 5>1a !draw_on_21
fr: R1 T>1 6>d T>1 1.split A>1a 1a.hit 5>1a 1a.stand A>1b 1b.stand T>d 5>d close
"""

NOT_OFFERED = """
us: R1 2>1 6>d 3>1 T>d- 1.hit 3>1 1.double hole=T !action_not_offered
us: R1 2>1 6>d 3>1 T>d- 1.hit 3>1 1.double 1.hit 5>1 1.stand hole=T 5>d close
us double_after_split=false: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.double 9>1b !action_not_offered
us surrender=early: R1,2 T>1 T>2 6>d 6>1 6>2 T>d- 1.hit 2>1 1.stand 2.surrender hole=T !action_not_offered
us surrender=early: R1,2 T>1 T>2 6>d 6>1 6>2 T>d- 2.surrender 1.hit 2>1 1.stand hole=T 5>d close
us surrender=late: R1,2 T>1 T>2 6>d 6>1 6>2 T>d- 2.surrender 1.hit 2>1 1.stand 3>2 !draw_after_surrender
us surrender=late: R1 8>1 6>d 8>1 T>d- 1.split 3>1a 1a.surrender 3>1b !action_not_offered
"""

READER = """
us: R1 9>1 K>d 5>1 9>d- peek=error peek=error peek=no_natural peek=no_natural !peek_repeated 1.stand hole=9
us: R1 9>1 K>d 5>1 9>d- peek=error 1.hit 3>1 peek=no_natural !peek_repeated 1.stand hole=9
us: R1 9>1 K>d 5>1 9>d- peek=error fault peek=no_natural !peek_in_no_peek_mode 1.stand hole=9
us: R1,2 5>1 5>2 K>d 5>1 5>2 9>d- 2.hit 5>2 !peek_missing
us: R1 9>1 K>d 2>1 9>d- 1.hit 9>1 !peek_missing peek=no_natural 1.stand hole=9 close
sl scanner_approved=false: R1 9>1 A>d 9>1 5>d- ins+ peek=no_natural !peek_device_not_approved
us: R1 9>1 A>d 5>1 K>d- ins- peek=natural 5>2 !draw_after_dealer_natural
cr fallback=nd-no-hole: R1 9>1 Q>d- fault 8>1 6>d call 1.stand hole=Q 5>d close R1 9>1 Q>d 8>1 6>d- !hole_not_allowed
cr: fault R1 9>1 Q>d 8>1 6>d- restore peek !peek_in_no_peek_mode
cr: fault method=nd-no-hole R1 9>1 Q>d 8>1 call 1.stand 6>d 4>d close restore R1 9>1 Q>d 8>1 9>d- call peek=no_natural
"""

REMEDIES = """
us: R1,2,3 9>1 9>3 !order 8>d 9>1 9>3 9>d- 9>2 9>2 1.stand 2.stand 3.stand hole=9 close
us: R1,2 8>d !order 9>1 9>2 9>1 9>2 9>d- 1.stand 2.stand hole=9 close
us: R1 9>1 6>d 9>1 1.hit 2>1 !hole_missing 5>d- 1.stand hole=5 T>d close
us: R1 9>1 8>d 9>1 9>d- 1.stand hole=9 5>d !dealer_overdraw burnedd 5>d !dealer_overdraw burnedd settle1=win close
us: R1 9>1 8>d 9>1 9>d- 1.stand hole=9 5>d !dealer_overdraw burnedd settle1=lose !settlement_wrong close
fr: R1,2 9>1 9>2 K>d 9>1 9>2 1.stand 2.stand 7>d 2>d !dealer_overdraw burnedd settle2=win close
us: R1 9>1 8>d 9>1 5>d- 1.stand hole=5 T>!d burnedd 4>d close
us: R1 9>1 8>d empty shuffle=discards cut=1/ 4>b 4>b !burn_extra 9>1
us: R1 9>1 8>d cutcard 9>1 9>d- 1.stand hole=9 close shuffle=discards R1 9>1 !shuffle_overdue
"""

DISPUTED = """
us: R1 9>1 8>d 9>1 5>d- 1.stand 5>1 !draw_after_stand 5>2 !box_without_wager peek ?peek_forbidden_upcard hole=5 close
us: R1 9>1 8>d 9>1 5>d- 1.stand 5>1 !draw_after_stand fault peek=no_natural !peek_in_no_peek_mode
us: R1 9>1 8>d 9>1 5>d- 1.stand 5>1 !draw_after_stand wager1=raised !wager_changed ins+ !insurance_without_ace
us: R1 9>1 8>d 9>1 5>d- 1.stand 5>1 !draw_after_stand 5>* !draw_outside_round close
us: R1 9>1 8>d 9>1 5>d- 1.stand 5>1 !draw_after_stand shuffle !shuffle_midround
us decks=1: R1 9>1 8>d 9>1 5>d- 1.stand 5s>1 !draw_after_stand 5s>1 !inventory
us: R1,2 9>1 9>2 8>d 9>1 9>2 5>d- 2.hit 5>2 !hand_skipped 1.stand 1.hit 5>1 ?draw_after_stand close
us: R1 9>1 void 9>1 !draw_outside_round R1 9>1 8>d 9>1 9>d- 1.stand 2>1 !draw_after_stand
"""

SHOE_IN_ERROR = """
us: R1 9>1 jam 8>d 9>1 clear 5>d- 1.stand 5>1 ?draw_after_stand hole=5 close
us: R1 9>1 jam clear 8>d 9>1 9>d- 1.stand 5>1 !draw_after_stand
us: R1 9>1 8>d 9>1 9>d- jam 1.stand hole=9 5>d ?dealer_overdraw close clear R1 9>1 9>1 !order
us: R1 jam 9>1 9>1 ?order
us: R1 9>1 jam 8>d 9>1 5>* !draw_outside_round
us: R1 9>1 jam K>d 9>1 5>d- 1.stand 5>1 ?peek_missing
us decks=1: R1 9s>1 jam 9s>d ?inventory
us: jam R1 9>1 !draw_outside_round clear 8>d 9>1
"""

DEALERS = """
nz soft_17=hit: R1 nmb 9>1 A>d 9>1 1.stand 6>d A>d settle1=push close
us soft_17=hit: R1 9>1 2>d T>1 A>d- 1.stand hole=A A>d A>d A>d A>d T>d settle1=win close
us soft_17=stand: R1 9>1 2>d 9>1 4>d- 1.stand hole=4 A>d A>d !dealer_overdraw
nz: R1 nmb A>1 A>d K>1 4>d 2>d ~dealer_draw_no_live_hands
us: R1 A>1 A>d K>1 K>d- ins+ 1.insure ins- peek=natural hole=K settle1=push close
us: R1 A>1 6>d A>1 T>d- 1.split K>1a K>1b hole=T 5>d settle1b=natural !settlement_wrong
"""


@pytest.mark.parametrize("story", lines(TURNS, LIMITS, NOT_OFFERED, READER, REMEDIES, DISPUTED, SHOE_IN_ERROR, DEALERS))
def test_a_ruling(story: str) -> None:
    holds(story)


@pytest.mark.parametrize("manual", [None, True])
def test_a_card_of_a_shoe_in_error_is_not_judged_nor_what_follows_but_one_by_hand_is(manual: bool | None) -> None:
    log = told("us: R1 9>1 jam 8>d 9>1 clear 9>d-")
    events = tuple(event.model_copy(update={"manual": manual}) for event in log.events)
    doubtful = "ok" if manual else "unobservable"
    said = [verdict.outcome for verdict in verdicts(replace(log, events=events))]
    assert said == ["ok", "ok", "ok", doubtful, doubtful, "ok", doubtful]
