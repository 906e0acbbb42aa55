"""Values that come after the act that they make right or wrong: told on the first event that leaves no
reading legal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import get_args

import pytest
from blackjack_log import event_of, holds, lines, story, verdicts
from late_values import LateLog, some_late, with_late

from protocols.cards import Card
from protocols.dealing.blackjack.served import Breach, one_more
from protocols.dealing.blackjack.totals import dealer_draws, dealer_stands_on
from protocols.dealing.check import Check
from protocols.dealing.check import verdicts as checked
from protocols.dealing.snapshot import restored, snapshot
from protocols.events import CardRevealed, Observed
from protocols.hidden import hide
from protocols.verdicts import Verdict
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import expressible
from simulators.blackjack.procedures import PROCEDURES
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.table_log import as_table_log

DEALER = """
np: R1 9>1 ?>d 9>1 T>d- 1.stand hole 2>d ?draw_after_dealer_natural show2=7 !dealer_overdraw
np: R1 9>1 ?>d 9>1 T>d- 1.stand hole 2>d show2=6 close
np: R1 9>1 6>d T>1 ?>d- 1.stand hole 2>d ?dealer_overdraw show4=A !dealer_overdraw close
np soft_17=hit: R1 9>1 6>d T>1 ?>d- 1.stand hole 2>d show4=A close
np: R1 9>1 6>d T>1 ?>d- 1.stand hole 2>d 4>d show4=T !dealer_overdraw close
np: R1 9>1 6>d T>1 ?>d- 1.stand hole close ?dealer_underdraw show4=9 !dealer_underdraw
np: R1 9>1 6>d T>1 ?>d- 1.stand hole settle1=win ?dealer_underdraw show4=9 !dealer_underdraw
np: R1 9>1 6>d T>1 ?>d- 1.stand hole close R1 show4=9 !dealer_underdraw 9>1
np: R1 9>1 7>d T>1 ?>d- 1.stand hole close show4=T R1 9>1 6>d 8>1 T>d-
np: R1 T>1 6>d ?>1 T>d- 1.hit 9>1 hole ?dealer_played_early 5>d ?dealer_played_early show3=5 ~dealer_draw_no_live_hands
np dealer_draw_no_live_hands=violation: R1 T>1 6>d ?>1 T>d- 1.hit 9>1 hole 5>d show3=4 !dealer_draw_no_live_hands
np dealer_draw_no_live_hands=violation: R1 T>1 6>d ?>1 T>d- 1.hit 9>1 1.stand hole 5>d show3=2 close
np: R1 A>1 6>d ?>1 T>d- hole ?dealer_played_early show3=5 !dealer_played_early
np: R1 A>1 6>d ?>1 T>d- hole ?dealer_played_early 5>d show3=K ~dealer_draw_no_live_hands
nh: R1 9>1 K>d 8>1 1.stand ?>d 4>d ?draw_after_dealer_natural show4=A !draw_after_dealer_natural
nh: R1 9>1 K>d 8>1 1.stand ?>d 4>d show4=T !dealer_overdraw
np: R1 A>1 6>d ?>1 T>d- look ?look_at_hole show3=5 !look_at_hole
np: R1 A>1 6>d ?>1 T>d- look ?look_at_hole show3=K
"""
HANDS = """
np: R1 9>1 6>d ?>1 T>d- 1.split ?split_not_pair show3=Ks !split_not_pair
np: R1 9>1 6>d ?>1 T>d- 1.split ?split_not_pair show3=9 5>1a 1a.stand 5>1b 1b.stand hole 5>d close
np: R1 9>1 6>d ?>1 T>d- 1.split 5>1a 1a.stand 5>1b 1b.stand hole 5>d close show3=8 !split_not_pair
np: R1 A>1 6>d ?>1 T>d- 1.split 5>1a 1a.hit 2>1a ?split_ace_extra show3=A !split_ace_extra
np: R1 A>1 6>d ?>1 T>d- 1.split 5>1a 1a.hit 2>1a ?split_ace_extra show3=K !split_not_pair
np resplit_aces=false: R1 ?>1 6>d A>1 T>d- 1.split A>1a 1a.split ?split_not_pair show1=A !split_limit
np: R1 T>1 6>d ?>1 T>d- 1.hit 5>1 1.hit 4>1 ?draw_after_bust show3=8 !draw_after_bust
np: R1 T>1 6>d ?>1 T>d- 1.hit 5>1 1.hit 4>1 ?draw_after_bust show3=2 1.stand hole 5>d close
np: R1 T>1 6>d ?>1 T>d- 1.hit 5>1 ?draw_on_blackjack show3=A !draw_on_blackjack
np: R1 T>1 6>d ?>1 T>d- 1.hit 5>1 1.hit 2>1 ?draw_after_bust show3=6 ~draw_on_21
np draw_on_21=violation: R1 T>1 6>d ?>1 T>d- 1.hit 5>1 1.hit 2>1 show3=6 !draw_on_21
np: R1,2 A>1 8>2 6>d ?>1 T>2 T>d- 2.hit 3>2 ?hand_skipped show4=5 !hand_skipped
np: R1,2 A>1 8>2 6>d ?>1 T>2 T>d- 2.hit 3>2 ?hand_skipped 2.stand hole show4=K 5>d close
np: R1,2 A>1 8>2 6>d ?>1 8>2 T>d- 2.split ?hand_skipped show4=5 !hand_skipped
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.hit ?>1a 5>1b ?split_order 1b.stand show6=2 !split_order
np: R1 8>1 6>d 8>1 T>d- 1.split T>1a 1a.hit ?>1a 5>1b ?split_order 1b.stand show6=4 hole 5>d close
np surrender=late: R1 A>1 6>d ?>1 T>d- 1.surrender hole ?action_not_offered show3=K !action_not_offered
np surrender=late: R1 A>1 6>d ?>1 T>d- 1.surrender hole ?action_not_offered show3=5 close
np: R1,2 ?>1 9>2 6>d A>1 8>2 T>d- 2.stand 1.hit 5>1 1.stand 2.hit 3>2 show1=5 2.stand hole 5>d close
"""
READER = """
cr: R1 9>1 ?>d 9>1 7>d- peek=no_natural ?peek_forbidden_upcard show2=7 !peek_forbidden_upcard
cr: R1 9>1 ?>d 9>1 7>d- peek=no_natural ?peek_forbidden_upcard show2=K 1.stand hole
cr: R1 9>1 ?>d 9>1 7>d- peek=no_natural show2=A !peek_before_insurance_closed
cr: R1 9>1 ?>d 9>1 7>d- ins+ ?insurance_without_ace ins- show2=7 !insurance_without_ace
cr: R1 9>1 ?>d 9>1 7>d- ins+ ins- peek=no_natural show2=A 1.stand hole close
cr: R1 9>1 ?>d 9>1 7>d- 1.hit 2>1 ?peek_missing 1.stand hole show2=K !peek_missing close
cr: R1 9>1 ?>d 9>1 7>d- 1.hit 2>1 ?peek_missing 1.stand hole 4>d close show2=7
cr: R1 9>1 K>d 9>1 ?>d- peek=natural hole ?reader_mismatch show4=7 !reader_mismatch
cr: R1 9>1 K>d 9>1 ?>d- peek=natural hole ?reader_mismatch show4=A close
cr: R1 9>1 K>d. 9>1 7>d. peek=no_natural ?peek_forbidden_upcard 1.stand hole=K !peek_forbidden_upcard
cr: R1 9>1 K>d. 9>1 7>d. peek=no_natural ?peek_forbidden_upcard 1.stand hole=7
cr: R1 9>1 K>d. 9>1 7>d. 1.hit 2>1 ?peek_missing 1.stand hole=7 !peek_missing
cr: R1 9>1 K>d. 9>1 7>d. 1.hit 2>1 ?peek_missing 1.stand hole=K
cr: R1 9>1 K>d 9>1 7>d- peek hole=7 !dealer_played_early
cr: R1 9>1 K>d 9>1 A>d- peek hole=A close
cr: R1 9>1 K>d 9>1 ?>d- peek hole=A close
cr: R1 9>1 K>d 9>1 ?>d- peek hole ?dealer_played_early show4=A
cr: R1 9>1 K>d 9>1 ?>d- peek hole ?dealer_played_early show4=7 !dealer_played_early
cr: R1 9>1 K>d 9>1 A>d- peek=no_natural hole !dealer_played_early
"""
SETTLEMENT = """
np: R1 9>1 T>d ?>1 8>d- 1.stand hole settle1=win ?settlement_wrong close show3=9 !settlement_wrong
np: R1 9>1 T>d ?>1 8>d- 1.stand hole settle1=win ?settlement_wrong close show3=T
np: R1 9>1 T>d T>1 ?>d- 1.stand hole settle1=push show4=7 !settlement_wrong close
np: R1 9>1 T>d T>1 ?>d- 1.stand hole settle1=push show4=9 close
np: R1 9>1 T>d T>1 8>d- 1.stand hole settle1=lose !settlement_wrong
np: R1 ?>1 T>d A>1 8>d- hole settle1=natural ?settlement_wrong show1=9 !dealer_played_early
np: R1 ?>1 T>d A>1 8>d- 1.stand hole settle1=natural ?settlement_wrong show1=9 !settlement_wrong
np pickup=checked: R1,2 9>1 9>2 T>d T>1 T>2 ?>d- 1.stand 2.stand hole collect1 ?dealer_underdraw show6=8 !pickup_order
np pickup=checked: R1,2 9>1 9>2 T>d T>1 T>2 ?>d- 1.stand 2.stand hole collect2 collect1 show6=8
"""
NO_READING_LEFT = """
np: R1 T>1 T>d 9>1 ?>d- 1.stand hole 5>d 3>d !dealer_overdraw close
np: R1 T>1 6>d 9>1 ?>d- 1.stand hole 7>d ?dealer_overdraw 4>d ?dealer_overdraw 2>d !dealer_overdraw
np: R1 T>1 6>d ?>1 T>d- 1.hit 9>1 1.hit 2>1 ?draw_after_bust 1.hit 4>1 !draw_after_bust
np draw_on_21=violation: R1 T>1 6>d ?>1 T>d- 1.hit 9>1 1.hit 2>1 !draw_after_bust
np: R1,2 A>1 8>2 6>d ?>1 T>2 T>d- 2.hit 3>2 ?hand_skipped 1.hit 4>1 !hand_skipped
np: R1,2 T>1 8>2 6>d 6>1 T>2 T>d- 1.hit ?>1 2.hit 3>2 ?hand_skipped 1.hit 4>1 !draw_after_bust
np: R1 A>1 6>d ?>1 T>d- hole ?dealer_played_early 1.hit 4>1 !dealer_played_early
"""
PLACE_BY_ORDER = """
np observes=faces,signals,wagers: R1 ?> 6>+ T> 9>- 1.hit 5> 1.hit 4> ?draw_after_bust show1=8 !draw_after_bust
nh observes=faces,signals,wagers: R1 T> 6> T> 1.hit ?> 4> show4=2 ~dealer_draw_no_live_hands
nh observes=faces,signals,wagers: R1 T> 6> T> 1.hit ?> 4> show4=A !draw_without_signal
nh observes=faces,signals,wagers: R1 9> ?> T> 1.stand 9> 8> close show2=8 !dealer_overdraw
nh observes=faces,signals,wagers: R1 9> ?> T> 1.stand 9> 8> close show2=3
"""
SEVERAL = """
np: R1 9>1 ?>d 9>1 T>d- 1.split 5>1a 1a.hit 8>1a 1a.hit 4>1a !draw_after_bust show2=7
np: R1 9>1 ?>d ?>1 T>d- 1.hit 9>1 1.hit 2>1 ?draw_after_bust 1.stand hole 2>d show3=9 !draw_after_bust show2=7
np: R1 9>1 ?>d ?>1 T>d- 1.hit 9>1 1.stand hole 2>d show3=2 show2=7 !dealer_overdraw close
np: R1,2 9>1 8>2 6>d ?>1 ?>2 T>d- 1.split 5>1a 1a.stand 5>1b 1b.stand 2.split show4=2 !split_not_pair show5=2
np: R1 9>1 6>d ?>1 T>d- 1.split show3=K !split_not_pair close R1 9>1 6>d ?>1 T>d- 1.split show3=K !split_not_pair
np: R1 9>1 6>d ?>1 T>d- 1.split void show3=K R1 9>1
np: R1 9>1 6>d ?>1 T>d- 1.split gap show3=K
np decks=1 observes=positions,signals,wagers,shuffle: R1 As>1 6h>d As>1 !inventory T>d- 1.stand hole
np decks=1: R1 ?>1 6h>d As>1 Th>d- 1.stand show1=As !inventory hole
"""


@pytest.mark.parametrize("text", lines(DEALER, HANDS, READER, SETTLEMENT, NO_READING_LEFT, PLACE_BY_ORDER, SEVERAL))
def test_a_value_that_comes_late(text: str) -> None:
    holds(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("np: R1 9>1 ?>d 9>1 T>d- 1.stand hole 2>d show2=7", ("card 5", "card 2 of the round")),
        ("np: R1 9>1 6>d ?>1 T>d- 1.split show3=K", ("card 3 of the round",)),
        ("np: R1 9>1 6>d T>1 ?>d- 1.stand hole close show4=9", ("card 4 of round 1",)),
    ],
)
def test_the_detail_names_the_cards_and_the_verdict_no_draw(text: str, names: Sequence[str]) -> None:
    last = verdicts(story(text))[-1]
    assert (last.outcome, last.draw, last.to, last.face) == ("violation", None, None, None)
    assert all(name in (last.detail or "") for name in names)
    assert last.rule


def test_a_value_that_a_device_told_sealed_is_as_good() -> None:
    log = story("np: R1 9>1 6>d ?>1 T>d- 1.split")
    check = log.check()
    for event in (*log.events, CardRevealed(draw=3, card=hide(Card("K", "s"))), event_of("close")):
        check, verdict = check.step(event)
        assert (verdict.code if verdict.outcome == "violation" else None) == (
            "split_not_pair" if event.name == "card.revealed" else None
        )


@pytest.mark.parametrize(
    ("cards", "split", "stops_on_21", "code"),
    [
        ("T?9", False, False, None),
        ("T?924", False, False, "draw_after_bust"),
        ("T?92", False, True, "draw_after_bust"),
        ("AT", False, False, "draw_on_blackjack"),
        ("AT", True, True, "draw_on_21"),
        ("A?", True, False, None),
        ("885", False, True, "draw_on_21"),
    ],
)
def test_one_more_card(cards: str, split: bool, stops_on_21: bool, code: str | None) -> None:
    judged = one_more(read(cards), split=split, stops_on_21=stops_on_21)
    assert [each for each in get_args(Breach) if judged.breaks(each)] == ([code] if code else [])


@pytest.mark.parametrize(("cards", "draws"), [("T?", None), ("T?2", None), ("T?5", False), ("6?2", None), ("6?", None)])
def test_the_dealers_cards_were_drawn_where_they_were_due(cards: str, draws: bool | None) -> None:
    assert dealer_draws(read(cards), "stand") is draws
    assert all(total.points >= 17 for total in dealer_stands_on(read(cards), "stand"))


def read(cards: str) -> tuple[Card | None, ...]:
    return tuple(None if rank == "?" else Card(rank, None) for rank in cards)


def violations(found: Sequence[Verdict]) -> list[tuple[int, str]]:
    return [(verdict.event, verdict.code or "") for verdict in found if verdict.outcome == "violation"]


INSTEAD = ("draw_without_signal", "insurance_late")
"""What an act is on every reading, where only some of them break the rule that goes before it."""


def agrees(log: LateLog) -> int:
    """How many violations came late; asserts that each is told once, on its event or when a card is shown."""
    left, late = violations(list(checked(Check.start(log.header), log.events))), 0
    for event, code, shown in log.expected:
        on_time = [told for told in left if told[0] == event and told[1] in (code, *INSTEAD)]
        afterwards = [told for told in left if told[0] in shown and told[0] > event and told[1] == code]
        assert on_time or afterwards, (event, code, left)
        left.remove((on_time or afterwards)[0])
        late += not on_time
    assert left == []
    return late


def dealt_late(
    rules: BlackjackRules, seed: int, rate: float, cards: int, observes: Sequence[Observed] | None
) -> LateLog:
    possible = expressible(observes)
    dealer = BlackjackDealer(rules, seed, rate, possible, reader_faults=0.2)
    log = as_table_log(rules, islice(dealer, 20), observes)
    return with_late(log, some_late(log.events, random.Random(seed), cards))


INPUTS: tuple[Sequence[Observed] | None, ...] = (None, ("faces", "signals", "wagers", "collection", "cut", "shuffle"))


@pytest.mark.parametrize("observes", INPUTS, ids=["everything", "no positions"])
@pytest.mark.parametrize("cards", [1, 4])
@pytest.mark.parametrize("rules", [blackjack_rules(procedure) for procedure in PROCEDURES], ids=PROCEDURES)
def test_a_legal_log_stays_legal(rules: BlackjackRules, cards: int, observes: Sequence[Observed] | None) -> None:
    assert agrees(dealt_late(rules, 5, 0.0, cards, observes)) == 0


@pytest.mark.parametrize("cards", [1, 4])
@pytest.mark.parametrize("rules", [blackjack_rules(procedure) for procedure in PROCEDURES], ids=PROCEDURES)
def test_a_misdeal_is_found_when_it_shows_or_when_the_card_does(rules: BlackjackRules, cards: int) -> None:
    agrees(dealt_late(rules, 3, 0.9, cards, None))


@pytest.mark.soak
@pytest.mark.parametrize("rules", [blackjack_rules(procedure) for procedure in PROCEDURES], ids=PROCEDURES)
def test_many_misdeals_come_late(rules: BlackjackRules) -> None:
    assert sum(agrees(dealt_late(rules, seed, 0.9, 4, None)) for seed in range(40)) > 5


def test_a_check_written_down_after_each_round_says_the_same_of_late_values() -> None:
    log = dealt_late(blackjack_rules("nd-no-peek"), 8, 0.9, 3, None)
    check = again = Check.start(log.header)
    kept = 0
    for event in log.events:
        check, verdict = check.step(event)
        again, same = again.step(event)
        assert same == verdict
        if event.name == "round.closed" and (text := snapshot(again)):
            kept += again.past.previous is not None
            again = restored(text, again.setting)
    assert kept > 0
