"""The simulated dealer's misdeals: each is what its name says, and comes in every house that knows it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice, pairwise

import pytest
from blackjack_houses import EVERY_HOUSE, HOUSES, PLAIN, READER, blamed, boxes_of, deal, drawn, until_misdeal
from blackjack_seats import best, is_blackjack_hand
from blackjack_watch import watch

from protocols.cards import Card
from simulators.blackjack import acts
from simulators.blackjack.dealer import BlackjackDealer
from simulators.blackjack.layout import Layout
from simulators.blackjack.misdeals import ALL, Misdeal, possible
from simulators.blackjack.rules import BlackjackRules, blackjack_rules
from simulators.blackjack.shoe_book import ShoeBook
from simulators.blackjack.wrong import Here
from simulators.blackjack.wrong_deal import burn_extra
from simulators.blackjack.wrong_end import dealer_overdraw
from simulators.boxes import acts as common
from simulators.boxes.misdeals import named
from simulators.rounds import Round
from simulators.stock import Stock

RARE = {
    *(Misdeal.SPLIT_ACE_EXTRA, Misdeal.SPLIT_LIMIT, Misdeal.DEALER_DRAW_NO_LIVE_HANDS, Misdeal.DRAW_ON_21),
    *(Misdeal.CUTTER_WRONG, Misdeal.INVENTORY, Misdeal.BURN_MISSING, Misdeal.INSURANCE_LATE, Misdeal.SHUFFLE_OVERDUE),
}
"""Those that the cards seldom allow."""


def known(kind: Misdeal) -> Sequence[BlackjackRules]:
    return [rules for rules in HOUSES if kind in possible(rules)]


@pytest.mark.parametrize("kind", named(ALL - RARE), ids=lambda kind: kind.name)
def test_every_misdeal_comes_in_every_house_that_knows_it(kind: Misdeal) -> None:
    assert known(kind)
    assert [rules for rules in known(kind) if until_misdeal(rules, kind) is None] == []


@pytest.mark.parametrize("kind", named(RARE), ids=lambda kind: kind.name)
def test_a_rare_misdeal_comes_somewhere(kind: Misdeal) -> None:
    assert any(until_misdeal(rules, kind) for rules in known(kind))


@EVERY_HOUSE
def test_a_round_with_a_misdeal_is_over_soon_after_it(rules: BlackjackRules) -> None:
    for dealt in islice(BlackjackDealer(rules, 7, 1.0), 150):
        if dealt.misdeal is None:
            continue
        assert isinstance(dealt.misdeal, Misdeal)
        assert dealt.blamed is not None
        assert isinstance(dealt.misdeal, Misdeal)
        assert dealt.code == dealt.misdeal.code
        after = dealt.acts[dealt.blamed + 1 :]
        assert isinstance(after[-1] if after else dealt.acts[-1], common.RoundVoided | common.RoundClosed)


@EVERY_HOUSE
def test_after_an_overdraw_the_card_is_burned_and_the_total_stands(rules: BlackjackRules) -> None:
    for dealt in deal(rules, 150, Misdeal.DEALER_OVERDRAW):
        if dealt.blamed is None or common.RoundClosed() not in dealt.acts:
            continue
        card, remedy = dealt.acts[dealt.blamed : dealt.blamed + 2]
        assert isinstance(card, common.Drawn)
        assert (card.to, remedy) == ("dealer", common.TakenAway("dealer"))
        legal = [act for number, act in enumerate(dealt.acts) if number not in (dealt.blamed, dealt.blamed + 1)]
        watch(rules, [Round(tuple(legal))])


@pytest.mark.parametrize(
    ("kind", "last"),
    [
        (Misdeal.DRAW_AFTER_STAND, "stand"),
        (Misdeal.DRAW_AFTER_SURRENDER, "surrender"),
        (Misdeal.DRAW_AFTER_DOUBLE, "double"),
    ],
)
def test_a_card_after_the_last_word_of_a_hand(kind: Misdeal, last: str) -> None:
    for before, act in blamed(kind, READER):
        assert isinstance(act, common.Drawn)
        said = [other for other in before if isinstance(other, acts.Acted)][-1]
        assert said.action == last
        assert act.to == (f"box:{said.box}/{said.hand}" if said.hand else f"box:{said.box}")


def test_a_card_without_signal_a_skipped_hand_a_bust_and_a_natural() -> None:
    for before, act in blamed(Misdeal.DRAW_WITHOUT_SIGNAL, PLAIN):
        assert isinstance(act, common.Drawn)
        assert not isinstance(before[-1], acts.Acted) or before[-1].action in ("stand", "surrender", "split", "double")
    for before, act in blamed(Misdeal.HAND_SKIPPED, PLAIN):
        [said] = [other for other in before if isinstance(other, acts.Acted)][-1:]
        assert isinstance(act, common.Drawn)
        assert said.action == "hit"
        waiting = [box for box in boxes_of(before) if box < said.box and best(drawn(before, f"box:{box}")) <= 21]
        assert waiting
    for before, act in blamed(Misdeal.DRAW_AFTER_BUST, PLAIN):
        assert isinstance(act, common.Drawn)
        if "/" not in act.to:
            assert best(drawn(before, act.to)) > 21
    for before, act in blamed(Misdeal.DRAW_ON_BLACKJACK, PLAIN):
        assert isinstance(act, common.Drawn)
        assert is_blackjack_hand(drawn(before, act.to))


def test_the_dealer_draws_on_17_and_ends_on_16() -> None:
    for before, act in blamed(Misdeal.DEALER_OVERDRAW, PLAIN):
        assert isinstance(act, common.Drawn)
        assert 17 <= best(drawn(before, "dealer")) <= 21
    for before, act in blamed(Misdeal.DEALER_UNDERDRAW, PLAIN):
        assert act == common.RoundClosed()
        assert best(drawn(before, "dealer")) < 17


def test_a_natural_that_is_paid_at_once_tempts_nobody_to_overdraw() -> None:
    layout, rng = Layout(), random.Random(1)
    layout.take(common.RoundOpened((1, 2)))
    for place, card in zip(["box:1", "box:2", "dealer"] * 2, ["As", "9s", "7d", "Th", "8d", "Kc"], strict=True):
        layout.take(common.Drawn(place, Card.parse(card), "down" if card == "Kc" else "up"))
    due, stock, book = common.Settled(1, "natural"), Stock(rng, decks=6, behind=90), ShoeBook()
    here = Here(blackjack_rules("pa"), "peek", layout, due, stock, rng, (1, 2), book, False, False)
    assert dealer_overdraw(here) is None
    layout.take(acts.Acted(2, "stand"))
    layout.take(acts.HoleTurned(Card.parse("Kc")))
    assert dealer_overdraw(here) is not None


def test_splits_that_are_none() -> None:
    for before, act in blamed(Misdeal.SPLIT_NOT_PAIR, PLAIN):
        assert isinstance(act, acts.Acted)
        assert act.action == "split"
        if act.hand is None:
            first, second = drawn(before, f"box:{act.box}")
            assert first.rank != second.rank
    for before, act in blamed(Misdeal.SPLIT_LIMIT, READER):
        assert isinstance(act, acts.Acted)
        splits = [other for other in before if isinstance(other, acts.Acted) and other.action == "split"]
        assert sum(other.box == act.box for other in splits) == 1


def test_the_share_of_misdeals_stays_below_the_rate() -> None:
    rounds = list(islice(BlackjackDealer(PLAIN, 1, 0.2), 1000))
    share = sum(dealt.misdeal is not None for dealt in rounds) / 1000
    assert 0.05 < share < 0.2


def order_of_cards(dealt: Round[acts.Act]) -> list[str]:
    return [act.to for act in dealt.acts if isinstance(act, common.Drawn)]


@pytest.mark.parametrize("procedure", ["sl", "nz"])
def test_a_dealer_who_was_missed_is_dealt_to_after_the_players(procedure: str) -> None:
    rules = blackjack_rules(procedure)  # type: ignore[arg-type]
    for dealt in deal(rules, 50, Misdeal.DEALER_PASSED_OVER):
        places = [f"box:{box}" for box in sorted(boxes_of(dealt.acts))]
        dealers = ["dealer", "dealer"] if procedure == "sl" else ["dealer"]
        assert order_of_cards(dealt)[: 2 * len(places) + len(dealers)] == [*places, *places, *dealers]
        assert dealt.blamed is not None
        blamed_card = dealt.acts[dealt.blamed]
        assert isinstance(blamed_card, common.Drawn)
        assert blamed_card.to == places[0]
        assert common.RoundClosed() in dealt.acts or acts.ShoeEmptied() in dealt.acts


def test_a_box_that_was_missed_is_served_last_or_dead() -> None:
    last, dead = 0, 0
    for dealt in deal(blackjack_rules("sl"), 300, Misdeal.BOX_PASSED_OVER):
        boxes = boxes_of(dealt.acts)
        served = set(order_of_cards(dealt))
        dead += any(f"box:{box}" not in served for box in boxes)
        deal_of_round = order_of_cards(dealt)[: 2 * len(boxes) + 2]
        last += deal_of_round[-1] != "dealer"
        assert dealt.code == "order"
    assert last > 50
    assert dead > 20


def test_a_hole_card_that_was_missed_is_dealt_after_the_card_that_came_too_early() -> None:
    made_good = 0
    for before, act in blamed(Misdeal.HOLE_MISSING, blackjack_rules("pa")):
        assert isinstance(act, common.Drawn)
        assert act.to.startswith("box")
        assert len(drawn(before, "dealer")) == 1
    for dealt in deal(blackjack_rules("pa"), 200, Misdeal.HOLE_MISSING):
        if dealt.blamed is not None and common.RoundClosed() in dealt.acts:
            following = next(act for act in dealt.acts[dealt.blamed + 1 :] if isinstance(act, common.Drawn))
            assert (following.to, following.face) == ("dealer", "down")
            made_good += 1
    assert made_good > 20


def test_what_is_not_said_before_the_first_card_and_before_a_players() -> None:
    for before, act in blamed(Misdeal.NMB_MISSING, blackjack_rules("nz")):
        assert isinstance(act, common.Drawn)
        assert before[-1] == acts.Called("no_more_bets", made=False)
    for before, act in blamed(Misdeal.CALL_MISSING, blackjack_rules("sl")):
        assert isinstance(act, common.Drawn)
        missed = [other for other in before if isinstance(other, acts.Called) and not other.made]
        assert [(other.call, f"box:{other.box}") for other in missed] == [("total", act.to.split("/")[0])]


def test_a_cutter_who_has_no_claim_and_a_cutting_card_out_of_place() -> None:
    for _, act in blamed(Misdeal.CUTTER_WRONG, blackjack_rules("nz")):
        assert isinstance(act, acts.Cut)
        assert act.unwilling == ()
        assert act.by != f"box:{act.claim}"
    wrong = {act for _, act in blamed(Misdeal.CUTCARD_POSITION, blackjack_rules("nz"))}
    assert wrong == {
        *(
            acts.CutCardPlaced(at, 8, by_order, inspector_notified=False)
            for at in (0.4, 4.0)
            for by_order in (True, False)
        ),
        acts.CutCardPlaced(4.5, 8, directed=True, inspector_notified=True),
    }
    assert {act for _, act in blamed(Misdeal.CUTCARD_POSITION, blackjack_rules("fr"))} == {acts.CutCardPlaced(0.4, 6)}


def test_a_card_too_many_comes_after_all_of_its_kind_and_the_cards_are_replaced() -> None:
    rules = blackjack_rules("us-card-reader", {"decks": 1, "max_boxes": 2})
    rounds = deal(rules, 60, Misdeal.INVENTORY)
    for dealt, following in pairwise(rounds):
        if dealt.blamed is None:
            continue
        card = dealt.acts[dealt.blamed]
        assert isinstance(card, common.Drawn)
        assert card.face == "up"
        assert {common.CardsReplaced(), acts.Shuffled()} & set(following.acts)
    assert sum(dealt.misdeal is not None for dealt in rounds) > 20


def test_a_new_dealer_who_does_not_shuffle_burns_all_the_same() -> None:
    rules = blackjack_rules("us-card-reader", {"decks": 1, "max_boxes": 4})
    overdue = [before for before, _ in blamed(Misdeal.SHUFFLE_OVERDUE, rules) if common.DealerChanged() in before]
    assert overdue
    assert all(any(isinstance(act, common.Burned) for act in before) for before in overdue)


def test_nobody_says_how_often_is_burned_where_a_new_dealer_is_relieved() -> None:
    shoe, rules, rng = ShoeBook(), blackjack_rules("pa"), random.Random(1)
    stock = Stock(rng, decks=6, behind=90)
    here = Here(rules, "peek", Layout(), common.RoundOpened((1,)), stock, rng, (1,), shoe, False, False)
    for burns, act in [(2, common.DealerChanged()), (None, common.DealerChanged())]:
        shoe.take(act)
        wrong = burn_extra(here)
        assert (len(wrong.acts) if wrong else None) == burns


def test_a_second_burn_for_a_new_dealer_and_none_at_all() -> None:
    rules = blackjack_rules("pa")
    for kind in (Misdeal.BURN_MISSING, Misdeal.BURN_EXTRA):
        after_change = [common.DealerChanged() in before for before, _ in blamed(kind, rules)]
        assert {True, False} == set(after_change)
    for before, act in blamed(Misdeal.BURN_COUNT, blackjack_rules("fr")):
        burned = sum(isinstance(other, common.Burned) for other in before)
        assert burned == 5 if isinstance(act, common.Burned) else 0 < burned < 5
