"""The reader of the simulated table: when it fails, what is dealt then, and what is wrongly done with it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from blackjack_houses import READER, all_acts, blamed, boxes_of, deal, drawn
from blackjack_seats import is_blackjack_hand
from blackjack_watch import WITH_READER, Dealt, watch

from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.misdeals import Misdeal
from simulators.blackjack.rules import blackjack_rules
from simulators.boxes import acts as common
from simulators.rounds import Round


def moment(dealt: Dealt) -> tuple[str, ...] | None:
    """The dealer's cards that were out, and the peek, when the reader failed; None where it did not."""
    failed = [number for number, act in enumerate(dealt.acts) if isinstance(act, acts.ReaderFailed)]
    if not failed:
        return None
    before = dealt.acts[: failed[0]]
    faces = [act.face for act in before if isinstance(act, common.Drawn) and act.to == "dealer"]
    opened = [number for number, act in enumerate(before) if isinstance(act, common.RoundOpened)]
    peeks = [act.result for act in before if isinstance(act, common.Peeked)]
    if not opened:
        return ("before",)
    return (*faces, *peeks[-1:])


def test_the_reader_fails_at_every_moment_of_the_text() -> None:
    rounds = deal(blackjack_rules("nd-card-reader"), 3000, reader_faults=0.5)
    seen = {found for dealt in rounds if (found := moment(dealt))}
    for expected in [("before",), ("up",), ("down",), ("up", "down"), ("down", "up")]:
        assert expected in seen
    for order in (("up", "down"), ("down", "up")):
        assert (*order, "error") in seen
        assert (*order, "no_natural") in seen
    assert {act.trouble for act in all_acts(rounds) if isinstance(act, acts.ReaderFailed)} == {
        *("dead", "stalled", "light", "unreadable", "not_seated")
    }


@pytest.mark.parametrize("fallback", ["nd-no-peek", "nd-no-hole"])
def test_what_is_no_longer_reachable_is_not_dealt(fallback: str) -> None:
    rounds = deal(blackjack_rules("nd-card-reader", {"fallback": fallback}), 3000, reader_faults=0.5)
    chosen = Counter[tuple[Any, ...]]()
    for dealt in rounds:
        found = moment(dealt)
        if found is None:
            continue
        hole = any(isinstance(act, acts.HoleTurned) for act in dealt.acts)
        named_method = [act.procedure for act in dealt.acts if isinstance(act, common.MethodSelected)]
        chosen[found, hole, tuple(named_method)] += 1
        if found[0] == "down" or len(found) > 1:
            assert hole
            assert "nd-no-hole" not in named_method
        elif named_method:
            assert hole == (named_method == ["nd-no-peek"])
        else:
            assert hole == (fallback == "nd-no-peek")
    assert len(chosen) > 12


def test_the_fallback_lasts_until_the_reader_is_restored_between_rounds() -> None:
    out = False
    seen = Counter[bool]()
    for dealt in deal(blackjack_rules("nd-card-reader"), 2000, reader_faults=0.3):
        restored = [number for number, act in enumerate(dealt.acts) if act == acts.ReaderRestored()]
        assert restored in ([], [0])
        assert out or not restored
        out = out and not restored
        failed = [number for number, act in enumerate(dealt.acts) if isinstance(act, acts.ReaderFailed)]
        peeks = [number for number, act in enumerate(dealt.acts) if isinstance(act, common.Peeked)]
        if out:
            assert not peeks
        seen[out] += 1
        if failed:
            assert all(number < failed[0] for number in peeks)
            out = True
    assert min(seen.values()) > 100


def test_a_table_may_lose_its_reader_between_two_acts() -> None:
    rules = blackjack_rules("nd-card-reader")
    for seed in range(200):
        dealer = BlackjackDealer(rules, seed)
        told: list[acts.Act] = []
        lost = False
        for step in dealer.steps():
            told.append(step.act)
            if isinstance(step.act, common.Peeked):
                told[-1] = common.Peeked("error")
                told.append(acts.ReaderFailed("dead"))
                dealer.reader_is_out()
                lost = True
        watch(rules, [Round(tuple(told))])
        later = [step.act for step in dealer.steps()]
        if lost and acts.ReaderRestored() not in later:
            assert not any(isinstance(act, common.Peeked) for act in later)


def test_peeks_that_are_missing_forbidden_too_early_and_too_many() -> None:
    for before, act in blamed(Misdeal.PEEK_MISSING, READER):
        assert isinstance(act, common.Drawn)
        assert not any(isinstance(other, common.Peeked) for other in before)
        [up] = [a.card for a in before if isinstance(a, common.Drawn) and a.to == "dealer" and a.face == "up"]
        assert up.rank in "ATJQK"
    for before, act in blamed(Misdeal.PEEK_FORBIDDEN_UPCARD, READER):
        assert isinstance(act, common.Peeked)
        [up] = [a.card for a in before if isinstance(a, common.Drawn) and a.to == "dealer" and a.face == "up"]
        assert up.rank in "23456789"
    for before, act in blamed(Misdeal.PEEK_BEFORE_INSURANCE_CLOSED, READER):
        assert isinstance(act, common.Peeked)
        assert acts.InsuranceClosed() not in before
    for before, act in blamed(Misdeal.PEEK_REPEATED, READER):
        assert isinstance(act, common.Peeked)
        assert common.Peeked("no_natural") in before


def test_a_reader_that_says_what_the_cards_do_not() -> None:
    told = set()
    for before, act in blamed(Misdeal.READER_MISMATCH, READER):
        assert isinstance(act, acts.HoleTurned)
        peek = [other for other in before if isinstance(other, common.Peeked)][-1]
        natural = is_blackjack_hand(drawn(before, "dealer"))
        assert (peek.result == "natural") != natural
        told.add(peek.result)
    assert told == {"natural", "no_natural"}


@pytest.mark.parametrize("procedure", sorted(WITH_READER - {"nd-card-reader"}))
def test_a_reader_that_is_not_approved_is_used_by_mistake_only(procedure: str) -> None:
    rules = blackjack_rules(procedure, {"scanner_approved": False})  # type: ignore[arg-type]
    legal = all_acts(deal(rules, 300, reader_faults=0.5))
    assert not any(isinstance(act, common.Peeked | acts.ReaderFailed) for act in legal)
    for _, act in blamed(Misdeal.PEEK_DEVICE_NOT_APPROVED, rules):
        assert isinstance(act, common.Peeked)


def test_a_hole_card_that_nobody_may_look_at_is_looked_at_after_play_too() -> None:
    after_play = set()
    for dealt in deal(blackjack_rules("pa"), 300, Misdeal.LOOK_AT_HOLE):
        if dealt.blamed is not None:
            assert dealt.acts[dealt.blamed] == acts.HoleLooked()
            said = {act.box for act in dealt.acts if isinstance(act, acts.Acted)}
            after_play.add(boxes_of(dealt.acts) <= said)
    assert after_play == {True, False}


def test_a_method_is_named_without_need_or_too_late() -> None:
    rules, chosen = blackjack_rules("nd-card-reader"), Counter[str]()
    dealer = BlackjackDealer(rules, 5, 0.5, {Misdeal.METHOD_UNREACHABLE}, reader_faults=0.5)
    for _ in range(1500):
        dealt = next(dealer)
        if dealt.blamed is not None:
            act = dealt.acts[dealt.blamed]
            assert isinstance(act, common.MethodSelected)
            chosen[act.procedure] += 1
    assert set(chosen) == {"nd-no-peek", "nd-no-hole"}
