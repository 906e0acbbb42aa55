"""Legal rounds of the simulated dealer follow the text of every procedure."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from blackjack_houses import EVERY_HOUSE, all_acts, deal
from blackjack_seats import best, is_soft
from blackjack_watch import WITH_READER, Dealt, watch

from protocols.cards import Card
from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.boxes import acts as common


def test_counts() -> None:
    def hand(text: str) -> list[Card]:
        return [Card.parse(rank) for rank in text]

    totals = {"AK": 21, "AA": 12, "A6": 17, "A6T": 17, "TTA": 21, "TT2": 22, "AAAA7": 21}
    assert {text: best(hand(text)) for text in totals} == totals
    assert [is_soft(hand(text)) for text in ("A6", "A6T", "AA", "T7", "A9A")] == [True, False, True, False, True]


def played_out(rounds: list[Dealt]) -> list[Dealt]:
    """Without those that ended because no card was left anywhere."""
    return [dealt for dealt in rounds if common.RoundClosed() in dealt.acts]


@EVERY_HOUSE
def test_legal_rounds_follow_the_text(rules: BlackjackRules) -> None:
    rounds = deal(rules, 200)
    assert {dealt.misdeal for dealt in rounds} == {None}
    assert len(played_out(rounds)) > 150
    watch(rules, played_out(rounds))


@pytest.mark.parametrize("fallback", ["nd-no-peek", "nd-no-hole"])
@pytest.mark.parametrize("procedure", sorted(WITH_READER))
def test_rounds_with_a_failing_reader_follow_the_text(procedure: str, fallback: str) -> None:
    rules = blackjack_rules(procedure, {"fallback": fallback})  # type: ignore[arg-type]
    watch(rules, deal(rules, 800, reader_faults=0.4))


def test_everything_that_players_and_dealers_may_do_is_done() -> None:
    rounds = deal(blackjack_rules("nd-card-reader", {"surrender": "late"}), 2000)
    dealt = all_acts(rounds)
    assert {act.action for act in dealt if isinstance(act, acts.Acted)} == {
        *("hit", "stand", "double", "split", "insure", "surrender")
    }
    assert {act.hand for act in dealt if isinstance(act, acts.Acted)} >= {None, "a", "b", "c", "d"}
    assert {act.result for act in dealt if isinstance(act, common.Settled)} == {
        *("win", "natural", "push", "lose", "surrender")
    }
    assert {act.result for act in dealt if isinstance(act, common.Peeked)} == {"natural", "no_natural", "error"}
    holes = {next(a.face for a in one.acts if isinstance(a, common.Drawn) and a.to == "dealer") for one in rounds}
    assert holes == {"up", "down"}
    assert {len(act.boxes) for act in dealt if isinstance(act, common.RoundOpened)} >= {1, 2, 3, 4, 5, 7}
    assert {type(act) for act in dealt} >= {
        common.WagerChanged,
        common.DealerChanged,
        common.CardsReplaced,
        acts.HoleLooked,
    }


def test_a_peek_that_is_free_is_made_or_not() -> None:
    rounds = deal(blackjack_rules("sl"), 600)
    peeked = {
        any(isinstance(act, common.Peeked) for act in dealt.acts)
        for dealt in rounds
        if next(a for a in dealt.acts if isinstance(a, common.Drawn) and a.to == "dealer").card.rank in "ATJQK"
    }
    assert peeked == {True, False}


def test_a_card_may_come_without_a_word_where_signals_are_optional() -> None:
    dealt = all_acts(deal(blackjack_rules("pa"), 300))
    hits = sum(isinstance(act, acts.Acted) and act.action == "hit" for act in dealt)
    played = [
        act
        for before, act in pairwise(dealt)
        if isinstance(act, common.Drawn) and act.to.startswith("box") and isinstance(before, common.Drawn)
    ]
    assert hits > 100
    assert len(played) > 0


def test_insurance_at_turn_comes_together_and_one_by_one() -> None:
    rounds = deal(blackjack_rules("fr"), 1500)
    after = set()
    for dealt in rounds:
        for number, act in enumerate(dealt.acts):
            if isinstance(act, acts.Acted) and act.action == "insure":
                after.add(any(isinstance(a, acts.Acted) and a.action != "insure" for a in dealt.acts[:number]))
    assert after == {True, False}


@EVERY_HOUSE
def test_the_same_seed_deals_the_same(rules: BlackjackRules) -> None:
    once, again, other = (list(islice(BlackjackDealer(rules, seed, 0.5), 100)) for seed in (1, 1, 2))
    assert once == again != other
