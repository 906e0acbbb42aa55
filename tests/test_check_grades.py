"""The four grades of what a table observes: what follows from the rest is judged, what does not is left open.

Each story (blackjack_log.py) stands under its reason, with the inputs of its grade where it names none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from blackjack_log import holds, lines, story

from protocols.dealing.check import Check
from protocols.dealing.digest import digest
from protocols.dealing.histories import MOST
from protocols.dealing.snapshot import restored, snapshot
from protocols.verdicts import Verdict

A = """
a split pair's cards without a letter go to the hand whose turn it is
    np: R1 8>1 6>d 8>1 T>d- 1.split 3>1 1.hit T>1 1.stand T>1 1.stand hole 2>d close
a hand that nobody has heard from is passed over
    np: R1,2 5>1 9>2 6>d 6>1 8>2 T>d- 2.hit 3>2 !hand_skipped
a stand is heard, so is a card after it
    np: R1 5>1 6>d 6>1 T>d- 1.stand 3>1 !draw_after_stand
a double is heard, and shows one card more
    np: R1 5>1 6>d 6>1 T>d- 1.double 3>1 2>1 !draw_after_double
nobody stood before the hole card was turned
    np: R1 5>1 6>d 6>1 T>d- hole !dealer_played_early
the dealer looked before the players were done
    np: R1 5>1 6>d 6>1 T>d- look !look_at_hole
a hand of unread cards may be a natural, nobody has passed it over
    np: R1,2 ?>1 9>2 6>d ?>1 8>2 T>d- 2.hit 3>2 2.stand hole 5>d close
a hand of three unread cards may be over 21
    np: R1,2 ?>1 9>2 6>d ?>1 8>2 T>d- 1.hit ?>1 2.stand hole 5>d close
two low cards are no natural whatever a third is
    np: R1,2 5>1 9>2 6>d 4>1 8>2 T>d- 2.hit 3>2 !hand_skipped
an unread first hand may be over 21, then the card is the second hand's
    np: R1 8>1 6>d 8>1 T>d- 1.split ?>1 1.hit ?>1 ?>1 ?draw_without_signal 1b.stand hole ?>d close
a card on a hand that may be over 21 is left open
    np: R1 T>1 6>d ?>1 T>d- 1.hit ?>1 1.hit 2>1 ?draw_after_bust
twenty and a five are over 21 whatever else is unread
    np: R1 T>1 6>d T>1 ?>d- 1.hit 5>1 1.hit ?>1 !draw_after_bust
an unread hole card may make any total, so the dealer may stand or draw
    np: R1 9>1 6>d 9>1 ?>d- 1.stand hole 5>d close
sixteen at the least with an unread third card still draws or stands
    np: R1 9>1 6>d 9>1 T>d- 1.stand hole ?>d close
eighteen stands though another card is unread elsewhere
    np: R1 ?>1 9>d ?>1 9>d- 1.stand hole 2>d !dealer_overdraw
unread cards may be a pair
    np: R1 ?>1 6>d ?>1 T>d- 1.split 5>1a 1a.stand 9>1b 1b.stand hole 5>d close
ace and an unread card may be a natural, which is paid as such
    np: R1 A>1 6>d ?>1 T>d- 1.stand hole 5>d settle1=natural close
"""
B = """
each card of play goes to the hand that asked
    np observes=signals,wagers: R1,2 9> 7> 6> 8> T> 9> 1.hit 2> 1.stand 2.stand hole 5> close
a pair that is no pair is split, the places follow from the deal
    np observes=signals,wagers: R1,2 9> 8> 6> 6> 8> T> 1.split !split_not_pair
with everybody finished the cards are the dealer's
    nh observes=signals,wagers: R1 9> 8> 9> 1.stand T> 2> !dealer_overdraw
a hand is passed over by another's signal and card
    np: R1,2 6> 9> 8>+ 5> 3> 9>- 2.hit 7> !hand_skipped
after a hit on 21 in all the hand is over
    np: R1 T> 8>+ 6> 9>- 1.hit 9> 1.hit 2> !draw_after_bust
the dealer of eleven does not stand
    np: R1 9> 6>+ 9> 5>- 1.stand hole close !dealer_underdraw
after the turning the cards are the dealer's
    np: R1 9> 6>+ 9> 7>- 1.stand hole 5> T> !dealer_overdraw
hands of a split follow each other
    np: R2 8> 8>+ 8> 9>- 2.split 8> 2a.split 3> 2a.stand 9> 2c.stand 2> 2b.stand hole close
split aces get one card each, then it is the dealer's turn
    np: R1 A> 6>+ A> T>- 1.split 4> 5> hole 9> close
an unread hand may be a natural, then the card is the next hand's
    us-card-reader: R1,2 ?> 5> 6>+ ?> 6> T>- 9>+ 2.stand hole 4> close
an unread hand that may be a natural may also have asked
    us-card-reader: R1 ?> 6>+ ?> T>- 3>+ 1.stand hole 4> close
of two unread hands a card may be the first's, if it is no natural, or the second's
    us-card-reader: R1,2 ?> ?> 6>+ ?> ?> T>- 3>+ ?draw_on_blackjack close
without a hole card a third card may be the dealer's where the hand may be a natural
    fr: R1 A> 6>+ ?> 9>+ 5>+ close
a low hand cannot be a natural, the card is its own
    us-card-reader: R1 5> 6>+ ?> T>- 9>+ 1.stand hole 4> close
no signal where one is required
    np: R1 9> 6>+ 8> 9>- 3> !draw_without_signal
the burn that is due needs no place
    np observes=signals,wagers shoe=fresh burn=1: R1 9> !burn_missing 6> 8> 9> 1.stand hole
an unread upcard may be an ace
    np observes=signals,wagers: R1 9> ?> 8> 9> ins+ ?insurance_without_ace ins- 1.stand hole close
"""
C = """
hits and stands follow from where the cards go
    np: R1,2 5>1 8>2 6>d 6>1 9>2 T>d- T>1 4>2 hole 3>d close
a box is over once a later one is served
    np: R1,2 5>1 8>2 6>d 6>1 9>2 T>d- 4>2 2>1 !draw_after_stand
turning the hole card ends the players' turns
    np: R1 5>1 6>d 6>1 T>d- hole 2>1 !draw_after_stand
without a hole card the dealer's second card ends them
    nh: R1 5>1 6>d 6>1 T>d 2>1 !draw_after_stand
a card face down is no second one of a dealer without hole card
    nh: R1 9>1 6>d 8>1 9>d- !hole_not_allowed
a hand over 21 gets nothing
    np: R1 T>1 6>d 6>1 T>d- 9>1 2>1 !draw_after_bust
nor does a natural
    np: R1 T>1 6>d A>1 T>d- 2>1 !draw_on_blackjack
a card face down came on a double, it was the last
    np: R1 5>1 6>d 6>1 T>d- 9>1- 2>1 !draw_after_double
no hand of three cards is doubled
    np: R1 2>1 6>d 3>1 T>d- 4>1 9>1- !face
a pair may be split or hit
    np: R1 8>1 6>d 8>1 T>d- 2>1 3>1 hole T>d close
over 21 as one hand, a pair was split or the card is wrong
    np: R1 8>1 6>d 8>1 T>d- T>1 3>1 ?draw_after_bust hole 5>d close
over 21 on any reading
    np: R1 8>1 6>d 8>1 T>d- T>1 9>1 ?draw_after_bust 9>1 9>1 9>1 !draw_after_bust
a letter shows the split, each hand has its turn
    np: R1 8>1 6>d 8>1 T>d- T>1a T>1b hole 4>d close
the second hand is served while the first lacks its card
    np: R1 8>1 6>d 8>1 T>d- T>1b !split_order
a letter beyond a pair that was none
    np: R1 9>1 6>d 8>1 T>d- T>1b !split_order
split aces have one card each
    np resplit_aces=false: R1 A>1 6>d A>1 T>d- 4>1a 5>1b 6>1b !split_ace_extra
the first hand is over once the second is served
    np: R1 8>1 6>d 8>1 T>d- 2>1a 3>1b 4>1a !draw_after_stand
a pair split again shows by its letter
    np: R1 8>1 6>d 8>1 T>d- 8>1a 2>1a 3>1c 4>1b hole 4>d close
with both cards at once the second hand is served before the first goes on
    np split_second_card=at_split: R1 8>1 6>d 8>1 T>d- 2>1a 3>1b 4>1a 5>1b hole 4>d close
the dealer stands too early
    np: R1 9>1 6>d 9>1 T>d- hole close !dealer_underdraw
the hole card is never turned
    np: R1 9>1 6>d 9>1 T>d- close !hole_not_turned
nobody but the dealer knows who gave up
    np surrender=late: R1 T>1 6>d 6>1 9>d- hole close ?dealer_underdraw
a hand of three cards has not given up
    np surrender=late: R1,2 T>1 9>2 6>d 3>1 9>2 9>d- 2>1 hole close !dealer_underdraw
a split hand has not given up
    np surrender=late: R1 8>1 6>d 8>1 T>d- T>1a T>1b hole close !dealer_underdraw
who gave up shows when it is settled
    np surrender=late: R1 T>1 6>d 6>1 9>d- settle1=surrender close
surrender is settled where it is not offered
    np: R1 T>1 6>d 6>1 9>d- hole 4>d settle1=surrender !action_not_offered
one that drew did not give up
    np surrender=late: R1 T>1 6>d 3>1 9>d- 2>1 hole 4>d settle1=surrender !action_not_offered
two boxes, one gave up
    np surrender=late: R1,2 T>1 9>2 6>d 6>1 9>2 9>d- hole 4>d settle2=lose settle1=surrender close
the other plays on, so the dealer has to draw
    np surrender=late: R1,2 T>1 9>2 6>d 6>1 9>2 9>d- settle1=surrender 2>2 hole close !dealer_underdraw
an early settled hand leaves the others their turn
    np: R1,2 T>1 5>2 6>d 6>1 6>2 9>d- 9>1 settle1=lose collect1 3>2 hole 4>d close
nobody can say whether all had finished before the look
    np: R1 9>1 6>d 8>1 T>d- look ?look_at_hole hole 4>d close
a peek that is due does not hang on signals
    cr: R1 9>1 K>d 8>1 7>d- 2>1 !peek_missing
unread, a hand may hold anything
    np: R1 ?>1 6>d ?>1 ?>d- ?>1 ?>1 ?draw_after_bust hole close
a card whose place was not seen goes to whom it may
    np: R1,2 5>1 8>2 6>d 6>1 9>2 T>d- 4>+ T>2 hole 5>d close
"""
D = """
players may stop anywhere, the cards prove nothing
    np: R ?> 9> 8> 9> T> 2> K> 5> 9> hole close
the burn is judged
    np burn=1 shoe=fresh: R 9> !burn_missing 8>
burned once, nothing to say
    np burn=1 shoe=fresh: 5>b R 9> 8> close
a number of burned cards
    np burn=2 shoe=fresh: 5>b R 9> !burn_count 8> close
a burn that nobody asked for
    np burn=1 shoe=fresh: 5>b R 9> close 4>b !burn_extra
the stock is judged
    np decks=1: R As> 7h> As> close !inventory
and counted again with every round where shuffles are not seen
    np decks=1: R As> 7h> close R As> close
over shuffles that are seen it goes on
    np observes=shuffle decks=1: R As> 7h> close R As> close !inventory
until the cards are shuffled
    np observes=shuffle decks=1: R As> 7h> close shuffle R As> close
more cards than a shoe holds in a suit
    np decks=1: R 7h> 7s> 7d> 7c> 7> close !inventory
the cutting card is out, a shuffle may have been
    np: R cutcard 9> 8> close R 9> ?shuffle_overdue
the cutting card is out and shuffles are seen
    np observes=shuffle: R 9> cutcard 8> close R 9> !shuffle_overdue
a shuffle that is seen in the round
    np observes=shuffle: R 9> shuffle !shuffle_midround
a card between rounds may be anything
    np: 9> ?draw_outside_round R 9>
a card that the shoe calls outside is one
    np: R 9> 8>* !draw_outside_round
a shoe in error deals no round
    np: jam R 9> !draw_outside_round
insurance against a card that nobody can point to
    np: R 9> 8> 7> 6> ins+ ?insurance_without_ace
a method that is not there
    np: method=nd-no-hole !method_unreachable
boxes alone place nothing
    np observes=wagers: R1,2 5> 8> 6> 6> 9> T> 4> 2> 3> 9> hole close
a reader where there is none
    np: R 9> peek !peek_in_no_peek_mode
"""


def told(table: str, inputs: str | None) -> list[str]:
    """The stories of a table, with these inputs where they name none."""
    stories = [line.strip() for line in lines(table) if line[0] == " "]
    return [text if inputs is None or "observes=" in text else observing(inputs, text) for text in stories]


def observing(inputs: str, text: str) -> str:
    head, _, body = text.partition(":")
    return f"{head} observes={inputs}:{body}"


STORIES = [
    *told(A, None),
    *told(B, "faces,signals,wagers"),
    *told(C, "positions,faces,wagers,collection"),
    *told(D, ""),
]


@pytest.mark.parametrize("text", STORIES)
def test_what_a_table_observes_is_judged_and_nothing_else(text: str) -> None:
    holds(text)


def states(text: str) -> Iterator[tuple[Check, Verdict]]:
    """The check after each event of a story, with the verdict on it."""
    log = story(text)
    check = log.check()
    for event in log.events:
        check, verdict = check.step(event)
        yield check, verdict


@pytest.mark.parametrize("text", told(A, None)[:6])
def test_where_everything_is_observed_and_read_there_is_one_history(text: str) -> None:
    assert {len(check.histories) for check, _ in states(text)} == {1}


PAIRS = "np observes=positions,faces,wagers: R1,2 8>1 9>2 6>d 8>1 9>2 7>d- 2>1 3>1 4>1"


def test_histories_that_came_to_the_same_are_one() -> None:
    kept = [len(check.histories) for check, _ in states(f"{PAIRS} 5>2 hole 6>d close R1 9>1")]
    assert max(kept) > 1
    assert kept[-1] == 1


def test_what_is_right_next_is_so_in_one_history_or_another() -> None:
    check = [check for check, _ in states(PAIRS)][-1]
    each = [check.setting.game.due(check.setting, state) for state in check.histories]
    assert set(check.due()) == set().union(*each)
    assert len(check.due()) == len(set(check.due()))


def test_without_signals_a_card_to_any_hand_still_open_is_right_or_the_turning() -> None:
    check = [check for check, _ in states("np observes=positions,faces,wagers: R1,2 5>1 9>2 6>d 6>1 8>2 T>d-")][-1]
    assert check.due() == ("card.drawn to box:1", "card.drawn to box:2", "hole.revealed")


@pytest.mark.parametrize("text", [PAIRS.replace("7>d-", "7>d"), PAIRS.replace("np", "nh").replace(" 7>d-", "")])
def test_all_histories_are_written_down_and_taken_up_again(text: str) -> None:
    check = [check for check, _ in states(text)][-1]
    written = snapshot(check)
    assert len(check.histories) > 1
    assert restored(written or "", check.setting) == check


def test_the_digest_covers_every_history() -> None:
    check = [check for check, _ in states(PAIRS)][-1]
    each = {digest(check.histories[:number], {}) for number in range(1, len(check.histories) + 1)}
    assert len(each) == len(check.histories)


def test_a_second_run_leaves_the_same_histories() -> None:
    text = f"{PAIRS} 5>2"
    first, second = ([digest(check.histories, {}) for check, _ in states(text)] for _ in range(2))
    assert first == second


BOXES = (1, 2, 3, 4)
DEAL = " ".join([*(f"?>{box}" for box in BOXES), "6>d", *(f"?>{box}" for box in BOXES), "?>d-"])
MANY = " ".join(f"?>{box}" for box in BOXES for _ in range(4))


def test_where_too_many_histories_are_possible_the_round_is_open_to_its_end_and_says_so() -> None:
    answers = list(states(f"np observes=positions,faces,wagers: R1,2,3,4 {DEAL} {MANY} hole close R1 7>1 8>1"))
    assert max(len(check.histories) for check, _ in answers) <= MOST
    spoken = [verdict for _, verdict in answers if verdict.detail and "histories" in verdict.detail]
    assert spoken
    assert {verdict.outcome for verdict in spoken} == {"unobservable"}
    ended = next(number for number, (_, verdict) in enumerate(answers, 1) if verdict.round == 2)
    assert spoken[-1].event == ended - 1
    assert answers[-1][1].code == "order"
